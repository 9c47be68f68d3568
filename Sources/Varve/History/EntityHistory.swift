public import VarveEvents
public import VarveGraph

/// The versions of an entity, newest first, as far as history goes back.
public struct EntityHistory<Entity: EntityModelProtocol>: RandomAccessCollection, Sendable {
    private let versions: [EntityVersion<Entity>]
    /// Where history begins, if the entity had versions before; nil where all its versions are here.
    public let dropped: DroppedVersions?

    init(_ versions: [EntityVersion<Entity>] = [], dropped: DroppedVersions? = nil) {
        self.versions = versions
        self.dropped = dropped
    }

    /// Always 0.
    public var startIndex: Int { versions.startIndex }
    /// The number of versions.
    public var endIndex: Int { versions.endIndex }

    /// The version at a position; 0 is the newest.
    public subscript(position: Int) -> EntityVersion<Entity> { versions[position] }
}

extension EntityHistory: CustomStringConvertible {
    /// A line for each version, and one that says where history begins.
    public var description: String {
        (versions.map { "\($0)" } + (dropped.map { ["\($0)"] } ?? [])).joined(separator: "\n")
    }
}
