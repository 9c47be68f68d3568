/// A place in the log or in a state that names an asset. The id is valid during the call that gave it only.
package struct AssetMention {
    package let asset: AssetReference
    /// The definition of the entity's type under which the row was written.
    package let definition: TypeDefinition
    package let id: UnsafeRawBufferPointer
    /// The name of the property.
    package let property: String
    /// Whether a row has it, or a tombstone that a transaction brings; false for what one replaces or deletes.
    package let isKept: Bool

    /// The entity's id, for people.
    package var idText: String {
        let value = try? StoredValue(definition.idType, bytes: id)
        return value.map { $0.json } ?? "?"
    }
}
