import Testing
import VarveInspection

@testable import VarveTool

@Suite("varve cat")
struct CatCommandTests {
    @Test("The entities of a type come in their default order, an object on each line")
    func entities() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("cat", store.path, "User")
        #expect(run.status == .success && run.errors.isEmpty)
        let objects = try run.lines.map { try JSONObject($0) }
        #expect(objects.map { $0["id"] } == ["ann", "bob"])
        #expect(objects[0]["fields", "bio"]?.hasPrefix("Xll work") == true)
        #expect(objects[0]["transaction"] == "4")
        #expect(
            run.lines[1] == """
                {"type":"User","id":"bob","fields":{"name":"Bob","age":null,"bio":""},\
                "links":{"chats":[7],"boss":"ann"},"ordinal":2,"transaction":7,\
                "updatedAt":"2026-08-03T14:07:00.000007Z","deleted":false}
                """)
        #expect(ToolRun("cat", "--json", store.path, "User").output == run.output)
    }

    @Test("One entity is named by its id as people write it")
    func one() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("cat", store.path, "Chat", "7")
        let object = try JSONObject(run.output)
        #expect(object["fields", "title"] == "Hello, world")
        #expect(object["fields", "seen"] == "2001-01-01T00:00:00.250000Z")
        #expect(object["links", "users", 0] == "bob")
        #expect(object["links", "users", 1] == "ann")
        #expect(
            ToolRun("cat", store.path, "User", "ann").output
                == ToolRun("cat", store.path, "User", "\"ann\"").output)
    }

    @Test("Tombstones are shown when asked for, as they would be restored")
    func deleted() throws {
        let store = try SampleStore()
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.transaction { encoder in
            let (ann, chat) = (encoder.user("ann"), encoder.chat(7))
            encoder.insert(ann, 1, try SampleStore.user("Ann"))
            encoder.insert(chat, 1, try SampleStore.chat("Talk"))
            encoder.link(ann, 1, old: 0, insert: [(0, chat)])
        }
        try store.transaction { encoder in
            let (ann, chat) = (encoder.user("ann"), encoder.chat(7))
            encoder.link(ann, 1, old: 1, remove: [(0, chat)])
            encoder.delete(
                ann, keepsTombstone: true, ordinal: Ordinal(1), previous: SampleStore.version(2),
                cause: .direct, row: try SampleStore.user("Ann"),
                lists: [(RelationNumber(1), [chat])])
        }
        try store.close()
        #expect(ToolRun("cat", store.path, "User").output.isEmpty)
        let run = ToolRun("cat", "--deleted", store.path, "User")
        let object = try JSONObject(run.output)
        #expect(object["deleted"] == "true")
        #expect(object["transaction"] == "3")
        #expect(object["links", "chats", 0] == "7")
        #expect(ToolRun("cat", "-d", store.path, "User", "ann").output == run.output)
        let live = ToolRun("cat", store.path, "User", "ann")
        #expect(live.status == .failure)
        #expect(live.errors == "varve: User 'ann' was deleted by transaction 3\n")
        let chat = ToolRun("cat", "-d", store.path, "Chat", "7")
        #expect(chat.errors == "varve: Chat '7' is not deleted\n")
        #expect(
            ToolRun("cat", "-d", store.path, "Chat", "8").errors
                == "varve: there is no deleted Chat '8'\n")
    }

    @Test("What the store does not hold is refused, with what it does hold")
    func refused() throws {
        let store = try SampleStore.filled()
        let type = ToolRun("cat", store.path, "user")
        #expect(type.status == .failure)
        #expect(
            type.errors
                == "varve: there is no type 'user'; there is User, Chat; did you mean 'User'?\n")
        #expect(
            ToolRun("cat", store.path, "User", "zoe").errors == "varve: there is no User 'zoe'\n")
        #expect(ToolRun("cat", store.path).status == .usage)
        #expect(ToolRun("cat", store.path, "User", "a", "b").errors.contains("extra operand 'b'"))
    }
}
