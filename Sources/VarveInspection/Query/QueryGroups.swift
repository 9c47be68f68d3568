/// The groups of a query, as their rows are found.
struct QueryGroups: Sendable {
    private let aggregates: [QueryAggregate]
    private(set) var groups: [QueryGroup] = []
    /// By what their rows share.
    private var positions: [String: Int] = [:]
    /// By a hash of the bytes of what rows are grouped by: these bytes, and the position of the group.
    private var known: [Int: (bytes: [UInt8], position: Int)] = [:]

    private static let knownMax = 4_096

    init(_ aggregates: [QueryAggregate]) { self.aggregates = aggregates }

    /// The position of the group with a key, which is made if there is none.
    mutating func position(of key: String) -> Int {
        if let position = positions[key] { return position }
        positions[key] = groups.count
        groups.append(QueryGroup(key: key, aggregates))
        return groups.count - 1
    }

    /// The group that a row belongs to by the bytes of properties; nil where these do not tell.
    ///
    /// - Parameter hash: of the bytes.
    func position(
        of row: QueryRow, hash: Int, by properties: [Int]
    ) throws(InspectionError) -> Int? {
        guard let found = known[hash], try row.hasBytes(found.bytes, in: properties) else {
            return nil
        }
        return found.position
    }

    mutating func note(
        _ row: QueryRow, hash: Int, by properties: [Int], position: Int
    ) throws(InspectionError) {
        guard known.count < Self.knownMax else { return }
        known[hash] = (try row.bytes(of: properties), position)
    }

    /// Changes a group for a row of it.
    mutating func update(
        _ position: Int, _ row: QueryRow,
        _ body: (inout QueryGroup) throws(InspectionError) -> Void
    ) throws(InspectionError) {
        try groups[position].meet(row)
        try body(&groups[position])
    }

    mutating func add(rows count: Int) {
        groups[position(of: "")].add(rows: count)
    }

    /// Adds the groups of rows that were scanned elsewhere.
    mutating func add(_ other: QueryGroups) throws(InspectionError) {
        for group in other.groups { try add(group) }
    }

    mutating func add(_ group: QueryGroup) throws(InspectionError) {
        if let position = positions[group.key] {
            try groups[position].add(group)
        } else {
            positions[group.key] = groups.count
            groups.append(group)
        }
    }
}
