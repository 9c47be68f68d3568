/// Finds the assets that rows of one definition of a type name.
package struct AssetRows {
    /// The transaction from which on rows are written so.
    let since: TransactionID
    let layout: RowLayout
    /// The places of the fields that may name assets.
    let fields: Set<Int>

    package init(_ definition: TypeDefinition, since: TransactionID = 0) {
        self.since = since
        layout = RowLayout(definition)
        fields = Set(
            definition.fields.indices.filter { definition.fields[$0].type.holdsAssets })
    }

    /// Calls `body` with each asset that a row names.
    package func forEachAsset(
        inRow row: UnsafeRawBufferPointer, of id: UnsafeRawBufferPointer, isKept: Bool,
        _ body: (AssetMention) throws(CodecError) -> Void
    ) throws(CodecError) {
        guard !fields.isEmpty else { return }
        try layout.forEachField(of: row) { position, value throws(CodecError) in
            guard fields.contains(position) else { return }
            try forEachAsset(inValue: value, at: position, of: id, isKept: isKept, body)
        }
    }

    /// Calls `body` with each asset that the value of the field at a position names.
    func forEachAsset(
        inValue value: UnsafeRawBufferPointer, at position: Int, of id: UnsafeRawBufferPointer,
        isKept: Bool, _ body: (AssetMention) throws(CodecError) -> Void
    ) throws(CodecError) {
        let field = layout.definition.fields[position]
        var reader = ByteReader(value)
        try field.type.forEachAsset(from: &reader) { asset throws(CodecError) in
            try body(
                AssetMention(
                    asset: asset, definition: layout.definition, id: id, property: field.name,
                    isKept: isKept))
        }
    }

    func addFills(
        to fills: inout [(asset: AssetReference, definition: TypeDefinition, property: String)]
    ) {
        for position in fields {
            let field = layout.definition.fields[position]
            guard let fill = field.fill else { continue }
            // A fill was read when its definition was.
            try? fill.withReader { reader throws(CodecError) in
                try field.type.forEachAsset(from: &reader) { asset in
                    guard asset != .noContent else { return }
                    fills.append((asset, layout.definition, field.name))
                }
            }
        }
    }
}
