/// A property that says something about its type and holds no value: it is never written when its
/// owner is encoded, and never missed when it is decoded.
public protocol OmitableFromCoding: Codable, Hashable, Sendable {
    /// The one value of the type.
    init()
}

extension OmitableFromCoding {
    /// Reads nothing.
    @inlinable
    public init(from decoder: any Decoder) throws { self.init() }

    /// Writes nothing.
    @inlinable
    public func encode(to encoder: any Encoder) throws {}
}

// Generated Codable conformances call these in place of the standard library's, which would look
// for the key, or write it.

extension KeyedDecodingContainer {
    /// Returns the one value of the type, whether the key is there or not.
    @inlinable
    public func decode<Value: OmitableFromCoding>(
        _ type: Value.Type, forKey key: Key
    ) throws -> Value { Value() }
}

extension KeyedEncodingContainer {
    /// Writes nothing under the key.
    @inlinable
    public mutating func encode<Value: OmitableFromCoding>(
        _ value: Value, forKey key: Key
    ) throws {}
}
