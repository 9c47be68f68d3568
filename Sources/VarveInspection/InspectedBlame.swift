public import VarveEvents

/// Which transaction gave each field of an entity its value.
public struct InspectedBlame: Sendable {
    /// One field of the entity, and the version that gave it its value.
    public struct Field: Sendable {
        /// The name of the field.
        public let name: String
        /// The value of the field.
        public let value: InspectedValue
        /// What gave the field its value; nil where that is no longer kept.
        public let version: InspectedVersion?
    }

    /// In the order of the type's fields; of a deleted entity with the values that it had.
    public let fields: [Field]
    /// Nil where history goes back to the insertion.
    public let dropped: DroppedVersions?
}

extension Inspection {
    /// The transaction that gave each field its value, as far as history goes back.
    public func blame(of type: String, id: String) throws(InspectionError) -> InspectedBlame {
        InspectedBlame(try history(of: type, id: id))
    }
}

extension InspectedBlame {
    /// Finds the newest version that changed each field. O(versions x fields).
    public init(_ history: InspectedHistory) {
        let versions = history.versions
        let isInserted = { (version: InspectedVersion) in version.change == .inserted }
        let insertion = versions.firstIndex(where: isInserted)
        let life = insertion.map { versions[...$0] } ?? versions[...]
        let newest =
            history.fields.isEmpty
            ? versions.first { !$0.fields.isEmpty }?.fields ?? [] : history.fields
        fields = newest.map { field in
            Field(
                name: field.name, value: field.value,
                version: life.first { $0.changedFields.contains(field.name) })
        }
        dropped = insertion == nil ? history.dropped : nil
    }
}
