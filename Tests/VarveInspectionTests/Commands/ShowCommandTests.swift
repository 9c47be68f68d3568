import Testing
import VarveInspection

@testable import VarveTool

@Suite("varve show")
struct ShowCommandTests {
    private func show(_ id: String, width: Int? = nil) throws -> String {
        let store = try SampleStore.filled()
        let run = ToolRun("show", store.path, id, "--color=never", terminalWidth: width)
        #expect(run.status == .success && run.errors.isEmpty)
        return run.output
    }

    @Test("A transaction tells about itself, and an update shows both sides")
    func update() throws {
        #expect(
            try show("3") == """
                Transaction 3  write  Rename chat
                  Time      2026-08-03T14:03:00.000003Z (56 minutes ago)
                  Place     segment 1, offset 704
                  Size      152 bytes stored, 92 bytes raw, 1 event
                  Scope     window 1
                  Author    ann
                  Metadata  app = 1.2
                  Metadata  host = desk

                ~ Chat 7  last changed in 2
                    title  "Hello" → "Hello, world"

                """)
    }

    @Test("A definition names fields and relations")
    func definition() throws {
        #expect(
            try show("1").hasSuffix(
                """

                * User  type with ids of String
                    name   String
                    age    Int64?
                    bio    String
                    chats  → [Chat], inverse users, cascade
                    boss   → User
                * Chat  type with ids of Int64
                    title  String
                    seen   Date
                    users  → [User], inverse chats

                """))
    }

    @Test("Insertions show their fields, links their positions, and long texts are shortened")
    func insertions() throws {
        #expect(
            try show("2", width: 60).hasSuffix(
                #"""

                + User "ann"
                    name  "Ann"
                    age   30
                    bio   "All work and no play. All work and no play. All …
                + User "bob"
                    name  "Bob"
                    age   nil
                    bio   ""
                + User "cy"
                    name  "Cy \"the\" Third"
                    age   7
                    bio   ""
                + Chat 7
                    title  "Hello"
                    seen   2001-01-01T00:00:00.250000Z
                Chat.users of 7: + "ann" at 0, + "bob" at 1, + "cy" at 2
                User.chats of "ann": + 7 at 0
                User.chats of "bob": + 7 at 0
                User.chats of "cy": + 7 at 0
                User.boss of "bob": + "ann" at 0

                """#))
        #expect(try show("2").contains(SampleStore.longText + "\"\n"))
    }

    @Test("Of a long text the part that changed is shown")
    func splice() throws {
        #expect(
            try show("4").hasSuffix(
                "~ User \"ann\"  last changed in 2\n    bio  \"A\" → \"X\" at byte 0 of 1,320\n"))
    }

    @Test("A link that moves is shown with both positions")
    func links() throws {
        #expect(
            try show("5").hasSuffix(
                """
                Chat.users of 7: + "ann" at 2, − "ann" at 0
                ~ User "cy"  last changed in 2
                    age  7 → nil

                """))
    }

    @Test("A deletion shows what went, with its links, and why")
    func deletions() throws {
        #expect(
            try show("6").contains(
                """

                − User "bob"  last changed in 2
                    name   "Bob"
                    age    nil
                    bio    ""
                    chats  → 7
                    boss   → "ann"
                Chat.users of 7: − "bob" at 0

                """))
        #expect(try show("8").contains("− User \"cy\"  cascade of Chat 7  last changed in 5\n"))
        #expect(try show("8").contains("  Undo      excluded\n"))
        #expect(try show("9").hasSuffix("\nx User \"cy\"  for good\n"))
        #expect(try show("6").hasPrefix("Transaction 6  write  Delete \\u{1B}[31mbob"))
        #expect(try show("7").hasPrefix("Transaction 7  revert of 6\n"))
    }

    @Test("The newest transaction is called last")
    func last() throws {
        #expect(try show("last") == show("9"))
    }

    @Test("The JSON holds every event with both sides")
    func json() throws {
        let store = try SampleStore.filled()
        func object(_ id: String) throws -> JSONObject {
            let run = ToolRun("show", "--json", store.path, id)
            #expect(run.lines.count == 1)
            return try JSONObject(run.output)
        }
        let update = try object("3")
        #expect(update["id"] == "3")
        #expect(update["events", 0, "event"] == "update")
        #expect(update["events", 0, "id"] == "7")
        #expect(update["events", 0, "previous", "transaction"] == "2")
        #expect(update["events", 0, "changes", 0, "new"] == "Hello, world")
        let splice = try object("4")
        #expect(splice["events", 0, "changes", 0, "splice", "suffixBytes"] == "1319")
        #expect(splice["events", 0, "changes", 0, "splice", "new"] == "X")
        let links = try object("5")
        #expect(links["events", 0, "oldCount"] == "3")
        #expect(links["events", 0, "removed", 0, "position"] == "0")
        #expect(links["events", 0, "inserted", 0, "id"] == "ann")
        let deletion = try object("8")
        #expect(deletion["events", 0, "cause"] == "cascade")
        #expect(deletion["events", 0, "by", "type"] == "Chat")
        #expect(deletion["events", 0, "links", "chats", 0] == "7")
        #expect(try object("9")["events", 0, "entities", 0, "id"] == "cy")
        #expect(try object("1")["events", 1, "definition", "name"] == "Chat")
    }

    @Test("A transaction that is not there, or is no number, is refused")
    func refused() throws {
        let store = try SampleStore.filled()
        let missing = ToolRun("show", store.path, "10")
        #expect(missing.status == .failure)
        #expect(
            missing.errors == "varve: there is no transaction 10; the log holds 1 to 9\n")
        #expect(ToolRun("show", store.path, "0").status == .failure)
        let word = ToolRun("show", store.path, "first")
        #expect(word.status == .usage)
        #expect(
            word.errors == """
                varve: 'first' is no TXN: it is a number, or 'last'
                Try 'varve show --help' for more information.

                """)
        let empty = try SampleStore()
        try empty.close()
        #expect(ToolRun("show", empty.path, "last").errors.hasSuffix("the log is empty\n"))
    }
}
