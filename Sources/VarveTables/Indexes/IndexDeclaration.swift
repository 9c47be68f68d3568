package import VarveEvents

/// Which fields of a type an index orders rows by, the first one first.
package struct IndexDeclaration: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package let number: FieldNumber
        package let isDescending: Bool

        package init(_ number: FieldNumber, isDescending: Bool = false) {
            self.number = number
            self.isDescending = isDescending
        }
    }

    package let fields: [Field]

    /// - Precondition: There is a field.
    package init(_ fields: [Field]) {
        precondition(!fields.isEmpty, "An index orders by a field")
        self.fields = fields
    }
}
