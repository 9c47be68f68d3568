public import Foundation

/// What the context knows of an entity beside its value.
public struct EntityMetadata: Sendable, Hashable {
    /// When the entity was last saved.
    public let updatedAt: Date
    /// The transaction that saved it last; 0 in a context without a log.
    public let transaction: UInt64

    init(_ metadata: RowMetadata) {
        updatedAt = Date(microseconds: metadata.updatedAt)
        transaction = metadata.transaction
    }
}

extension EntityModelProtocol {
    /// What the context knows of the entity with this id, or nil where it does not hold it.
    public func metadata(in context: Context) -> EntityMetadata? {
        guard let slot = context.liveSlot(of: Self.self, id: id) else { return nil }
        return context.rows(of: Self.self).map { EntityMetadata($0.metadata(of: slot)) }
    }
}

/// An order of entities by what the context knows of them.
public struct Metadata: Sendable, Hashable {
    enum Key: Sendable {
        case updatedAt, transaction, ordinal, saveOrder
    }

    /// What entities are compared by, one after the other.
    let keys: [Key]
    var isDescending = false

    init(_ keys: Key...) { self.keys = keys }

    /// By the time of the last save, oldest first.
    public static var updatedAt: Metadata { Metadata(.updatedAt) }
    /// By the transaction of the last save, oldest first.
    public static var transaction: Metadata { Metadata(.transaction) }
    /// By the place in the type's default order: oldest insertion first.
    public static var inserted: Metadata { Metadata(.ordinal) }

    /// By the time of the last save, and within a save or a transaction by the order of the saves.
    @usableFromInline static var lastSave: Metadata {
        Metadata(.updatedAt, .transaction, .saveOrder)
    }

    /// The other way round. Entities that are equal stay in order in both directions.
    public var desc: Metadata {
        var copy = self
        copy.isDescending.toggle()
        return copy
    }
}

/// A condition on what the context knows of an entity.
public struct MetadataPredicate: Sendable, Hashable {
    @usableFromInline
    enum Bounds: Sendable, Hashable {
        /// Microseconds since 1970.
        case updatedAt(ClosedRange<Int64>)
        case transaction(ClosedRange<UInt64>)
    }

    @usableFromInline let bounds: Bounds

    /// Last saved at one of these times, both ends included.
    public static func updated(within range: ClosedRange<Date>) -> MetadataPredicate {
        MetadataPredicate(
            bounds: .updatedAt(range.lowerBound.microseconds...range.upperBound.microseconds))
    }

    /// Last saved by one of these transactions. In a context without a log all entities carry 0.
    public static func saved(inTransactions range: ClosedRange<UInt64>) -> MetadataPredicate {
        MetadataPredicate(bounds: .transaction(range))
    }

    /// A piece of metadata lies in a range: `.metadata(\.updatedAt, within: lastSync...Date())`.
    public static func metadata(
        _ path: KeyPath<EntityMetadata, Date>, within range: ClosedRange<Date>
    ) -> MetadataPredicate {
        precondition(path == \EntityMetadata.updatedAt, "\(path) is no stored piece of metadata")
        return updated(within: range)
    }

    /// A piece of metadata lies in a range: `.metadata(\.transaction, within: 7...9)`.
    public static func metadata(
        _ path: KeyPath<EntityMetadata, UInt64>, within range: ClosedRange<UInt64>
    ) -> MetadataPredicate {
        precondition(path == \EntityMetadata.transaction, "\(path) is no stored piece of metadata")
        return saved(inTransactions: range)
    }

    /// In whose order a type-level query answers.
    @usableFromInline var order: Metadata {
        switch bounds {
        case .updatedAt: .lastSave
        case .transaction: Metadata(.transaction, .saveOrder)
        }
    }

    @usableFromInline var words: String {
        switch bounds {
        case .updatedAt(let range):
            """
            updated within \(Date(microseconds: range.lowerBound))...\
            \(Date(microseconds: range.upperBound))
            """
        case .transaction(let range):
            "saved in transactions \(range.lowerBound)...\(range.upperBound)"
        }
    }
}

extension Date {
    /// The nearest microsecond, as a save stamps it; times out of reach become the farthest.
    var microseconds: Int64 {
        let value = (timeIntervalSince1970 * 1_000_000).rounded()
        if let exact = Int64(exactly: value) { return exact }
        return value < 0 ? .min : .max
    }
}

extension Metadata {
    func words(of key: Key) -> String {
        let name =
            switch key {
            case .updatedAt: "updatedAt"
            case .transaction: "transaction"
            case .ordinal: "insertion"
            case .saveOrder: "save"
            }
        return isDescending ? "\(name) descending" : name
    }
}
