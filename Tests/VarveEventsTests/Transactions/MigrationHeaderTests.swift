import Testing
import VarveTestSupport

@testable import VarveEvents

@Suite("Migrations in a log")
struct MigrationHeaderTests {
    private static let header = TransactionHeader(
        id: 3, time: Timestamp(microseconds: 5), kind: .schema, isUndoable: false,
        migrations: [MigrationID(name: "ab"), MigrationID(name: "c", version: 300)])

    private static func bytes(_ header: TransactionHeader) -> [UInt8] {
        var writer = ByteWriter()
        header.encode(into: &writer)
        return writer.copyBytes()
    }

    private static func decode(_ bytes: [UInt8]) throws(CodecError) -> TransactionHeader {
        try bytes.withReader { reader throws(CodecError) in
            let header = try TransactionHeader.decode(from: &reader)
            try reader.expectEnd()
            return header
        }
    }

    @Test("The flag 40 is followed by a count, and a name and a version for each")
    func header() throws {
        let bytes = Self.bytes(Self.header)
        // id 3, time 5, kind 3, flags; two migrations
        #expect(bytes == [3, 10, 3, 0x40, 2, 2, 0x61, 0x62, 1, 1, 0x63, 0xAC, 2])
        #expect(try Self.decode(bytes) == Self.header)
        #expect("\(Self.header.migrations[1])" == "c (version 300)")
    }

    @Test(
        "A list of none, one that has a migration twice and a version 0 are refused",
        arguments: [
            [3, 10, 3, 0x40, 0], [3, 10, 3, 0x40, 2, 1, 0x61, 1, 1, 0x61, 1],
            [3, 10, 3, 0x40, 1, 1, 0x61, 0], [3, 10, 3, 0x40, 1, 1, 0x61], [3, 10, 3, 0xC0, 0],
        ] as [[UInt8]])
    func refusals(bytes: [UInt8]) {
        #expect(throws: CodecError.self) { try Self.decode(bytes) }
    }

    private static func timeline() -> Timeline {
        var timeline = Timeline()
        timeline.note(header)
        return timeline
    }

    @Test("The page of a checkpoint has each with its transaction")
    func page() throws {
        var writer = ByteWriter()
        Self.timeline().encodeMigrations(into: &writer)
        let bytes = writer.copyBytes()
        #expect(bytes == [2, 0x61, 0x62, 1, 3, 1, 0x63, 0xAC, 2, 3])
        func read(_ bytes: [UInt8], _ count: UInt32, through last: TransactionID) throws -> Timeline
        {
            var timeline = Timeline()
            try bytes.withReader { reader throws(CodecError) in
                try timeline.readMigrations(reader.rest, count: count, through: last)
            }
            return timeline
        }
        #expect(try read(bytes, 2, through: 3).migrations == Self.timeline().migrations)
        #expect(throws: CodecError.self) { try read(bytes, 2, through: 2) }
        #expect(throws: CodecError.self) { try read(bytes, 1, through: 3) }
        #expect(throws: CodecError.self) { try read(bytes, 3, through: 3) }
        // One twice, a version 0, and transactions that are not in their order.
        #expect(throws: CodecError.self) {
            try read([1, 0x61, 1, 3, 1, 0x61, 1, 3], 2, through: 3)
        }
        #expect(throws: CodecError.self) { try read([1, 0x61, 0, 3], 1, through: 3) }
        #expect(throws: CodecError.self) {
            try read([1, 0x61, 1, 3, 1, 0x62, 1, 2], 2, through: 3)
        }
        #expect(try read([1, 0x61, 1, 2, 1, 0x61, 2, 3], 2, through: 3).migrations.count == 2)
    }

    @Test("The page has kind 6, which a reader must understand")
    func kind() {
        #expect(CheckpointPart.Kind.migrations.code == 6)
        #expect(CheckpointPart.Kind(code: 6) == .migrations)
        #expect(!CheckpointPart.Kind.migrations.isIgnorable)
    }

    @Test("Forgetting drops what can be undone, and not which migrations were performed")
    func forgetting() {
        var timeline = Self.timeline()
        timeline.note(
            TransactionHeader(
                id: 4, time: Timestamp(microseconds: 6), metadata: [Timeline.Key.forget: "1"]))
        #expect(timeline.migrations == Self.timeline().migrations)
        #expect(timeline.migration(since: [3])?.transaction == 3)
        #expect(timeline.migration(since: [4]) == nil)
    }
}
