/// The value that a member of a structure has where an earlier definition of the structure lacks it.
///
/// It names no asset: which files a log needs is known from its rows alone. It is never nil, which such a member has
/// anyway.
package final class MemberFill: Sendable {
    /// A log cannot make large rows of many small values.
    static let byteLimit = 1_024

    package let bytes: [UInt8]
    /// Read once: a value may lack the member a million times.
    let content: StoredContent

    /// Throws unless the bytes are one value of the type, and one that a fill may be. Offsets count from `start`.
    init(_ bytes: [UInt8], of type: StoredType, at start: Int = 0) throws(CodecError) {
        guard bytes.count <= Self.byteLimit else {
            throw .lengthOutOfRange(
                offset: start, length: UInt64(bytes.count), available: Self.byteLimit)
        }
        let content: StoredContent
        do throws(CodecError) {
            content = try StoredValue(type, bytes: bytes).content
        } catch {
            throw .invalidValue(offset: start + (error.offset ?? 0), typeName: "\(type)")
        }
        if case .optional(nil) = content {
            throw .invalidValue(offset: start, typeName: "\(type) that is not nil")
        }
        guard !type.namesAssets(bytes) else {
            throw .invalidValue(offset: start, typeName: "\(type) without an asset")
        }
        self.bytes = bytes
        self.content = content
    }

    /// What a declaration gives a member; nil where a fill cannot be that.
    static func declared(_ bytes: [UInt8], of type: StoredType) -> MemberFill? {
        precondition(
            (try? StoredValue(type, bytes: bytes)) != nil,
            "The default value of a member must be stored as exactly one value of its type, \(type)"
        )
        return try? MemberFill(bytes, of: type)
    }
}

extension StoredType {
    fileprivate func namesAssets(_ value: [UInt8]) -> Bool {
        guard holdsAssets else { return false }
        var namesAny = false
        try? value.withReader { reader throws(CodecError) in
            try forEachAsset(from: &reader) { _ in namesAny = true }
        }
        return namesAny
    }
}
