internal import VarveEvents

/// What a transaction of migrations did to entities as a whole, as its header says it: a store that is opened without the
/// steps knows from it which states of the past they would have to make.
struct RecordedMoves: Sendable, Equatable {
    enum Kind: String, Sendable {
        /// Entities of one type were made of those of another.
        case split
        /// Entities of one type took the values of those of another.
        case join
        /// Entities got other ids, and so another type.
        case ids
    }

    struct Move: Sendable, Hashable {
        let kind: Kind
        let from: TypeNumber
        let to: TypeNumber
    }

    /// How often each is there: several steps of one transaction may be about the same two types.
    private var counts: [Move: Int] = [:]
    /// Whether there are words that this version does not know.
    private(set) var hasOthers = false

    var moves: Set<Move> { Set(counts.keys) }

    var isEmpty: Bool { counts.isEmpty && !hasOthers }

    /// The types that it names.
    var types: Set<TypeNumber> { Set(moves.flatMap { [$0.from, $0.to] }) }

    init() {}

    init(_ plan: MovePlan) {
        for split in plan.splits.values {
            add(Move(kind: .split, from: split.source, to: split.target))
        }
        for join in plan.joins.values {
            add(Move(kind: .join, from: join.relation.target, to: join.holder))
        }
        for (former, successor) in plan.successors {
            add(Move(kind: .ids, from: former, to: successor))
        }
    }

    private mutating func add(_ move: Move) { counts[move, default: 0] += 1 }

    /// Without the moves that others are too, one for one.
    func subtracting(_ others: RecordedMoves) -> RecordedMoves {
        var rest = self
        for (move, count) in others.counts {
            let left = (rest.counts[move] ?? 0) - count
            rest.counts[move] = left > 0 ? left : nil
        }
        return rest
    }

    /// The type whose entities got the ids of a type.
    func predecessor(of type: TypeNumber) -> TypeNumber? {
        moves.first { $0.kind == .ids && $0.to == type }?.from
    }

    func givesIDs(to type: TypeNumber) -> Bool {
        moves.contains { $0.kind == .ids && $0.from == type }
    }
}

// As it is in the log: words with a space between, each a kind and two type numbers, as `split:1:4`.
extension RecordedMoves {
    var text: String {
        moves.sorted { ($0.kind.rawValue, $0.from, $0.to) < ($1.kind.rawValue, $1.from, $1.to) }
            .flatMap { move in
                let word = "\(move.kind.rawValue):\(move.from.rawValue):\(move.to.rawValue)"
                return repeatElement(word, count: counts[move] ?? 0)
            }.joined(separator: " ")
    }

    /// - Parameter text: what a log says. Words of another form are of a newer version: what they are about is not known.
    init(_ text: String) {
        for word in text.split(separator: " ") {
            let parts = word.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 3, let kind = Kind(rawValue: String(parts[0])),
                let from = Self.number(parts[1]), let to = Self.number(parts[2])
            else {
                hasOthers = true
                continue
            }
            add(Move(kind: kind, from: from, to: to))
        }
    }

    private static func number(_ digits: Substring) -> TypeNumber? {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(digits),
            number > 0
        else { return nil }
        return TypeNumber(number)
    }
}

extension LogHistory {
    /// The migrations that the log has behind it, as far as the app gave them; of the others, what they did to entities as a
    /// whole.
    func migrations(behind state: StoreState) throws -> PastMigrations {
        var past = state.pastMigrations
        try past.readMoves { transaction in
            // Nothing before it is asked for.
            guard transaction >= floor else { return nil }
            return try with(transaction) { $0.header.metadata[Timeline.Key.entities] }
        }
        return past
    }
}
