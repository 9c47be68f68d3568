import Foundation
import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Changing what this test pins changes the files on users' disks.
@Suite("The example of an image")
struct ImageExampleTests {
    private static let note = TypeDefinition(
        number: TypeNumber(1), name: "Note", idType: .int64,
        fields: [
            FieldDefinition(number: FieldNumber(1), name: "text", type: .string, rung: .storable)
        ], relations: [])

    private static func transaction(
        _ id: UInt64, _ body: (inout TransactionEncoder) throws -> Void
    ) throws -> [UInt8] {
        var encoder = TransactionEncoder()
        let header = TransactionHeader(
            id: TransactionID(id), time: Timestamp(microseconds: 1_000 * Int64(id)),
            kind: id == 1 ? .schema : .write)
        encoder.begin(id: header.id, time: header.time)
        try body(&encoder)
        var writer = ByteWriter()
        encoder.finish(header, into: &writer)
        return writer.copyBytes()
    }

    private static func state() throws -> State {
        let transaction = StateTransaction(State())
        func apply(_ bytes: [UInt8]) throws {
            try bytes.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
        }
        try apply(Self.transaction(1) { try $0.define(note) })
        // The key of a process is random.
        transaction.tables[0].ids = IDMap(
            root: .none, key: KeyedHash.Key(first: 1, second: 3, third: 5))
        try apply(
            Self.transaction(2) { encoder in
                let entity = encoder.entity(TypeNumber(1), bytes: ByteWriter.signed(7))
                var row = ByteWriter()
                row.writeText("Hi")
                encoder.insert(entity, ordinal: Ordinal(1), row: row.copyBytes())
            })
        return transaction.publish()
    }

    @Test("Docs/EVENTS.md shows the bytes that are written, and they are read")
    func bytes() throws {
        let (bytes, image, _) = try Self.state().image()
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Docs/EVENTS.md"), encoding: .utf8)
        let end = Int(image.root.directory.endOffset)
        for range in [0..<end, end..<bytes.count] {
            let dump = Self.hexadecimal(bytes[range])
            #expect(page.contains(dump), "now:\n\(dump)")
        }
        let opened = try State.open(MemorySource(bytes)).state
        let id = ByteWriter.signed(7)
        let row = try opened.reading {
            id.withUnsafeBytes { id in
                opened.entry(of: TypeNumber(1), id: id).map { [UInt8]($0.row) }
            }
        }
        #expect(row == [2, 0x48, 0x69])
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: 16).map { start in
            let line = bytes[start..<min(start + 16, bytes.endIndex)].map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            let offset = String(start)
            return String(repeating: " ", count: 4 - offset.count) + offset + "  "
                + line.joined(separator: " ")
        }.joined(separator: "\n")
    }
}

extension ByteWriter {
    fileprivate static func signed(_ value: Int64) -> [UInt8] {
        var writer = ByteWriter()
        writer.writeSigned(value)
        return writer.copyBytes()
    }
}
