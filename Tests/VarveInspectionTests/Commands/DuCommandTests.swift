import Testing
import VarveInspection

@testable import VarveTool

@Suite("varve du")
struct DuCommandTests {
    @Test("Bytes are listed by type, field, label and age")
    func text() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("du", store.path)
        #expect(run.status == .success && run.errors.isEmpty)
        let titles = run.lines.filter { $0 == $0.uppercased() && $0.contains("  ") }
            .compactMap { $0.split(separator: " ").first }
        #expect(titles == ["TYPE", "FIELD", "LABEL", "LAST"])
        #expect(
            run.lines.contains {
                $0.hasPrefix("User ") && $0.contains(" 2 ") && $0.contains("98 %")
            })
        #expect(run.lines.contains { $0.hasPrefix("User.bio ") })
        #expect(run.lines.contains { $0.hasPrefix("Rename chat ") })
        #expect(run.lines.contains { $0.hasPrefix("less than a day ago") })
    }

    @Test("One table only, and no more than a number of lines")
    func parts() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("du", "--by=label", "-n2", store.path)
        #expect(run.lines.count == 5)
        #expect(run.lines[1].hasPrefix("LABEL") && run.lines[4] == "and 5 more")
        #expect(ToolRun("du", "--by=colour", store.path).status == .usage)
        #expect(ToolRun("du", "-n0", store.path).status == .usage)
    }

    @Test("JSON has the same figures as the statistics")
    func json() throws {
        let store = try SampleStore.filled()
        let json = try JSONObject(ToolRun("du", "--json", store.path).output)
        let statistics = try InspectedStatistics.gather(at: store.path, now: ToolRun.now)
        #expect(json["sound"] == "true" && json["state"] == "9")
        #expect(json["types", 0, "name"] == "User" && json["types", 0, "live"] == "2")
        #expect(json["types", 0, "liveBytes"] == "\(statistics.types[0].liveBytes.rawValue)")
        #expect(json["types", 1, "fields", 0, "liveBytes"] == "13")
        #expect(json["log", "transactions"] == "9")
        #expect(json["log", "rawBytes"] == "\(statistics.log.raw.rawValue)")
        #expect(json["ages", 0, "age"] == "day" && json["ages", 0, "entities"] == "3")
        #expect(json["labels"] == "[7]" && json["damages"] == "[0]")
    }

    @Test("Of a damaged store it counts what is sound and says what is not, with status 1")
    func damaged() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        try store.flip(byteAt: 464 + 60)
        let run = ToolRun("du", store.path)
        #expect(run.status == .failure && run.errors.isEmpty)
        #expect(
            run.output.contains("not everything could be read; 'varve verify' checks every byte\n"))
        #expect(run.output.contains("  missing: transaction"))
        #expect(run.lines.contains { $0.hasPrefix("Delete cy ") })
        let json = try JSONObject(ToolRun("du", "--json", store.path).output)
        #expect(json["sound"] == "false" && json["missing", 0, "first"] != nil)
    }
}
