extension [FieldDeclaration] {
    /// Reads all fields in an initializer that may throw, then lets the rest of it follow, which sets them.
    ///
    /// In this order, because a value that may be given up half made is copied as a whole when it is complete, and
    /// every reference in it counted twice. All rows of a log pass through here.
    func emitLoading(
        into source: inout SourceText, setting others: (inout SourceText) -> Void = { _ in }
    ) {
        emit("try", "load", into: &source, setting: others)
    }

    /// The same of bytes that were read before, in an initializer that does not throw.
    func emitLoadingAgain(
        into source: inout SourceText, setting others: (inout SourceText) -> Void
    ) {
        emit(nil, "loadAgain", into: &source, setting: others)
    }

    private func emit(
        _ marker: String?, _ function: String, into source: inout SourceText,
        setting others: (inout SourceText) -> Void
    ) {
        let call = [marker, "\("_FieldCodec".inLibrary).\(function)(from: &reader)"]
            .compactMap(\.self).joined(separator: " ")
        for (index, field) in enumerated() {
            let property = "(row: Self) in \(field.value(in: "row"))"
            source.line("let field\(index) = \(call) { \(property) }")
        }
        others(&source)
        for (index, field) in enumerated() {
            source.line("self.\(field.reference) = field\(index)")
        }
    }
}
