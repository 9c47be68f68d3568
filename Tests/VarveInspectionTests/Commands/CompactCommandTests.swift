import Foundation
import Testing
import VarveInspection

@testable import VarveTool

@Suite("varve compact")
struct CompactCommandTests {
    @Test("A store is compacted without its app, and shows the same entities afterwards")
    func compact() throws {
        let store = try SampleStore.filled(segmentBytesMax: 400)
        let before = ["User", "Chat"].map { ToolRun("cat", store.path, $0).output }
        let deleted = ToolRun("cat", "-d", store.path, "User").output
        let run = ToolRun("compact", "--keep=none", store.path)
        #expect(run.status == .success && run.errors.isEmpty)
        #expect(run.lines[0].contains("checkpoint of transaction 9"))
        #expect(["User", "Chat"].map { ToolRun("cat", store.path, $0).output } == before)
        #expect(ToolRun("cat", "-d", store.path, "User").output == deleted)
        let verified = ToolRun("verify", store.path)
        #expect(verified.status == .success && verified.output.contains("1 checkpoint"))
    }

    @Test("What info and log say follows: checkpoints, floor, retention")
    func shown() throws {
        let store = try SampleStore.filled(segmentBytesMax: 400)
        _ = ToolRun("compact", "-k", "3", store.path)
        let info = ToolRun("info", store.path)
        #expect(info.status == .success)
        #expect(info.output.contains("of transaction 9"))
        #expect(info.output.contains("from transaction 7 on; kept: the last 3 transactions"))
        let json = try JSONObject(ToolRun("info", "--json", store.path).output)
        #expect(json["floor"] == "7" && json["checkpoints", 0, "transaction"] == "9")
        #expect(json["retention"] == "the last 3 transactions")
        #expect(json["checkpoints", 0, "problem"] == "null")
        #expect(ToolRun("log", "--json", store.path).lines.count == 3)
        #expect(ToolRun("show", store.path, "7").status == .success)
        let gone = ToolRun("show", store.path, "6")
        #expect(gone.status == .failure && gone.errors.contains("no transaction 6"))
        // The policy is the store's own from here on.
        let again = try JSONObject(ToolRun("compact", "--json", store.path).output)
        #expect(again["retention"] == "the last 3 transactions")
        #expect(again["checkpointBytes"] == "null" && again["floor"] == "7")
    }

    @Test("Where the store became larger it says why, and what keeps less")
    func growth() throws {
        let store = try SampleStore.filled(segmentBytesMax: 400)
        let kept = ToolRun("compact", "--keep=all", store.path)
        #expect(kept.status == .success && kept.output.contains("larger, because"))
        let smaller = ToolRun("compact", "--smallest", "--keep=none", store.path)
        #expect(smaller.status == .success && !smaller.output.contains("larger"))
    }

    @Test("Where no history is kept, compact, report and diff say so")
    func noHistory() throws {
        let store = try SampleStore()
        try store.transaction("One") { _ in }
        try store.close()
        let run = ToolRun("compact", "--keep=none", store.path)
        #expect(run.output.contains("\n  no segment dropped, no history is kept\n"))
        #expect(run.output.contains("larger, because") && !run.output.contains("history that"))
        #expect(run.output.contains(": --smallest keeps less\n") && !run.output.contains("--keep"))
        #expect(ToolRun("info", store.path).output.contains("none; kept: "))
        let page = ToolRun("report", store.path, "-o", "-").output
        #expect(page.contains("<dt>History kept</dt><dd>none</dd>"))
        let diff = ToolRun("diff", store.path, "0", "1")
        #expect(
            diff.errors == "varve: there is no transaction 0; no history is kept\n"
                && diff.status == .failure)
        #expect(ToolRun("diff", store.path, "1", "1").status == .success)
    }

    @Test("With --smallest nothing stays beside one checkpoint, which shows the same entities")
    func smallest() throws {
        let store = try SampleStore.filled(segmentBytesMax: 400)
        let before = ["User", "Chat"].map { ToolRun("cat", store.path, $0).output }
        _ = ToolRun("compact", "--keep=none", store.path)
        func countSegments() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: store.path)
                .count { $0.hasPrefix("segment") }
        }
        #expect(try countSegments() > 1)
        // Also where nothing was written since: the form for size takes less.
        let run = ToolRun("compact", "--smallest", "--keep=none", store.path)
        #expect(run.status == .success && run.errors.isEmpty)
        #expect(run.lines[0].contains("checkpoint of transaction 9"))
        #expect(["User", "Chat"].map { ToolRun("cat", store.path, $0).output } == before)
        let info = try JSONObject(ToolRun("info", "--json", store.path).output)
        #expect(info["checkpoints", 0, "transaction"] == "9" && info["checkpoints", 1] == nil)
        #expect(try countSegments() == 1)
        #expect(ToolRun("verify", store.path).status == .success)
        #expect(
            try JSONObject(ToolRun("compact", "-s", "--json", store.path).output)["floor"] == "10")
    }

    @Test("A damaged checkpoint is named by verify and info, and the store still shows")
    func damaged() throws {
        let store = try SampleStore.filled(segmentBytesMax: 400)
        let before = ToolRun("cat", store.path, "User").output
        _ = ToolRun("compact", "--keep", "all", store.path)
        let url = store.url.appendingPathComponent("checkpoint-0000000001")
        var bytes = try Data(contentsOf: url)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: url)
        let verified = ToolRun("verify", store.path)
        #expect(verified.status == .failure)
        #expect(verified.output.contains("checkpoint-0000000001"))
        #expect(ToolRun("info", store.path).output.contains("unusable"))
        #expect(ToolRun("cat", store.path, "User").output == before)
    }

    @Test("What cannot be kept is a usage error, and a locked store is left alone")
    func refusals() throws {
        let open = try SampleStore()
        for text in ["", "x", "10y", "-1", "99999999999999999999d"] {
            #expect(ToolRun("compact", "--keep=\(text)", open.path).status == .usage, "\(text)")
        }
        let run = ToolRun("compact", open.path)
        #expect(run.status == .failure && run.errors.contains("open for writing"))
    }
}
