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
