import Testing
import VarveInspection
import VarveTestSupport

@testable import VarveTool

@Suite("Migrations in the tool")
struct MigrationCommandTests {
    private func store() throws -> SampleStore {
        let store = try SampleStore()
        try store.transaction("Add") { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.transaction("Migrate: names, ages (version 2)", kind: .schema) {
            $0.isUndoable = false
            $0.migrations = [MigrationID(name: "names"), MigrationID(name: "ages", version: 2)]
        } events: { _ in
        }
        try store.close()
        return store
    }

    @Test("info, show and log name the migrations")
    func text() throws {
        let store = try store()
        let info = ToolRun("info", store.path, "--color=never", terminalWidth: 80).output
        #expect(info.contains("Migration     names, by transaction 2\n"), "\(info)")
        #expect(info.contains("Migration     ages (version 2), by transaction 2\n"), "\(info)")
        let show = ToolRun("show", store.path, "2", "--color=never", terminalWidth: 80).output
        #expect(show.contains("  Migration names\n  Migration ages (version 2)\n"), "\(show)")
        let log = ToolRun("log", store.path, "--color=never", terminalWidth: 120).output
        #expect(log.contains("schema  Migrate: names, ages (version 2)"), "\(log)")
    }

    @Test("The JSON has them as lists")
    func json() throws {
        let store = try store()
        let info = try JSONObject(ToolRun("info", "--json", store.path).output)
        #expect(info["migrations", 1, "name"] == "ages (version 2)")
        #expect(info["migrations", 0, "transaction"] == "2")
        let show = try JSONObject(ToolRun("log", "--json", "-n", "1", store.path).output)
        #expect(show["migrations", 0] == "names")
    }

    @Test("What came before a migration is undone by the app alone")
    func undo() throws {
        let store = try store()
        for flags in [[], ["--force"]] {
            let run = ToolRun(all: ["undo", store.path] + flags)
            #expect(run.status != .success)
            #expect(
                run.errors.contains("transaction 2 is the migration 'ages (version 2)'"),
                "\(run.errors)")
        }
    }
}
