import Foundation
import Testing
import VarveInspection

@testable import VarveTool

@Suite("varve verify")
struct VerifyCommandTests {
    @Test("A sound store is called sound")
    func sound() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("verify", store.path)
        #expect(run.status == .success && run.errors.isEmpty)
        #expect(
            run.output(of: store) == """
                Sample.varve: sound
                  1 segment, 11 frames, 9 transactions, 1.6 KiB stored, 2.1 KiB raw

                """)
    }

    @Test("Every damaged place is listed with segment and offset, and the status is 1")
    func damaged() throws {
        let store = try SampleStore.filled()
        // Inside the payloads of transactions 3 and 5.
        try store.flip(byteAt: 704 + 60)
        try store.flip(byteAt: 976 + 60)
        let run = ToolRun("verify", store.path)
        #expect(run.status == .failure && run.errors.isEmpty)
        #expect(run.lines[0].hasSuffix(": damaged, 2 problems"))
        #expect(run.lines[1].contains("segment 1, offset 704: checksum of the stored bytes"))
        #expect(run.lines[2].contains("segment 1, offset 976: checksum of the stored bytes"))
        let json = try JSONObject(ToolRun("verify", "--json", store.path).output)
        #expect(json["sound"] == "false")
        #expect(json["problems", 0, "segment"] == "1")
        #expect(json["problems", 1, "offset"] == "976")
        #expect(json["transactions"] == "7")
    }

    /// A store as a crash leaves it: a copy of the files, without their writer. What was defined is promised, and
    /// what the body writes is not.
    private func crashed(
        _ body: (SampleStore) throws -> Void
    ) throws -> (copy: FolderCopy, segment: URL) {
        let store = try SampleStore()
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.flush()
        try body(store)
        let copy = try store.copied()
        return (copy, copy.url.appendingPathComponent("segment-0000000001"))
    }

    @Test("A cut tail that nothing promised is told, and is no damage")
    func tail() throws {
        let (copy, segment) = try crashed { store in
            try store.transaction { encoder in
                encoder.insert(encoder.user("ann"), 1, try SampleStore.user("Ann"))
            }
        }
        let bytes = try Data(contentsOf: segment)
        // Behind the frames there is space that the writer took beforehand.
        let end = try #require(bytes.lastIndex { $0 != 0 })
        try bytes[..<(end - 3)].write(to: segment)
        let run = ToolRun("verify", copy.url.path)
        #expect(run.status == .success)
        #expect(run.output.contains("that no promise covers (a frame cut short)"))
        let json = try JSONObject(ToolRun("verify", "-j", copy.url.path).output)
        #expect(json["unpromisedTail", "reason"] == "a frame cut short")
    }

    @Test("Space that a killed writer did not use is told, and is no damage")
    func unused() throws {
        let (copy, segment) = try crashed { _ in }
        let bytes = try Data(contentsOf: segment)
        let end = try #require(bytes.lastIndex { $0 != 0 }) + 1
        let frames = bytes[..<((end + 7) & ~7)]
        try (frames + Data(count: 1_024 - frames.count % 512)).write(to: segment)
        let run = ToolRun("verify", copy.url.path)
        #expect(run.status == .success)
        #expect(run.output.contains("of zeros behind the last frame"))
        for command in ["verify", "info"] {
            let json = try JSONObject(ToolRun(command, "-j", copy.url.path).output)
            #expect(json["unused", "offset"] == "\(frames.count)", "\(command)")
            #expect(json["unused", "bytes"] == "\(1_024 - frames.count % 512)", "\(command)")
        }
    }

    @Test("Intact frames whose events do not follow from the state are named as well")
    func contradiction() throws {
        let store = try SampleStore()
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        for _ in 0..<2 {
            try store.transaction { encoder in
                encoder.insert(encoder.user("ann"), 1, try SampleStore.user("Ann"))
            }
        }
        try store.close()
        let run = ToolRun("verify", store.path)
        #expect(run.status == .failure)
        #expect(
            run.lines[1].contains("transaction 3: User \"ann\": inserted, but it exists"))
        #expect(run.lines[1].contains("segment 1, offset "))
        let info = ToolRun("info", store.path)
        #expect(info.status == .failure)
        #expect(info.errors.contains("\n  transaction 3: "), "\(info.errors)")
        // What is not replayed can still be read.
        #expect(ToolRun("show", store.path, "3").status == .success)
        #expect(ToolRun("log", store.path).status == .success)
    }

    @Test("A link that only one side knows is named")
    func oneSidedLink() throws {
        let store = try SampleStore()
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.transaction { encoder in
            let (ann, bob, chat) = (encoder.user("ann"), encoder.user("bob"), encoder.chat(7))
            encoder.insert(ann, 1, try SampleStore.user("Ann"))
            encoder.insert(bob, 2, try SampleStore.user("Bob"))
            encoder.insert(chat, 1, try SampleStore.chat("Hello"))
            encoder.link(chat, 1, old: 0, insert: [(0, bob), (1, ann)])
            encoder.link(bob, 1, old: 0, insert: [(0, chat)])
        }
        try store.close()
        let run = ToolRun("verify", store.path)
        #expect(run.status == .failure)
        #expect(
            run.lines[1].contains("7 is linked by 'users' to \"ann\", which knows nothing of it"))
    }

    @Test("Damage is damage when nobody reads about it")
    func closedOutput() throws {
        let store = try SampleStore.filled()
        try store.flip(byteAt: 764)
        let errors = MemorySink()
        let environment = ToolEnvironment(
            output: MemorySink(failure: .closed, after: 10), errors: errors, now: ToolRun.now)
        #expect(Tool.run(["verify", store.path], in: environment) == .failure)
        #expect(errors.text.isEmpty)
    }

    @Test("There must be a store to verify")
    func missing() {
        let run = ToolRun("verify", "/nowhere/at/all")
        #expect(run.status == .failure)
        #expect(run.errors == "varve: there is no store at /nowhere/at/all; check the path\n")
    }
}
