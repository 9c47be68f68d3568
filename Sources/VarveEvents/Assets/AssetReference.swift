/// What the log says of an asset: which content it is, and what kind of content.
package struct AssetReference: Hashable, Sendable {
    package let digest: AssetDigest
    package let byteCount: UInt64
    /// Without a period; empty where there is none.
    package let pathExtension: String
    /// As in "image/jpeg".
    package let mediaType: String

    package init(
        digest: AssetDigest, byteCount: UInt64, pathExtension: String, mediaType: String
    ) {
        self.digest = digest
        self.byteCount = byteCount
        self.pathExtension = pathExtension
        self.mediaType = mediaType
    }

    /// No content at all: what rows of the past show that have no value of their own. Nothing has this digest.
    static let noContent: AssetReference = {
        let digest = [UInt8](repeating: 0, count: AssetDigest.byteCount)
            .withUnsafeBytes { AssetDigest(bytes: $0) }
        guard let digest else { preconditionFailure("a digest has \(AssetDigest.byteCount) bytes") }
        return AssetReference(digest: digest, byteCount: 0, pathExtension: "", mediaType: "")
    }()

    var bytes: [UInt8] {
        var writer = ByteWriter()
        store(into: &writer)
        return writer.copyBytes()
    }

    // By bytes, as stored values compare; `==` of texts takes other Unicode forms for the same.
    package static func == (first: AssetReference, second: AssetReference) -> Bool {
        first.digest == second.digest && first.byteCount == second.byteCount
            && String.sameBytes(first.pathExtension, second.pathExtension)
            && String.sameBytes(first.mediaType, second.mediaType)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    package func store(into writer: inout ByteWriter) {
        writer.write(digest.bytes)
        writer.writeVarint(byteCount)
        writer.writeText(pathExtension)
        writer.writeText(mediaType)
    }

    package static func load(from reader: inout ByteReader) throws(CodecError) -> AssetReference {
        let offset = reader.position
        guard let digest = AssetDigest(bytes: try reader.readBytes(AssetDigest.byteCount)) else {
            throw .invalidValue(offset: offset, typeName: "Asset")
        }
        return AssetReference(
            digest: digest, byteCount: try reader.readVarint(),
            pathExtension: try reader.readText(), mediaType: try reader.readText())
    }

    /// Passes over the bytes of one.
    static func skip(_ reader: inout ByteReader) throws(CodecError) {
        try reader.skip(AssetDigest.byteCount)
        _ = try reader.readVarint()
        try reader.skip(try reader.readLength())
        try reader.skip(try reader.readLength())
    }
}
