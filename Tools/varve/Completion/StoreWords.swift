import VarveInspection

/// The names in a store that a command line may hold. What cannot be read, or would take long, offers nothing.
struct StoreWords {
    private static let transactionsMax = 100
    private static let idsMax = 300
    /// Ids are known from the state, and a person waits for them.
    private static let bytesMax = ByteCount(64 << 20)

    let path: String
    let now: Moment

    func types() -> [Completer.Candidate] {
        definitions().map { type in
            let fields = type.fields.map(\.name).joined(separator: ", ")
            return Completer.Candidate(value: type.name, help: fields)
        }
    }

    func fields(of type: String?) -> [Completer.Candidate] {
        var seen: Set<String> = []
        return definitions().filter { type == nil || $0.name == type }.flatMap(\.fields)
            .filter { seen.insert($0.name).inserted }
            .map { Completer.Candidate(value: $0.name, help: $0.type) }
    }

    private func inspection() throws(InspectionError) -> Inspection {
        try Inspection(at: path, verifiesCheckpoint: false)
    }

    private func definitions() -> [InspectedType] {
        (try? inspection().newestTypes()) ?? []
    }

    /// The newest, with their labels.
    func transactions() -> [Completer.Candidate] {
        guard let inspection = try? inspection() else { return [] }
        var walk = inspection.transactions()
        var candidates = [Completer.Candidate(value: "last", help: "the newest")]
        while candidates.count <= Self.transactionsMax, let next = try? walk.next() {
            let age = Age(of: next.time, at: now).phrase
            let what = next.label ?? next.kind.text
            candidates.append(.init(value: "\(next.id)", help: "\(what), \(age)"))
        }
        return candidates
    }

    func ids(
        of type: String, _ selection: EntityList.Selection, beginning start: String
    ) -> [Completer.Candidate] {
        guard let inspection = try? inspection(), inspection.rawBytes <= Self.bytesMax
        else { return [] }
        let ids = try? inspection.ids(of: type, selection, beginning: start, limit: Self.idsMax)
        return (ids ?? []).map { Completer.Candidate(value: $0) }
    }
}
