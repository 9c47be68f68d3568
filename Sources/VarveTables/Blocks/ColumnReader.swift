/// Reads columns one behind the other.
struct ColumnReader {
    private let content: UnsafeRawBufferPointer
    private var position = 0

    init(_ content: UnsafeRawBufferPointer) { self.content = content }

    var isAtEnd: Bool { position == content.count }

    /// The bytes of a column of so many values; nil where it has not that many, or wider values.
    private mutating func next(
        _ count: Int, bytesMax: Int
    ) -> (bytes: UnsafeRawBufferPointer, ofValue: Int)? {
        guard position < content.count else { return nil }
        let width = Int(content[position])
        position += 1
        guard width <= bytesMax, width * count <= content.count - position else { return nil }
        defer { position += width * count }
        return (
            UnsafeRawBufferPointer(rebasing: content[position..<position + width * count]), width
        )
    }

    /// Fills memory with the values of a column.
    mutating func read(_ values: UnsafeMutableBufferPointer<UInt64>, bytesMax: Int) -> Bool {
        guard let (bytes, width) = next(values.count, bytesMax: bytesMax) else { return false }
        values.initialize(repeating: 0)
        for byte in 0..<width {
            let (start, shift) = (byte &* values.count, UInt64(8 &* byte))
            for index in 0..<values.count {
                values[index] |= UInt64(bytes[start &+ index]) &<< shift
            }
        }
        return true
    }

    /// The values of a column of single bytes; none where all are zero.
    mutating func readBytes(_ count: Int) -> UnsafeRawBufferPointer? {
        next(count, bytesMax: 1)?.bytes
    }
}
