import Testing
import VarveEvents
import VarveTestSupport

@Suite("Writers and readers of bytes")
struct WriterTests {
    @Test("What a writer wrote is what a reader reads, across many growths")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 7)
        var writer = ByteWriter(capacity: 1)
        let numbers = (0..<2_000).map { _ in generator.next() >> (generator.next() % 64) }
        for number in numbers {
            writer.writeVarint(number)
            writer.writeSigned(Int64(bitPattern: number))
            writer.write(littleEndian: UInt32(truncatingIfNeeded: number))
        }
        try withBytes(writer.copyBytes()) { bytes in
            var reader = ByteReader(bytes)
            for number in numbers {
                #expect(try reader.readVarint() == number)
                #expect(try reader.readSigned() == Int64(bitPattern: number))
                #expect(
                    try reader.readLittleEndian(UInt32.self)
                        == UInt32(truncatingIfNeeded: number))
            }
            try reader.expectEnd()
        }
    }

    /// The bytes of a number in groups of seven bits, as the format says.
    private static func groups(of number: UInt64) -> [UInt8] {
        var rest = number
        var bytes: [UInt8] = []
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }

    @Test("A number reads the same wherever it stands and whatever is beside it", arguments: 0...12)
    func varintsEverywhere(before: Int) throws {
        var generator = SeededGenerator(seed: UInt64(before) + 1)
        let edges = (0..<64).flatMap { [1 << $0, (1 << $0) - 1, ~0 >> $0] as [UInt64] }
        let numbers = edges + (0..<300).map { _ in generator.next() >> (generator.next() % 64) }
        for number in numbers {
            let groups = Self.groups(of: number)
            for behind in 0...9 {
                let neighbour = UInt8(truncatingIfNeeded: generator.next())
                let bytes =
                    [UInt8](repeating: neighbour, count: before) + groups
                    + [UInt8](repeating: ~neighbour, count: behind)
                try withBytes(bytes) { bytes in
                    var reader = ByteReader(bytes)
                    try reader.skip(before)
                    #expect(try reader.readVarint() == number)
                    #expect(reader.position == before + groups.count)
                }
            }
        }
    }

    @Test("A number that ends too early, or in zeros that it does not need, is refused")
    func varintsThatAreNone() throws {
        for count in 1...9 {
            for before in 0...10 {
                let start = [UInt8](repeating: 7, count: before)
                let groups = [UInt8](repeating: 0x81, count: count)
                let cut = CodecError.truncated(offset: before, needed: count + 1, available: count)
                try refused(start + groups, before, cut)
                for behind in 0...9 {
                    try refused(
                        start + groups + [0] + [UInt8](repeating: 7, count: behind), before,
                        .varintNotCanonical(offset: before))
                }
            }
        }
        for count in 10...11 {
            try refused([UInt8](repeating: 0xFF, count: count), 0, .varintOverflow(offset: 0))
        }
        try refused([UInt8](repeating: 0x80, count: 9) + [2], 0, .varintOverflow(offset: 0))
    }

    private func refused(_ bytes: [UInt8], _ before: Int, _ error: CodecError) throws {
        try withBytes(bytes) { bytes in
            var reader = ByteReader(bytes)
            try reader.skip(before)
            #expect(throws: error) { try reader.readVarint() }
            #expect(reader.position == before)
        }
    }

    @Test("Texts of every length read back, in one byte a letter and in several")
    func texts() throws {
        for count in 0...40 {
            for letter in ["a", "é", "€", "🦕"] {
                let text = String(repeating: letter, count: count) + (count % 3 == 0 ? "z" : "")
                var writer = ByteWriter()
                writer.writeText(text)
                try withBytes(writer.copyBytes()) { bytes in
                    var reader = ByteReader(bytes)
                    #expect(try reader.readText() == text)
                    try reader.expectEnd()
                }
            }
        }
    }

    @Test("Bytes that are not UTF-8 are no text, however few they are", arguments: 1...20)
    func invalidText(count: Int) {
        for position in 0..<count {
            var bytes = [UInt8](repeating: 97, count: count)
            bytes[position] = 0xC0
            withBytes([UInt8(count)] + bytes) { bytes in
                var reader = ByteReader(bytes)
                #expect(throws: CodecError.invalidUTF8(offset: 0)) { try reader.readText() }
            }
        }
    }

    @Test("A reader of no bytes throws and never traps")
    func emptyReader() {
        var reader = ByteReader(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(reader.isAtEnd)
        #expect(throws: CodecError.self) { try reader.readByte() }
        #expect(throws: CodecError.self) { try reader.readVarint() }
        #expect(throws: CodecError.self) { try reader.readText() }
        #expect(throws: CodecError.self) { try reader.skip(1) }
        #expect(throws: CodecError.self) { try reader.readBytes(Int.max) }
        #expect(throws: Never.self) { _ = try reader.readBytes(0) }
    }

    @Test("Removing all keeps a writer usable; truncating cuts the end")
    func reuse() {
        var writer = ByteWriter()
        writer.write([1, 2, 3])
        writer.truncate(to: 1)
        writer.append(9)
        #expect(writer.copyBytes() == [1, 9])
        writer.removeAll()
        #expect(writer.copyBytes() == [])
        writer.write([5][...])
        #expect(writer.copyBytes() == [5])
    }

    @Test("Random bytes never trap a reader", arguments: [UInt64(1), 2, 3])
    func randomBytes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let types: [StoredType] = [
            .string, .int64, .optional(.array(.uint16)), .dictionary(.string, .set(.double)),
            .enumeration("E", [.init("a"), .init("b", [.init("", .data)])]), .decimal, .url,
            .structure("S", [.init("x", .uuid), .init("y", .bool)]), .json("J"),
        ]
        for _ in 0..<3_000 {
            let bytes = generator.bytes(Int(generator.next() % 24), alphabet: 12)
            for type in types {
                guard let value = try? StoredValue(type, bytes: bytes) else { continue }
                #expect(value.bytes == bytes, "seed \(seed)")
                #expect(!value.json.isEmpty)
            }
            _ = try? bytes.withReader { reader throws(CodecError) in
                try StoredType.decode(from: &reader)
            }
        }
    }
}
