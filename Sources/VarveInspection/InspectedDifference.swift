/// An entity that differs between two states of a store.
public struct InspectedDifference: Sendable {
    /// The entity that differs.
    public let entity: EntityName
    /// Nil where it was not there.
    public let before: InspectedEntity?
    /// The entity in the second state; nil where it is not there.
    public let after: InspectedEntity?
}
