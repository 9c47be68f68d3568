/// Amounts by name. Names beyond a number of them, and beyond their bytes, are counted together.
struct NameTally {
    struct Entry {
        let name: String?
        var amount = InspectedStatistics.Amount()
        var first: StoreSummary.Transaction
        var last: StoreSummary.Transaction
    }

    /// Stands for all names that are not kept apart.
    static let others = -1
    /// Longer names are cut: they differ near their beginning.
    private static let scalarsMax = 400
    /// Of all names together, in UTF-8.
    private static let bytesMax = 8 << 20

    private let namesMax: Int
    private var bytes = 0
    private(set) var entries: [Entry] = []
    private(set) var othersAmount = InspectedStatistics.Amount()
    private var positions: [String?: Int] = [:]

    init(namesMax: Int = 4_096) { self.namesMax = namesMax }

    /// Returns the position of the entry that the name belongs to.
    mutating func add(
        _ name: String?, _ amount: InspectedStatistics.Amount,
        in transaction: StoreSummary.Transaction
    ) -> Int {
        let key = name.map(Self.cut)
        guard let position = positions[key] ?? newPosition(key, transaction) else {
            othersAmount += amount
            return Self.others
        }
        entries[position].amount += amount
        if transaction.id < entries[position].first.id { entries[position].first = transaction }
        if transaction.id > entries[position].last.id { entries[position].last = transaction }
        return position
    }

    private mutating func newPosition(_ key: String?, _ transaction: StoreSummary.Transaction)
        -> Int?
    {
        let length = key?.utf8.count ?? 0
        // What has no name is always counted apart.
        guard key == nil || entries.count < namesMax && bytes + length <= Self.bytesMax else {
            return nil
        }
        bytes += length
        positions[key] = entries.count
        entries.append(Entry(name: key, first: transaction, last: transaction))
        return entries.count - 1
    }

    static func cut(_ name: String) -> String {
        guard name.utf8.count > scalarsMax, name.unicodeScalars.count > scalarsMax else {
            return name
        }
        var cut = String.UnicodeScalarView()
        cut.append(contentsOf: name.unicodeScalars.prefix(scalarsMax))
        return String(cut) + "…"
    }
}
