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

    /// A column of so many values, which are read when they are wanted; nil where it has not that many, or wider ones.
    mutating func column(_ count: Int, bytesMax: Int) -> StoredColumn? {
        next(count, bytesMax: bytesMax).map {
            StoredColumn(bytes: $0.bytes, width: $0.ofValue, count: count)
        }
    }

    /// Fills memory with the values of a column.
    mutating func read(_ values: UnsafeMutableBufferPointer<UInt64>, bytesMax: Int) -> Bool {
        guard let column = column(values.count, bytesMax: bytesMax),
            let start = values.baseAddress
        else { return false }
        column.read(into: start)
        return true
    }

    /// The values of a column of single bytes; none where all are zero.
    mutating func readBytes(_ count: Int) -> UnsafeRawBufferPointer? {
        next(count, bytesMax: 1)?.bytes
    }
}

/// A column of a block that was found: the lowest byte of each value, the next byte of each, and so on.
struct StoredColumn {
    let bytes: UnsafeRawBufferPointer
    /// Bytes of a value.
    let width: Int
    let count: Int

    /// Whether all values are zero.
    var isZero: Bool { width == 0 }

    /// Initializes as many values.
    func read(into values: UnsafeMutablePointer<UInt64>) {
        guard width > 0, let start = bytes.baseAddress else {
            return values.initialize(repeating: 0, count: count)
        }
        for index in 0..<count {
            (values + index).initialize(to: UInt64((start + index).load(as: UInt8.self)))
        }
        for byte in 1..<max(1, width) { add(byte, at: start + byte &* count, to: values) }
    }

    /// Adds a byte of each value. Higher bytes are mostly zero: eight of them are looked at together.
    private func add(
        _ byte: Int, at start: UnsafeRawPointer, to values: UnsafeMutablePointer<UInt64>
    ) {
        let shift = UInt64(8 &* byte)
        var index = 0
        while index < count {
            let end = min(index &+ 8, count)
            if end &- index == 8, (start + index).loadUnaligned(as: UInt64.self) == 0 {
                index = end
                continue
            }
            while index < end {
                values[index] |= UInt64((start + index).load(as: UInt8.self)) &<< shift
                index &+= 1
            }
        }
    }

    /// Initializes as many values of so many bytes, which are stored as differences to the one before.
    func readDifferences(into values: UnsafeMutablePointer<UInt64>, bytes: Int) {
        read(into: values)
        let mask = UInt64.max &>> UInt64(64 &- 8 &* bytes)
        var last: UInt64 = 0
        for index in 0..<count {
            last = (last &+ ValueDifference.decode(values[index])) & mask
            values[index] = last
        }
    }
}
