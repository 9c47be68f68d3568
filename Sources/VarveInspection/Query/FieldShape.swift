internal import VarveTables

/// What must be known of a field to pass over its values in the rows of a batch.
struct FieldShape: BitwiseCopyable {
    enum Form {
        case fixed, varint, lengthPrefixed
    }

    let form: Form
    /// Of a fixed one, in bytes.
    let width: Int
    let isOptional: Bool

    /// Nil of a type whose values are of several parts: rows are then read one by one.
    init?(_ type: StoredType) {
        switch type {
        case .optional(let wrapped):
            guard let shape = FieldShape(wrapped), !shape.isOptional else { return nil }
            self.init(shape.form, width: shape.width, isOptional: true)
        case .raw(_, let raw): self.init(raw)
        case .bool, .int8, .uint8: self.init(.fixed, width: 1)
        case .float: self.init(.fixed, width: 4)
        case .double, .date: self.init(.fixed, width: 8)
        case .uuid: self.init(.fixed, width: 16)
        case .int16, .int32, .int64, .uint16, .uint32, .uint64: self.init(.varint)
        case .string, .data, .url, .decimal, .text, .json: self.init(.lengthPrefixed)
        case .asset, .array, .set, .dictionary, .structure, .enumeration: return nil
        }
    }

    private init(_ form: Form, width: Int = 0, isOptional: Bool = false) {
        self.form = form
        self.width = width
        self.isOptional = isOptional
    }

    /// Where the value behind one at `start` begins, of a row that ends at `end`; nil where the bytes are no such value.
    @inline(__always)
    func end(of start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> UnsafeRawPointer? {
        var start = start
        if isOptional {
            guard start < end else { return nil }
            let tag = start.load(as: UInt8.self)
            start += 1
            if tag != 1 { return tag == 0 ? start : nil }
        }
        switch form {
        case .fixed: return end - start >= width ? start + width : nil
        case .varint: return RowVarint.read(start, end).map { start + $0.byteCount }
        case .lengthPrefixed:
            guard let length = RowVarint.read(start, end) else { return nil }
            let content = start + length.byteCount
            return length.value <= UInt64(end - content) ? content + Int(length.value) : nil
        }
    }
}

/// An integer as ``ByteReader/readVarint()`` reads it, in one step where eight bytes are left of the row.
struct RowVarint {
    let value: UInt64
    let byteCount: Int

    /// Nil where the bytes are none.
    @inline(__always)
    static func read(_ start: UnsafeRawPointer, _ end: UnsafeRawPointer) -> RowVarint? {
        guard end - start >= 8 else { return readShort(start, end) }
        let word = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
        let stops = ~word & 0x8080_8080_8080_8080
        guard stops != 0 else { return readShort(start, end) }
        let bitCount = UInt64(truncatingIfNeeded: stops.trailingZeroBitCount &+ 1)
        let kept = word & (UInt64.max &>> (64 &- bitCount))
        // The last group is zero in no integer but 0.
        guard bitCount == 8 || kept &>> (bitCount &- 8) != 0 else { return nil }
        let groups = kept & 0x7F7F_7F7F_7F7F_7F7F
        let pairs = groups & 0x007F_007F_007F_007F | (groups & 0x7F00_7F00_7F00_7F00) &>> 1
        let fours = pairs & 0x0000_3FFF_0000_3FFF | (pairs & 0x3FFF_0000_3FFF_0000) &>> 2
        return RowVarint(
            value: fours & 0x0000_0000_0FFF_FFFF | (fours & 0x0FFF_FFFF_0000_0000) &>> 4,
            byteCount: Int(truncatingIfNeeded: bitCount &>> 3))
    }

    @inline(never)
    private static func readShort(
        _ start: UnsafeRawPointer, _ end: UnsafeRawPointer
    ) -> RowVarint? {
        var reader = ByteReader(UnsafeRawBufferPointer(start: start, count: end - start))
        guard let value = try? reader.readVarint() else { return nil }
        return RowVarint(value: value, byteCount: reader.position)
    }

    var signed: Int64 {
        Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
    }
}
