package import Foundation

/// How a value becomes the bytes of an asset.
extension Asset {
    /// The media type of content whose kind nothing else tells.
    package static var ownMediaType: String {
        if Content.self == Data.self { return "application/octet-stream" }
        return Content.self == String.self ? "text/plain; charset=utf-8" : "application/json"
    }

    // Both compare the type itself: a value casts to what it wraps, and bytes to an optional of them, which is JSON.

    package static func bytes(of value: Content) throws(CodecError) -> Data {
        if Content.self == Data.self, let data = value as? Data { return data }
        if Content.self == String.self, let text = value as? String { return Data(text.utf8) }
        return try JSONForm.encode(value)
    }

    package static func value(of bytes: Data) throws(CodecError) -> Content {
        if Content.self == Data.self, let data = bytes as? Content { return data }
        guard Content.self == String.self else { return try JSONForm.decode(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) as? Content else {
            throw .invalidUTF8(offset: 0)
        }
        return text
    }
}
