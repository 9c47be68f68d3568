package import VarveEvents

extension FieldIndex {
    /// Keys of one part of an index: from the first one, up to but not including the last, or to the end.
    private struct KeyRange {
        let first: [UInt8]
        let end: [UInt8]?
    }

    /// Calls `body` with the slots of all rows within bounds, in the order of the index or against it, until it returns
    /// false. Keys may be inexact: there may be others among them.
    ///
    /// - Parameter body: is handed whether the key is another one than that before.
    /// - Throws: ``CodecError`` where a value is none of its field's type.
    package func forEach(
        in bounds: FieldBounds, isReversed: Bool, in pages: PageTable,
        while body: (_ slot: Slot, _ isNewKey: Bool) -> Bool
    ) throws(CodecError) {
        let range = try keyRange(of: bounds)
        range.first.withUnsafeBytes { first in
            (range.end ?? []).withUnsafeBytes { end in
                forEach(
                    from: first, to: range.end == nil ? nil : end, isReversed: isReversed,
                    in: pages, while: body)
            }
        }
    }

    private func keyRange(of bounds: FieldBounds) throws(CodecError) -> KeyRange {
        var prefix = ByteWriter()
        for (position, value) in bounds.equal.enumerated() {
            try writeKey(of: value, ofPart: position, into: &prefix)
        }
        let start = prefix.copyBytes()
        guard bounds.lower != nil || bounds.upper != nil else {
            return KeyRange(first: start, end: Self.successor(of: start))
        }
        let position = bounds.equal.count
        let isDescending = isDescending(part: position)
        let (low, high) =
            isDescending ? (bounds.upper, bounds.lower) : (bounds.lower, bounds.upper)
        func key(_ value: [UInt8]?) throws(CodecError) -> [UInt8] {
            guard let value else { return start }
            var key = ByteWriter()
            start.withUnsafeBytes { key.write($0) }
            try writeKey(of: value, ofPart: position, into: &key)
            return key.copyBytes()
        }
        return KeyRange(first: try key(low), end: Self.successor(of: try key(high)))
    }

    /// The least key above all that begin with some bytes; nil where there is none.
    private static func successor(of bytes: [UInt8]) -> [UInt8]? {
        guard let last = bytes.lastIndex(where: { $0 != .max }) else { return nil }
        var successor = Array(bytes[...last])
        successor[last] += 1
        return successor
    }
}
