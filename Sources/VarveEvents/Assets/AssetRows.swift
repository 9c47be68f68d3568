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

    /// Calls `body` with each asset that rows take which lack a property.
    ///
    /// - Parameter former: the definition before; what that gave is left out.
    func forEachFill<Failure: Error>(
        butOf former: TypeDefinition? = nil, _ body: (AssetMention) throws(Failure) -> Void
    ) throws(Failure) {
        for position in fields.sorted() {
            let field = layout.definition.fields[position]
            let old = former?.fields.first { $0.number == field.number }
            guard let fill = field.fill, old?.fill != fill else { continue }
            for asset in field.type.assets(in: fill) {
                try body(
                    AssetMention(
                        asset: asset, definition: layout.definition,
                        id: UnsafeRawBufferPointer(start: nil, count: 0), property: field.name,
                        isKept: true))
            }
        }
    }
}

extension StoredType {
    /// The assets in a fill, which was read when its definition was.
    fileprivate func assets(in fill: [UInt8]) -> [AssetReference] {
        var found: [AssetReference] = []
        try? fill.withReader { reader throws(CodecError) in
            try forEachAsset(from: &reader) { asset in
                if asset != .noContent { found.append(asset) }
            }
        }
        return found
    }
}
