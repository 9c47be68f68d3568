import Testing
import VarveInspection
import VarveLog

@testable import VarveTool

@Suite("varve info")
struct InfoCommandTests {
    @Test("A store's state, files and types are shown in aligned columns")
    func text() throws {
        let store = try SampleStore.filled()
        // Without the room for a full disk, which not every file system gives.
        try POSIXFileSystem(store.path).open("LOCK", .readWrite).truncate(to: ByteCount(256))
        let run = ToolRun("info", store.path, "--color=never", terminalWidth: 80)
        #expect(run.status == .success && run.errors.isEmpty)
        #expect(
            run.output(of: store) == """
                Sample.varve
                  Store         910a2dec-8902-5cc1-beeb-8da1658eec67, format 1.0
                  Created       2023-11-14T22:13:20Z (2 years ago)
                  State         closed cleanly at transaction 9
                  Transactions  9
                    first       1, 2026-08-03T14:01:00Z (58 minutes ago)
                    last        9, 2026-08-03T14:09:00Z (50 minutes ago)
                  Log           1.6 KiB stored, 2.1 KiB raw, ratio 1.30

                FILE                 BYTES    RAW  RATIO  TRANSACTIONS
                LOCK                   256
                manifest-0000000001    160
                segment-0000000001   1,688  2,197   1.30  1 to 9

                TYPE  LIVE  DELETED  FIELDS  RELATIONS  ID
                User     2        0       3          2  String
                Chat     1        0       2          1  Int64

                """)
    }

    @Test("The JSON is one object with what the text shows")
    func json() throws {
        let store = try SampleStore.filled(segmentBytesMax: 700)
        let run = ToolRun("info", "--json", store.path)
        #expect(run.lines.count == 1)
        let json = try JSONObject(run.output)
        #expect(json["store"] == "910a2dec-8902-5cc1-beeb-8da1658eec67")
        #expect(json["state"] == "closedCleanly")
        #expect(json["transactions"] == "9")
        #expect(json["last", "time"] == "2026-08-03T14:09:00.000009Z")
        #expect(json["types", 0, "name"] == "User")
        #expect(json["types", 0, "live"] == "2")
        #expect(json["types", 0, "relations", 0, "inverse"] == "users")
        #expect(json["types", 0, "relations", 0, "deleteRule"] == "cascade")
        #expect(json["files", 2, "name"] == "segment-0000000001")
        #expect(json["files", 2, "segment", "sealed"] == "true")
        #expect(
            json["files", 2, "segment", "last"]
                == json["files", 3, "segment", "first"].map {
                    String((Int($0) ?? 0) - 1)
                })
        #expect(json["droppedTail"] == "null")
    }

    @Test("An empty store has no transactions and no types")
    func empty() throws {
        let store = try SampleStore()
        try store.close()
        let run = ToolRun("info", store.path)
        #expect(run.status == .success)
        #expect(run.output.contains("  Transactions  none\n"))
        #expect(!run.output.contains("TYPE"))
        let json = try JSONObject(ToolRun("info", "-j", store.path).output)
        #expect(json["first"] == "null")
    }

    @Test("Beside a writer it shows what the writer has promised")
    func besideWriter() throws {
        let store = try SampleStore()
        try store.transaction("Define", kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.flush()
        try store.transaction("Unpromised") { encoder in
            encoder.insert(encoder.user("ann"), 1, try SampleStore.user("Ann"))
        }
        let run = ToolRun("info", store.path)
        #expect(run.status == .success)
        #expect(run.output.contains("State         open for writing in another process"))
        #expect(run.output.contains("Transactions  1\n"))
    }
}
