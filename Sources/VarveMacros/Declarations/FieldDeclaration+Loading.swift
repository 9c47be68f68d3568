extension [FieldDeclaration] {
    /// Reads all fields in an initializer, then lets the rest of it follow, which sets them.
    ///
    /// In this order, because a value that may be given up half made is copied as a whole when it is complete, and
    /// every reference in it counted twice. All rows of a log pass through here.
    ///
    /// - Parameter function: what reads a field, and a `try` before it where that may throw.
    func emitLoading(
        calling function: String, into source: inout SourceText,
        setting others: (inout SourceText) -> Void = { _ in }
    ) {
        for (index, field) in enumerated() {
            let property = "(row: Self) in \(field.value(in: "row"))"
            source.line("let field\(index) = \(function)(from: &reader) { \(property) }")
        }
        others(&source)
        for (index, field) in enumerated() {
            source.line("self.\(field.reference) = field\(index)")
        }
    }
}
