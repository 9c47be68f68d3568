/// What is known of one type.
public struct TypeStatistics: Sendable {
    /// Its newest definition.
    public let type: InspectedType
    /// How many live entities it has.
    public let live: Int
    /// How many tombstones.
    public let deleted: Int
    /// Rows and ids of the live entities.
    public let liveBytes: ByteCount
    /// Rows and ids that tombstones keep.
    public let deletedBytes: ByteCount
    /// Links that lead from live entities.
    public let links: Int
    /// Events about the type and the ids that they name, of all transactions in the log.
    public let history: ByteCount
    /// The share of that in the compressed frames.
    public let stored: ByteCount
    /// Events in the log that insert an entity.
    public let insertions: UInt64
    /// Events that change properties of one.
    public let updates: UInt64
    /// Events that delete one.
    public let deletions: UInt64
    /// Events that change a list of links.
    public let linkChanges: UInt64
    /// In the order of the definition.
    public let fields: [FieldStatistics]
}

/// What is known of one property.
public struct FieldStatistics: Hashable, Sendable {
    /// The name of the property.
    public let name: String
    /// As Swift spells it.
    public let type: String
    /// Its values in the rows of live entities.
    public let live: ByteCount
    /// Its values in the log, old and new.
    public let history: ByteCount
}
