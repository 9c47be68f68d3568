/// How a property is stored, or that it cannot be.
public enum FieldKind: Sendable, Hashable {
    /// The type has a stored form, of this kind.
    case stored(StoredType, Rung)
    /// The type has no stored form. It works in memory; a store refuses to register it.
    case unsupported(typeName: String)
}

/// The ways to give a value a stored form, best first. A type takes the first that fits it.
public enum Rung: UInt8, Sendable, Hashable, CaseIterable {
    /// The type conforms to ``Storable``.
    case storable = 0
    /// The type is written as its `Storable` raw value.
    case rawValue = 1
    /// The type is written as its description (`LosslessStringConvertible`). For ids only.
    case losslessString = 2
    /// The type is `Codable` and written as JSON.
    case json = 3
}
