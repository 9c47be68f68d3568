/// The place of a line of an import.
struct ImportOrigin: Hashable, Sendable {
    let file: UInt32
    let line: UInt32
    let column: UInt32
}

/// The lists of one relation that the files of an import give, and what they make of the lists of its inverse.
struct ImportedLinks {
    struct List {
        let holder: UInt32
        let targets: Range<Int>
        let origin: ImportOrigin
    }

    private(set) var lists: [List] = []
    private var targets: [UInt32] = []
    /// The positions in ``lists`` by holder.
    private var positions: [UInt32: Int] = [:]
    /// Holder and target of each link that a file gives.
    private var pairs: Set<UInt64> = []
    /// What the other side gives and this one does not.
    private(set) var appended: [UInt32: [UInt32]] = [:]
    private(set) var removed: [UInt32: Set<UInt32>] = [:]
    /// What the other side gives and the store has already, of a relation to one.
    private var confirmed: [UInt32: UInt32] = [:]

    private static func pair(_ holder: UInt32, _ target: UInt32) -> UInt64 {
        UInt64(holder) << 32 | UInt64(target)
    }

    /// What is wrong with a list.
    enum Fault: String {
        case repeated = "leads to an id twice"
        /// The targets of the first list would have the link back to the holder, and the holder none to them.
        case givenBefore = "is given twice for one entity"

        func problem(of relation: RelationDefinition, at offset: Int) -> ExchangeProblem {
            ExchangeProblem("'\(relation.name)' \(rawValue)", at: offset)
        }
    }

    /// Takes a list. An empty one can be followed by another: a line may leave out what a relation's file has.
    mutating func give(
        _ list: [UInt32], of holder: UInt32, at origin: ImportOrigin
    ) -> Fault? {
        guard given(of: holder).isEmpty else { return .givenBefore }
        let start = targets.count
        targets += list
        positions[holder] = lists.count
        lists.append(List(holder: holder, targets: start..<targets.count, origin: origin))
        for target in list where !pairs.insert(Self.pair(holder, target)).inserted {
            return .repeated
        }
        return nil
    }

    func isGiven(_ holder: UInt32) -> Bool { positions[holder] != nil }

    func gives(_ target: UInt32, to holder: UInt32) -> Bool {
        pairs.contains(Self.pair(holder, target))
    }

    func targets(of list: List) -> ArraySlice<UInt32> { targets[list.targets] }

    func given(of holder: UInt32) -> ArraySlice<UInt32> {
        positions[holder].map { targets(of: lists[$0]) } ?? []
    }

    /// The one that a file links a holder of a relation to one to, on either side.
    func claimant(of holder: UInt32) -> UInt32? {
        confirmed[holder] ?? appended[holder]?.first ?? given(of: holder).first
    }

    mutating func confirm(_ target: UInt32, of holder: UInt32) { confirmed[holder] = target }

    mutating func append(_ target: UInt32, to holder: UInt32) {
        appended[holder, default: []].append(target)
    }

    mutating func remove(_ target: UInt32, from holder: UInt32) {
        removed[holder, default: []].insert(target)
    }

    /// What a holder's list becomes.
    func list(of holder: UInt32, before old: [UInt32]) -> [UInt32] {
        var list = isGiven(holder) ? Array(given(of: holder)) : old
        if let removed = removed[holder] { list.removeAll { removed.contains($0) } }
        return list + (appended[holder] ?? [])
    }

    /// Whose lists change, perhaps; each once.
    var holders: [UInt32] {
        let others = Set(appended.keys).union(removed.keys)
        return lists.map(\.holder) + others.filter { !isGiven($0) }.sorted()
    }
}
