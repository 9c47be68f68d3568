import Foundation
import Testing
import VarveEvents
import VarveTables
import VarveTestSupport

@Suite("Splices of long texts")
struct SpliceTests {
    private static func definition(_ type: StoredType) -> TypeDefinition {
        TypeDefinition(
            number: TypeNumber(1), name: "Note", idType: .string,
            fields: [
                FieldDefinition(
                    number: FieldNumber(1), name: "text", type: type, rung: .storable),
                FieldDefinition(
                    number: FieldNumber(2), name: "count", type: .int64, rung: .storable),
            ], relations: [])
    }

    /// Replays an insert of `old` and its update to `new`; gives the update's size and whether it
    /// was a splice.
    private func update<Value: Storable>(
        _ old: Value, _ new: Value
    ) throws -> (size: Int, isSplice: Bool) {
        let definition = Self.definition(Value.storedType)
        var log = SampleLog()
        try log.transaction(.schema) { try $0.define(definition) }
        try log.transaction { encoder in
            encoder.insert(
                encoder.user("n"), ordinal: Ordinal(1),
                row: try old.storedBytes() + (try 7.storedBytes()))
        }
        var changes = FieldChanges()
        try _FieldCodec.change(0, "text", old, new, into: &changes)
        log.transaction { encoder in
            encoder.update(
                encoder.user("n"), previous: SampleLog.version(2), changes: changes,
                fields: definition.fields)
        }
        let state = try log.state()
        guard var reader = state.reader(of: TypeNumber(1)) else { return (0, false) }
        let row = try reader.read(Slot(0)) { [UInt8]($0.row) }
        #expect(row == (try new.storedBytes()) + (try 7.storedBytes()))
        let bytes = log.transactions[2]
        return try bytes.withUnsafeBytes { bytes in
            var events = try TransactionView(bytes).events
            guard case .update(let event) = try events.next() else { return (0, false) }
            for (_, change) in event.changes {
                guard case .splice(let splice) = change else { continue }
                var back = ByteWriter()
                let isOld = withBytes(try new.storedBytes()) {
                    splice.apply(.toOld, to: $0, into: &back)
                }
                #expect(isOld)
                #expect(back.copyBytes() == (try old.storedBytes()))
                let isWrong = withBytes(try old.storedBytes() + [1]) {
                    splice.apply(to: $0, into: &back)
                }
                #expect(!isWrong)
                return (bytes.count, true)
            }
            return (bytes.count, false)
        }
    }

    @Test("One keystroke in a long text costs its surroundings, not its length")
    func keystroke() throws {
        let text = String(repeating: "All work and no play. ", count: 1_000)
        let middle = text.index(text.startIndex, offsetBy: 9_999)
        var edited = text
        edited.insert("é", at: middle)
        for (old, new) in [(text, edited), (edited, text), (text, text + "x"), (text, "x" + text)] {
            let (size, isSplice) = try update(old, new)
            #expect(isSplice)
            #expect(size < 60)
        }
    }

    @Test("Prefix and suffix of a text that repeats itself do not overlap")
    func repetition() throws {
        let text = String(repeating: "a", count: 2_000)
        #expect(try update(text, text + "a").isSplice)
        #expect(try update(text + "a", text).isSplice)
    }

    @Test("Optional texts, data and raw values are spliced too; others and short ones are not")
    func types() throws {
        let long = String(repeating: "0123456789", count: 200)
        #expect(try update(Optional(long), Optional(long + "!")).isSplice)
        #expect(try update(Data(long.utf8), Data((long + "!").utf8)).isSplice)
        #expect(try !update(Optional(long), nil).isSplice)
        #expect(try !update([long], [long + "!"]).isSplice)
        #expect(try !update("short", "shorter").isSplice)
        let unlike = String(repeating: "abcdefghij", count: 200)
        #expect(try !update(long, unlike).isSplice)
    }

    @Test("Random edits of long texts replay to the new text", arguments: [UInt64(11), 12, 13])
    func randomEdits(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let old = Data(generator.bytes(900 + Int(generator.next() % 400), alphabet: 1))
            var new = old
            let start = Int(generator.next() % UInt64(old.count))
            let end = min(old.count, start + Int(generator.next() % 300))
            new.replaceSubrange(start..<end, with: generator.bytes(Int(generator.next() % 300)))
            guard new != old else { continue }
            _ = try update(old, new)
        }
    }
}
