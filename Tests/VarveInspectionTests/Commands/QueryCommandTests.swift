import Testing
import VarveInspection

@testable import VarveTool

@Suite("varve query")
struct QueryCommandTests {
    private func run(
        _ arguments: String..., terminalWidth: Int? = nil
    ) throws -> ToolRun {
        let store = try QueryStore.sample.written()
        var all = arguments
        all.insert(store.path, at: all.count - 1)
        return ToolRun(all: ["query"] + all, terminalWidth: terminalWidth)
    }

    @Test("A terminal shows a table, every other reader a JSON object on each line")
    func forms() throws {
        let query = "User where age is not null select id, age, boss.name as boss"
        #expect(
            try run("--color=never", query, terminalWidth: 80).lines == [
                "id   age  boss", "ann   30", "cy     7  Bob", "dee   30  Ann", "3 rows",
            ])
        #expect(
            try run(query).lines == [
                #"{"id":"ann","age":30,"boss":null}"#, #"{"id":"cy","age":7,"boss":"Bob"}"#,
                #"{"id":"dee","age":30,"boss":"Ann"}"#,
            ])
        #expect(try run("--json", query, terminalWidth: 80).lines.count == 3)
    }

    @Test("CSV has a line of titles, and quotes what it must")
    func csv() throws {
        let run = try run("--csv", "Chat select id, title, seen order by id")
        #expect(
            run.lines == [
                "id,title,seen", "7,Plans,2001-01-01T00:00:00Z",
                "8,Tea,2001-01-02T00:00:00.500000Z",
                "9,\"Plan \"\"B\"\"\",2000-12-31T23:00:00Z",
            ])
    }

    @Test("An error shows the place in the query, and what may be meant")
    func errors() throws {
        let run = try run("User where bos == \"ann\"")
        #expect(run.status == .usage && run.output.isEmpty)
        #expect(run.errors.contains("the query, column 12: 'User' has no 'bos'"))
        #expect(run.errors.contains("did you mean 'boss'?"))
        #expect(
            run.errors.hasSuffix(
                "\n  User where bos == \"ann\"\n             ^^^\n"))
        let wide = try self.run("User where name == \"京\" and x == 1")
        #expect(wide.errors.hasSuffix(String(repeating: " ", count: 29) + "^\n"))
    }

    @Test("An explanation names the scan and what follows it; --at goes back")
    func explained() throws {
        let query = "User where boss.age > 3 order by name limit 2"
        #expect(
            try run("--explain", query).lines == [
                "scan 4 entities of User", "decode 'name', 'age', 'bio'",
                "test each against the condition", "sort by 1 value, stable",
                "keep the first 2",
            ])
        #expect(
            try run("--explain", "--json", "User where id == \"ann\"").output
                == "{\"steps\":[\"look up 1 id of User\",\"decode 'name', 'age', 'bio'\","
                + "\"test each against the condition\"]}\n")
        #expect(try run("--at=1", "User select count()").output == "{\"count()\":0}\n")
        #expect(try run("--at=2", "User select count()").output == "{\"count()\":4}\n")
        #expect(try run("--at=soon", "User").status == .usage)
    }
}
