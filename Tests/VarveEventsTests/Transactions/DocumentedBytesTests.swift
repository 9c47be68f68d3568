import Foundation
import Testing
import VarveEvents
import VarveTestSupport

/// The examples of Docs/EVENTS.md, made by the code and looked up in the page.
@Suite("The examples of Docs/EVENTS.md")
struct DocumentedBytesTests {
    private static let page: String = {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appending(path: "Docs/EVENTS.md")
        return (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    }()

    /// All hexadecimal of the page in one line, comments left out.
    private static let hex: String =
        page.split(separator: "\n")
        .filter { $0.hasPrefix("    ") }
        .map { line in
            (line.split(separator: ";", omittingEmptySubsequences: false).first ?? "")
                .split(separator: " ").joined(separator: " ")
        }
        .joined(separator: " ")

    private func expect(
        _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = Hex.text(bytes)
        #expect(
            Self.hex.contains(text), "\(text) is in Docs/EVENTS.md",
            sourceLocation: sourceLocation)
    }

    @Test("The definition of a type")
    func definition() throws {
        expect(try encoded(SampleLog.users))
        expect(
            try encoded(
                TypeDefinition(
                    number: TypeNumber(2), name: "Note", idType: .int64,
                    fields: [
                        FieldDefinition(
                            number: FieldNumber(1), name: "text", type: .string, rung: .storable)
                    ], relations: [], numbersIDs: true)))
    }

    @Test("A transaction that inserts two users and links them")
    func insertion() throws {
        var log = SampleLog()
        try log.transaction(.schema) { try $0.define(SampleLog.users) }
        try log.transaction { encoder in
            let ann = encoder.user("ann")
            let bob = encoder.user("bob")
            encoder.insert(ann, ordinal: Ordinal(1), row: try SampleLog.row("Ann", 30))
            encoder.insert(bob, ordinal: Ordinal(2), row: try SampleLog.row("Bob", nil))
            encoder.link(
                bob, relation: RelationNumber(2), oldCount: 0, removals: [],
                insertions: [ListChange(position: 0, entity: ann)])
        }
        expect(log.transactions[1])
    }

    @Test("A transaction that changes one field, and one that deletes")
    func changeAndDeletion() throws {
        var encoder = TransactionEncoder()
        let header = TransactionHeader(
            id: 3, time: Timestamp(microseconds: 3_000), label: "Rename user", author: "ann")
        var changes = FieldChanges()
        try _FieldCodec.change(0, "name", "Ann", "Anna", into: &changes)
        encoder.begin(id: header.id, time: header.time)
        encoder.update(
            encoder.user("ann"), previous: SampleLog.version(2), changes: changes,
            fields: SampleLog.users.fields)
        var writer = ByteWriter()
        encoder.finish(header, into: &writer)
        expect(writer.copyBytes())
        writer.removeAll()
        let deletion = TransactionHeader(id: 4, time: Timestamp(microseconds: 4_000))
        encoder.begin(id: deletion.id, time: deletion.time)
        let bob = encoder.user("bob")
        encoder.link(
            bob, relation: RelationNumber(2), oldCount: 1,
            removals: [ListChange(position: 0, entity: encoder.user("ann"))], insertions: [])
        encoder.delete(
            bob, ordinal: Ordinal(2), previous: SampleLog.version(2),
            row: try SampleLog.row("Bob", nil),
            lists: [(RelationNumber(2), [encoder.user("ann")])])
        encoder.finish(deletion, into: &writer)
        expect(writer.copyBytes())
    }

    @Test("A transaction whose saves are not in insertion order")
    func saveOrder() throws {
        var encoder = TransactionEncoder()
        let header = TransactionHeader(id: 3, time: Timestamp(microseconds: 3_000))
        encoder.begin(id: header.id, time: header.time)
        let (bob, ann) = (encoder.user("bob"), encoder.user("ann"))
        var changes = FieldChanges()
        try _FieldCodec.change(1, "age", Int?.none, 31, into: &changes)
        encoder.update(
            bob, previous: SampleLog.version(2), changes: changes, fields: SampleLog.users.fields)
        changes.removeAll()
        try _FieldCodec.change(0, "name", "Ann", "Anna", into: &changes)
        encoder.update(
            ann, previous: SampleLog.version(2), changes: changes, fields: SampleLog.users.fields)
        encoder.saveOrders([EntitySaveOrder(entity: ann, now: 1, before: 0)])
        var writer = ByteWriter()
        encoder.finish(header, into: &writer)
        expect(writer.copyBytes())
    }
}
