import Foundation
import Testing
import VarveInspection
import VarveTerminal

@testable import VarveTool

@Suite("Browsing a store that changes or is damaged")
struct BrowseLivingTests {
    private func write(_ label: String, to store: SampleStore) throws {
        try store.transaction(label) { encoder in
            guard store.last == 1 else { return }
            for definition in store.definitions { try encoder.define(definition) }
        }
    }

    private func store(_ count: Int) throws -> SampleStore {
        let store = try SampleStore(segmentBytesMax: 4_000)
        for number in 1...count { try write("number \(number)", to: store) }
        try store.flush()
        return store
    }

    @Test(
        "New transactions appear; at the newest one the newest is looked at, elsewhere the place is kept"
    )
    func following() throws {
        let store = try store(60)
        var run = try BrowseRun(store.path)
        #expect(run.rows[23].hasSuffix("following"))
        try write("number 61", to: store)
        try store.flush()
        run.poll()
        #expect(run.selected.contains("number 61"))

        // In the first rows: they move down, and the selection with its transaction.
        run.press(.down, .down)
        try write("number 62", to: store)
        try store.flush()
        run.poll()
        #expect(run.rows[2].contains("number 62"))
        #expect(run.selected.contains("number 59"))

        // Further down: nothing on the screen moves but the count.
        for _ in 0..<30 { run.press(.down) }
        let before = run.rows
        for number in 63...90 { try write("number \(number)", to: store) }
        try store.flush()
        run.poll()
        #expect(run.rows.dropFirst() == before.dropFirst())
        #expect(run.rows[0].hasSuffix("transaction 29 of 90"))
    }

    @Test("An open state says how much is newer, and R reads it")
    func newerStates() throws {
        let store = try store(3)
        var run = try BrowseRun(store.path)
        run.press(.character("t"))
        #expect(run.rows[0].contains("as of 3 "))
        try store.transaction("users") { encoder in
            encoder.insert(encoder.user("zoe"), 1, try SampleStore.user("Zoe"))
        }
        try store.flush()
        run.poll()
        #expect(run.rows[0].contains("as of 3, 1 newer"))
        #expect(run.selected.split(separator: " ")[1] == "0")
        run.press(.character("R"))
        #expect(run.rows[0].contains("as of 4 "))
        #expect(run.selected.split(separator: " ")[1] == "1")
    }

    @Test("An entity of a new transaction is looked at in a state that knows of it")
    func newEntity() throws {
        let store = try store(3)
        var run = try BrowseRun(store.path)
        run.press(.character("t"), .escape)
        try store.transaction("users") { encoder in
            encoder.insert(encoder.user("zoe"), 1, try SampleStore.user("Zoe"))
        }
        try store.flush()
        run.poll()
        run.press(.enter, .tab, .enter)
        #expect(run.titles.last == "User \"zoe\"")
        #expect(run.rows.contains { $0.contains("\"Zoe\"") })
        #expect(run.rows[0].contains("as of 4"))
    }

    @Test("A damaged store shows what is sound, what is lost, and why")
    func damagedStore() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        let copy = try damagedCopy(of: store)
        var run = try BrowseRun(copy.url.path)
        #expect(run.rows[1].hasPrefix(" DAMAGED: "))
        #expect(run.rows[1].hasSuffix("! shows what"))
        #expect(!run.rows[23].contains("following"))
        #expect(run.rows.contains { $0.contains("lost: the store is damaged here") })
        #expect(run.rows.contains { $0.contains("Delete cy") })
        run.press(.character("t"), .enter, .enter)
        #expect(run.titles.count == 4)
        run.press(.character("!"))
        #expect(run.titles.last == "damage")
        #expect(run.screen.contains("Lost transactions"))
        #expect(run.screen.contains("segment-000000000"))
    }

    @Test("Damage that is met later is shown from then on")
    func damageMetLater() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        let copy = try store.copied()
        let run = try BrowseRun(copy.url.path)
        #expect(!run.screen.contains("DAMAGED"))
        try flip(in: copy)
        var other = run
        other.press(.character("t"))
        #expect(other.screen.contains("DAMAGED"), "\(other.screen)")
    }

    /// The middle of a segment in the middle, changed.
    private func damagedCopy(of store: SampleStore) throws -> FolderCopy {
        let copy = try store.copied()
        try flip(in: copy)
        return copy
    }

    private func flip(in copy: FolderCopy) throws {
        let file = copy.url.appendingPathComponent("segment-0000000003")
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 0x40
        try bytes.write(to: file)
    }

    @Test("A directory that is no store is an error before anything is shown")
    func noStore() {
        #expect(throws: InspectionError.self) { try BrowseSource("/nowhere.varve") }
    }
}

@Suite("browse")
struct BrowseCommandTests {
    @Test("Without a terminal, and in one that is dumb, there is a line and a status")
    func noTerminal() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("browse", store.path)
        #expect(run.status == .failure)
        #expect(
            run.errors
                == "varve: a full screen needs a terminal; 'log', 'show' and 'cat' write to anything\n"
        )
        #expect(run.output.isEmpty)
        #expect(ToolRun("browse", "--json", store.path).status == .usage)
        #expect(ToolRun("browse").status == .usage)
    }
}

@Suite("The keys of browse")
struct BrowseActionTests {
    @Test("Every key does one thing, and every action has a key and fits the help")
    func keys() {
        let all = BrowseAction.allCases.flatMap(\.keys)
        #expect(Set(all).count == all.count)
        for action in BrowseAction.allCases {
            #expect(!action.keys.isEmpty && action.explanation.count <= 58, "\(action)")
            for key in action.keys { #expect(BrowseAction.action(for: key) == action) }
        }
    }

    @Test("The documentation has every key")
    func documentation() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("Docs/TOOL.md"), encoding: .utf8)
        for action in BrowseAction.allCases {
            let keys = action.keys.map { "`" + $0.name + "`" }.joined(separator: " ")
            #expect(page.contains("| \(keys) | \(action.explanation) |\n"), "\(action)")
        }
    }
}
