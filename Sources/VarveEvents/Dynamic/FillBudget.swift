/// How many bytes the fills may have that one value takes when it is converted.
///
/// A list of many short values, each of which takes a long fill, would need a thousand times its own memory.
///
/// `@unchecked Sendable`: a conversion makes its own, and belongs to one thread. A JSON decoder carries only what is
/// sendable.
final class FillBudget: @unchecked Sendable {
    static let byteLimit = 256 << 20

    private let source: StoredType
    private let target: StoredType
    private var remaining = byteLimit

    init(_ source: StoredType, _ target: StoredType) {
        self.source = source
        self.target = target
    }

    /// The value of a member that the source lacks.
    func value(of fill: MemberFill) throws(CodecError) -> StoredContent {
        // A value without bytes takes memory as well.
        remaining -= max(fill.bytes.count, 1)
        guard remaining >= 0 else {
            throw .notTranscodable(
                from: source, to: target,
                reason: "the members that it lacks would take more than \(Self.byteLimit) bytes")
        }
        return fill.content
    }
}
