/// Decides at run time which rung a type takes.
///
/// The decision looks at the type alone, never at what a call site can see of it, so that generic
/// code and modules that do not see a retroactive conformance store a type the same way.
enum Ladder {
    static func codec<Value>(for type: Value.Type, isID: Bool) -> RungCodec<Value> {
        LadderCache.codec(for: type, isID: isID) { makeCodec(for: type, isID: isID) }
    }

    private static func makeCodec<Value>(for type: Value.Type, isID: Bool) -> RungCodec<Value> {
        if let storable = type as? any Storable.Type {
            return adopt(storableCodec(storable))
        }
        if let raw = type as? any RawRepresentable.Type, let codec = rawCodec(raw) {
            return adopt(codec)
        }
        if isID, let text = type as? any LosslessStringConvertible.Type {
            return adopt(losslessStringCodec(text))
        }
        if let container = type as? any LadderContainer.Type {
            guard let codec = container.containerCodec(isID: isID) else { return RungCodec() }
            return adopt(codec)
        }
        if let codable = type as? any Codable.Type {
            return adopt(jsonCodec(codable))
        }
        return RungCodec()
    }

    // The opened type is the one that was asked for, under another static name. The bit cast is
    // of a reference to an object of exactly this class, which the debug check confirms.
    private static func adopt<Value>(_ codec: AnyObject) -> RungCodec<Value> {
        unsafeDowncast(codec, to: RungCodec<Value>.self)
    }

    private static func storableCodec<Value: Storable>(_ type: Value.Type) -> AnyObject {
        StorableRung<Value>()
    }

    private static func rawCodec<Value: RawRepresentable>(_ type: Value.Type) -> AnyObject? {
        guard let raw = Value.RawValue.self as? any Storable.Type else { return nil }
        func codec<Raw: Storable>(_ raw: Raw.Type) -> AnyObject { RawValueRung<Value, Raw>() }
        return codec(raw)
    }

    private static func losslessStringCodec<Value: LosslessStringConvertible>(
        _ type: Value.Type
    ) -> AnyObject {
        LosslessStringRung<Value>()
    }

    private static func jsonCodec<Value: Codable>(_ type: Value.Type) -> AnyObject {
        JSONRung<Value>()
    }

    /// Whether the two values are the same bits in memory. Then they encode to the same bytes:
    /// encoding is a function of the value, and equal references lead to the same objects. The
    /// opposite need not hold.
    static func sameBits<Value>(_ first: Value, _ second: Value) -> Bool {
        withUnsafeBytes(of: first) { left in
            withUnsafeBytes(of: second) { right in left.hasSameBytes(as: right) }
        }
    }
}
