extension StoredType {
    /// What is known of an asset's value by name, for readers without the app's types.
    package static let assetFields = [
        Field("digest", .string), Field("byteCount", .uint64), Field("pathExtension", .string),
        Field("mediaType", .string),
    ]

    /// Calls `body` with each asset in one value of this type, and passes over the value.
    package func forEachAsset(
        from reader: inout ByteReader, _ body: (AssetReference) throws(CodecError) -> Void
    ) throws(CodecError) {
        switch self {
        case .asset: try body(try AssetReference.load(from: &reader))
        case .raw(_, let raw): try raw.forEachAsset(from: &reader, body)
        case .optional(let wrapped):
            if try reader.readOptionalTag() { try wrapped.forEachAsset(from: &reader, body) }
        case .array(let element), .set(let element):
            for _ in 0..<(try reader.readCount()) { try element.forEachAsset(from: &reader, body) }
        case .dictionary(let key, let value):
            for _ in 0..<(try reader.readCount()) {
                try key.forEachAsset(from: &reader, body)
                try value.forEachAsset(from: &reader, body)
            }
        case .structure(_, let fields):
            for field in fields { try field.type.forEachAsset(from: &reader, body) }
        case .enumeration(let name, let cases):
            let index = try reader.readCaseIndex(of: name, count: cases.count)
            for field in cases[index].payload {
                try field.type.forEachAsset(from: &reader, body)
            }
        default: try skip(&reader)
        }
    }
}

extension StoredContent {
    /// An asset, by its fields.
    init(_ asset: AssetReference) {
        self = .structure([
            Member(name: "digest", value: .string(asset.digest.description)),
            Member(name: "byteCount", value: .unsigned(asset.byteCount)),
            Member(name: "pathExtension", value: .string(asset.pathExtension)),
            Member(name: "mediaType", value: .string(asset.mediaType)),
        ])
    }

    /// The asset that these fields tell; nil where they tell none.
    package var asset: AssetReference? {
        guard case .structure(let members) = self,
            members.map(\.name) == StoredType.assetFields.map(\.name),
            case .string(let text) = members[0].value,
            let digest = AssetDigest(hexadecimal: text),
            case .unsigned(let byteCount) = members[1].value,
            case .string(let pathExtension) = members[2].value,
            case .string(let mediaType) = members[3].value
        else { return nil }
        return AssetReference(
            digest: digest, byteCount: byteCount, pathExtension: pathExtension,
            mediaType: mediaType)
    }
}
