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

    /// Those whose numbers begin so, with their labels: first the number itself, then longer ones, the newest first.
    func transactions(beginning start: String) -> [Completer.Candidate] {
        guard let inspection = try? inspection() else { return [] }
        var candidates = [Completer.Candidate(value: "last", help: "the newest")]
        for range in numbers(beginning: start, through: inspection.lastTransaction.rawValue) {
            var walk = inspection.transactions(
                filter: TransactionFilter(
                    after: .transaction(TransactionID(range.lowerBound - 1)),
                    before: .transaction(TransactionID(range.upperBound + 1))))
            while candidates.count <= Self.transactionsMax, let next = try? walk.next() {
                let age = Age(of: next.time, at: now).phrase
                let what = next.label ?? next.kind.text
                candidates.append(.init(value: "\(next.id)", help: "\(what), \(age)"))
            }
        }
        return candidates
    }

    /// The numbers from 1 to the last one that begin with these digits, by how many digits they have.
    private func numbers(beginning start: String, through last: UInt64) -> [ClosedRange<UInt64>] {
        guard last > 0, last < UInt64(Int64.max) else { return [] }
        guard !start.isEmpty else { return [1...last] }
        guard let number = UInt64(start), String(number) == start, number > 0 else { return [] }
        var ranges: [ClosedRange<UInt64>] = []
        var (low, high) = (number, number)
        while low <= last {
            ranges.append(low...min(high, last))
            let (next, overflow) = low.multipliedReportingOverflow(by: 10)
            let (end, endOverflow) = high.multipliedReportingOverflow(by: 10)
            guard !overflow, !endOverflow, end <= UInt64.max - 9 else { break }
            (low, high) = (next, end + 9)
        }
        return ranges
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
