/// A large content that is a file beside the log: an entity holds its digest, size and kind.
///
/// Nothing of the content is loaded with its entity, and a change of it logs some hundred bytes, however large it is.
/// `Asset<Data>` holds bytes, `Asset<String>` a text in UTF-8, and an asset of any other `Codable` type its JSON. An
/// asset is made in a store and read from it; two of equal content share one file.
public struct Asset<Content: Codable & Sendable>: Sendable {
    package let reference: AssetReference
    /// Keeps the file of an asset that no transaction names yet.
    private let hold: AssetHold?

    package init(_ reference: AssetReference, hold: AssetHold? = nil) {
        self.reference = reference
        self.hold = hold
    }

    /// The SHA-256 of the content.
    public var digest: AssetDigest { reference.digest }

    /// How many bytes the content has.
    public var byteCount: Int { Int(clamping: reference.byteCount) }

    /// The extension of a file with this content, without a period; empty where none was given. A store that another
    /// program wrote may say anything here: look at it before it becomes a part of a path.
    public var pathExtension: String { reference.pathExtension }

    /// The kind of the content, as in "image/jpeg". In a store that another program wrote, any text.
    public var mediaType: String { reference.mediaType }
}

/// Keeps the file of an asset as long as it lives.
package final class AssetHold: Sendable {
    private let release: @Sendable () -> Void

    package init(_ release: @escaping @Sendable () -> Void) { self.release = release }

    deinit { release() }
}

/// Equal are assets of equal content, extension and media type.
extension Asset: Hashable {
    public static func == (first: Asset, second: Asset) -> Bool {
        first.reference == second.reference
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}

extension Asset: Storable {
    public static var storedType: StoredType { .asset }

    public func store(into writer: inout ByteWriter) throws(CodecError) {
        reference.store(into: &writer)
    }

    public static func load(from reader: inout ByteReader) throws(CodecError) -> Asset {
        Asset(try AssetReference.load(from: &reader))
    }

    public static func sameBytes(_ first: Asset, _ second: Asset) -> Bool { first == second }
}

/// As digest, size and kind, without the content.
extension Asset: Codable {
    private enum CodingKeys: String, CodingKey {
        case digest, byteCount, pathExtension, mediaType
    }

    /// - Throws: where the asset is inside of a value that a store keeps as JSON. Nothing would know then which files
    ///   are needed: make the type of that value `@Storable`.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.userInfo[JSONForm.isStored] == nil else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "an asset inside of a value that is stored as JSON; make that type @Storable"
                ))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(digest.description, forKey: .digest)
        try container.encode(reference.byteCount, forKey: .byteCount)
        try container.encode(pathExtension, forKey: .pathExtension)
        try container.encode(mediaType, forKey: .mediaType)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .digest)
        guard let digest = AssetDigest(hexadecimal: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: .digest, in: container,
                debugDescription: "a digest has 64 hexadecimal digits")
        }
        self.init(
            AssetReference(
                digest: digest,
                byteCount: try container.decode(UInt64.self, forKey: .byteCount),
                pathExtension: try container.decode(String.self, forKey: .pathExtension),
                mediaType: try container.decode(String.self, forKey: .mediaType)))
    }
}
