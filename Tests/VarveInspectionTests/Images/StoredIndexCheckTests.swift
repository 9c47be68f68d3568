import Foundation
import Testing
import Varve
import VarveEvents
import VarveInspection
import VarveReplay
import VarveTestSupport

@testable import VarveLog
@testable import VarveTables
@testable import VarveTool

@EntityModel("Guest")
private struct Guest {
    @Unique<Self>(\.email, collisions: .throw.ignoringNil) private var byEmail
    @Index<Self>(\.age.desc, \.city) private var byAge
    @HashIndex<Self>(\.city) private var byCity

    let id: String
    var email: String?
    var age: Int
    var city: String
}

/// `varve verify` compares the indexes of checkpoints with the entities.
@Suite("Check of the indexes that checkpoints store")
struct StoredIndexCheckTests {
    private let folder: TestFolder
    private let path: String

    /// A checkpoint with three indexes, and some log behind it.
    init() throws {
        folder = try TestFolder()
        path = folder.file("guests.varve")
        let store = try Self.open(path)
        try store.write { context in
            for number in 0..<400 { try Self.guest(number).save(to: &context) }
        }
        try store.compact()
        try Self.write(1_000, to: store)
        try store.close()
    }

    private static func guest(_ number: Int) -> Guest {
        // One of so many has a text that is longer than a page.
        let city = number % 90 == 0 ? String(repeating: "town ", count: 1_000) : "city"
        return Guest(
            id: "g\(number)", email: number % 9 == 0 ? nil : "e\(number)@example.org",
            age: number * 7 % 50, city: "\(city) \(number % 20)")
    }

    private static func open(_ path: String) throws -> Store {
        try Store(
            at: URL(filePath: path), retention: .everything, compactsAutomatically: false,
            types: [Guest.self])
    }

    private static func write(_ number: Int, to store: Store) throws {
        try store.write { try guest(number).save(to: &$0) }
    }

    private func compactByApp(writing number: Int) throws {
        let store = try Self.open(path)
        try Self.write(number, to: store)
        try store.compact()
        try store.close()
    }

    /// Writes the newest checkpoint again, after a change of the index with the named properties.
    private func forge(
        _ properties: [String],
        _ change: (inout FieldIndex, _ row: StoredRow, RowLayout, PageTransaction) throws -> Void
    ) throws {
        let files = POSIXFileSystem(path)
        let scanned = try ScannedLog.scan(files, mode: .readOnly)
        let file = try scanned.open(try #require(scanned.manifest.checkpoints.first))
        let forged = try file.readState().changed { transaction in
            let table = transaction.tables[0]
            let row = table.rows.entry(Slot(77), in: transaction.transaction.pages)
            let names = Dictionary(
                uniqueKeysWithValues: table.definition.fields.map { ($0.number, $0.name) })
            let position = try #require(
                table.indexes.firstIndex { index in
                    index.declaration.fields.map { names[$0.number] } == properties
                })
            try change(
                &transaction.tables[0].indexes[position].index, row, table.layout,
                transaction.transaction)
        }
        let writer = try CheckpointWriter(file.header, in: files)
        try writer.finish(contentDigest: writer.append(forged, .quick))
        try writer.publish()
    }

    /// Takes the entry of guest 77 from the index by e-mail.
    private func removeEntry() throws {
        try forge(["email"]) { index, row, layout, transaction in
            _ = try index.change(row.slot, from: row.row, to: nil, layout, in: transaction)
        }
    }

    private func expectDamage(
        _ message: String, location: SourceLocation = #_sourceLocation
    ) throws {
        let run = ToolRun("verify", path)
        #expect(run.status == .failure && run.errors.isEmpty, sourceLocation: location)
        try #require(run.lines.count > 1, sourceLocation: location)
        #expect(run.lines[0].hasSuffix(": damaged, 1 problem"), sourceLocation: location)
        #expect(run.lines[1] == "  \(message)", sourceLocation: location)
        let json = try JSONObject(ToolRun("verify", "-j", path).output)
        #expect(json["sound"] == "false" && json["indexes"] == "3", sourceLocation: location)
        #expect(json["problems", 0, "message"] == message, sourceLocation: location)
        #expect(json["problems", 0, "segment"] == "null", sourceLocation: location)
    }

    private func expectSound(indexes: Int, location: SourceLocation = #_sourceLocation) throws {
        let verification = try StoreVerification.verify(at: path)
        #expect(verification.problems == [], sourceLocation: location)
        #expect(verification.indexes == indexes, sourceLocation: location)
        #expect(verification.staleIndexes == 0, sourceLocation: location)
    }

    private static let advice =
        "; run 'varve compact --smallest', which drops the stored indexes; "
        + "the app's next compaction makes them again"

    @Test("Sound ones are counted")
    func sound() throws {
        try expectSound(indexes: 3)
        let run = ToolRun("verify", path)
        #expect(run.status == .success)
        #expect(run.lines[0].hasSuffix(": sound"))
        #expect(run.lines.last?.contains("1 checkpoint, 3 indexes, ") == true)
        try compactByApp(writing: 2_000)
        // Of two checkpoints.
        try expectSound(indexes: 6)
    }

    @Test("An entry that is missing is damage, and what the error says mends it")
    func missing() throws {
        try removeEntry()
        try expectDamage(
            "checkpoint-0000000001: the index of 'Guest' by 'email' has no entry for \"g77\""
                + Self.advice)
        let difference = try StoreVerification.verify(at: path).problems.first
        guard case .index(let found)? = difference else {
            Issue.record("\(String(describing: difference))")
            return
        }
        #expect(found.checkpoint == "checkpoint-0000000001" && found.type == "Guest")
        #expect(found.properties == ["email"] && found.kind == .missing)
        #expect(found.id == "\"g77\"" && found.slot == 77)
        try #require(ToolRun("compact", "--smallest", path).status == .success)
        try expectSound(indexes: 0)
        try compactByApp(writing: 2_000)
        try expectSound(indexes: 3)
        let store = try Self.open(path)
        #expect(throws: (any Error).self) {
            var other = Self.guest(3_000)
            other.email = Self.guest(77).email
            try store.write { [other] in try other.save(to: &$0) }
        }
        try store.close()
    }

    @Test("Backups, and compactions for safety by the app or not, keep an index as it is")
    func kept() throws {
        try removeEntry()
        let copy = folder.file("backup.varve")
        try #require(ToolRun("backup", path, copy).status == .success)
        #expect(try StoreVerification.verify(at: copy).problems.count == 1)
        _ = try StoreCompaction.compact(at: path, retaining: .everything)
        #expect(try StoreVerification.verify(at: path).problems.count == 2)
        try compactByApp(writing: 2_000)
        #expect(try StoreVerification.verify(at: path).problems.count == 2)
    }

    @Test("A salvage keeps an index of the checkpoint that it begins with, and makes none of a log")
    func salvaged() throws {
        try removeEntry()
        let copies = (folder.file("whole.varve"), folder.file("cut.varve"))
        _ = ToolRun("salvage", path, "--to", copies.0)
        let whole = try StoreVerification.verify(at: copies.0)
        #expect(whole.problems == [] && whole.indexes == 0)
        _ = try StoreCompaction.compact(at: path, retaining: .newestState)
        _ = ToolRun("salvage", path, "--to", copies.1)
        let cut = try StoreVerification.verify(at: copies.1)
        #expect(!cut.problems.isEmpty && cut.indexes > 0)
    }

    @Test("A replay that meets the entry that is missing begins with other files")
    func replayed() throws {
        try removeEntry()
        var store = try Self.open(path)
        #expect(store.recovery.checkpointProblems.isEmpty)
        try store.write { context in
            var guest = Self.guest(77)
            guest.email = "other@example.org"
            try guest.save(to: &context)
        }
        try store.close()
        store = try Self.open(path)
        #expect(store.recovery.checkpointProblems.map(\.file) == ["checkpoint-0000000001"])
        #expect((store.context.find("g77") as Guest?)?.email == "other@example.org")
        try store.close()
    }

    @Test("An entry that no entity has is named")
    func superfluous() throws {
        try forge(["age", "city"]) { index, row, layout, transaction in
            _ = try index.change(Slot(5_000), from: nil, to: row.row, layout, in: transaction)
        }
        try expectDamage(
            "checkpoint-0000000001: the index of 'Guest' by 'age.desc', 'city' has an entry too many, "
                + "for row 5000, which does not exist" + Self.advice)
    }

    @Test("An entry under another key is named")
    func otherKey() throws {
        try forge(["city"]) { index, row, layout, transaction in
            var changed = [UInt8](row.row)
            // The last letter of the city, which is the row's last field.
            changed[changed.count - 1] ^= 1
            _ = try changed.withUnsafeBytes {
                try index.change(row.slot, from: row.row, to: $0, layout, in: transaction)
            }
        }
        try expectDamage(
            "checkpoint-0000000001: the index of 'Guest' by 'city' has the entry of \"g77\" "
                + "under another key than its values make" + Self.advice)
    }
}
