internal import VarveTables

/// The rows that stored indexes name for a condition.
///
/// They are candidates: every row that meets the condition is among them. Each is tested against the whole condition.
struct IndexedRows {
    /// In no order. A slot may be there twice.
    private(set) var slots: [Slot] = []
    /// The indexes that named them, each once.
    private(set) var indexes: [IndexDeclaration] = []

    /// Rows are read by an index where it names at most one in so many. The others cost a scan as much as the entries of
    /// the index: with more of them, nearly all blocks of the table are read anyway.
    private static let rowsPerEntry = 16
    private static let countMin = 64

    static func countMax(ofRows count: Int) -> Int { max(countMin, count / rowsPerEntry) }

    /// Nil where no index knows the rows, or they are too many.
    init?(_ query: BoundQuery, _ state: State) {
        // Indexes hold live rows alone.
        guard let condition = query.condition, !query.selectsDeleted else { return nil }
        let type = query.type
        let countMax = Self.countMax(ofRows: state.counts(of: type.number).live)
        let search = IndexedRowSearch(
            type: type, state: state, declared: state.declaredIndexes(of: type.number))
        guard !search.declared.isEmpty, let rows = search.rows(condition, atMost: countMax)
        else { return nil }
        self = rows
    }

    fileprivate init(slots: [Slot], by index: IndexDeclaration) {
        self.slots = slots
        indexes = [index]
    }

    fileprivate init() {}

    fileprivate mutating func add(_ other: IndexedRows) {
        slots += other.slots
        indexes += other.indexes.filter { !indexes.contains($0) }
    }
}

/// Searches the indexes of a type for the rows of conditions.
private struct IndexedRowSearch {
    let type: TypeDefinition
    let state: State
    let declared: [IndexDeclaration]

    /// Nil where no index knows the rows, or they are more than a number.
    func rows(_ condition: BoundExpression, atMost countMax: Int) -> IndexedRows? {
        if case .or(let parts) = condition { return union(of: parts, atMost: countMax) }
        return fewest(of: condition.conjuncts, atMost: countMax)
    }

    /// The rows of conditions of which a row must meet one. Each needs an index.
    private func union(of parts: [BoundExpression], atMost countMax: Int) -> IndexedRows? {
        var found = IndexedRows()
        for part in parts {
            guard let rows = rows(part, atMost: countMax - found.slots.count) else { return nil }
            found.add(rows)
        }
        return found
    }

    /// The rows of the index, or of the union, that names fewest. One suffices: the other conditions only leave out more.
    private func fewest(of conditions: [BoundExpression], atMost countMax: Int) -> IndexedRows? {
        let limits = PropertyLimits(conditions, of: type)
        var best: IndexedRows?
        /// What is not better is not listed to its end.
        var room: Int { best.map { $0.slots.count - 1 } ?? countMax }
        if !limits.isEmpty {
            for index in declared {
                if let bounds = limits.bounds(in: index),
                    let slots = slots(in: bounds, of: index, atMost: room)
                {
                    best = IndexedRows(slots: slots, by: index)
                }
            }
        }
        for case .or(let parts) in conditions {
            if let rows = union(of: parts, atMost: room) { best = rows }
        }
        return best
    }

    private func slots(
        in ranges: [FieldBounds], of index: IndexDeclaration, atMost countMax: Int
    ) -> [Slot]? {
        var slots: [Slot] = []
        for bounds in ranges {
            do throws(CodecError) {
                let isKnown = try state.forEachSlot(
                    of: type.number, by: index, in: bounds, isReversed: false
                ) { slot, _ in
                    slots.append(slot)
                    return slots.count <= countMax
                }
                guard isKnown, slots.count <= countMax else { return nil }
            } catch {
                // The value is none of the field's type: a scan says what is wrong.
                return nil
            }
        }
        return slots.count <= countMax ? slots : nil
    }
}

extension BoundExpression {
    /// The conditions that are all to be met, also of an `and` within another.
    var conjuncts: [BoundExpression] {
        guard case .and(let parts) = self else { return [self] }
        return parts.flatMap(\.conjuncts)
    }
}
