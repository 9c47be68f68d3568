package import VarveEvents

/// Values that an index is searched for: of its first fields, and limits of the next one. Each is the bytes that a row has
/// for it.
package struct FieldBounds: Sendable {
    package let equal: [[UInt8]]
    /// Limits of the value, whatever the direction of the index. What is equal to one lies within.
    package let lower: [UInt8]?
    package let upper: [UInt8]?

    package init(equal: [[UInt8]], lower: [UInt8]? = nil, upper: [UInt8]? = nil) {
        self.equal = equal
        self.lower = lower
        self.upper = upper
    }
}

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
                let end = range.end == nil ? nil : end
                var cursor =
                    isReversed
                    ? tree.cursor(before: end, in: pages) : tree.cursor(from: first, in: pages)
                var former: UnsafeRawBufferPointer?
                while let entry = cursor.nextKey() {
                    let isWithin =
                        isReversed
                        ? !entry.precedes(first) : end.map { entry.precedes($0) } ?? true
                    guard isWithin else { return }
                    if let former, isReversed ? former.precedes(entry) : entry.precedes(former) {
                        // Of a forged image: keys out of order hide others.
                        return pages.noteContradiction()
                    }
                    let key = Self.key(of: entry)
                    let isNewKey = former.map { !Self.key(of: $0).hasSameBytes(as: key) } ?? true
                    former = entry
                    guard body(Self.slot(of: entry), isNewKey) else { return }
                }
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
