import Foundation
import Testing
import VarveInspection

@testable import VarveTool

@Suite("The output of varve export")
struct ExportOutputTests {
    private let folder: TestFolder
    private let sample: SampleStore
    private var store: String { sample.path }

    init() throws {
        folder = try TestFolder()
        sample = try SampleStore.filled()
    }

    private func exportCSV(to path: String, _ arguments: String...) -> ToolRun {
        ToolRun(all: ["export", "-F", "csv", store, "-o", path] + arguments)
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    @Test("An output that is there is replaced with --force alone")
    func force() throws {
        let file = try folder.write("mine", to: "out.sql")
        let refused = ToolRun("export", store, "-o", file)
        #expect(refused.status == .failure && refused.errors.contains("--force"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        #expect(ToolRun("export", store, "-o", file, "--force").status == .success)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("BEGIN;"))
        let directory = folder.file("mine")
        try FileManager.default.createDirectory(
            atPath: directory + "/kept", withIntermediateDirectories: true)
        #expect(
            ToolRun("export", "-F", "csv", store, "-o", directory, "--force").status == .failure)
        #expect(FileManager.default.fileExists(atPath: directory + "/kept"))
        #expect(ToolRun("export", "-F", "csv", store).status == .usage)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .allSatisfy { !$0.contains("partial") })
    }

    @Test("A folder is replaced where it is an export and holds nothing else")
    func folders() throws {
        let csv = folder.file("csv")
        #expect(exportCSV(to: csv + "//").status == .success)
        let exported = try names(csv)
        #expect(exported.contains("schema.json"))
        #expect(exportCSV(to: csv).errors.contains("--force"))
        _ = try folder.write("old", to: "csv/Old.csv")
        #expect(exportCSV(to: csv + "/", "--force").status == .success)
        #expect(try names(csv) == exported)
        _ = try folder.write("mine", to: "csv/notes.txt")
        #expect(exportCSV(to: csv, "--force").status == .failure)
        #expect(try names(csv) == (exported + ["notes.txt"]).sorted())
        for path in [csv + "/.", csv + "/..", "."] {
            #expect(exportCSV(to: path, "--force").status == .failure, "\(path)")
        }
        #expect(try names(folder.path) == ["csv"])
    }

    @Test(
        "A dash and the device of the standard output are the standard output",
        arguments: ["-", "/dev/stdout", "/dev/fd/1"])
    func standardOutput(path: String) throws {
        #expect(ToolRun("export", store, "-o", path).output == ToolRun("export", store).output)
        let page = ToolRun("report", store, "-o", path)
        #expect(page.status == .success && page.output.hasPrefix("<!DOCTYPE html>"))
        #expect(page.output.hasSuffix("</html>\n") && page.errors.isEmpty)
        #expect(ToolRun("export", "-F", "csv", store, "-o", path).status == .usage)
    }

    @Test("Inside of a store nothing is written, by whatever way it is named")
    func insideOfStore() throws {
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
        let before = try sample.files()
        for (command, name) in [("report", "page.html"), ("export", "page.sql")] {
            let file = folder.file(name)
            try FileManager.default.createSymbolicLink(
                atPath: file, withDestinationPath: store + "/segment-0000000001")
            let run = ToolRun(command, store, "-o", file, "--force")
            #expect(run.status == .failure && run.errors.contains("inside the store"))
        }
        for directory in [store, store + "/.", link, store + "/assets"] {
            for arguments in [
                ["export", "-o", directory + "/a.sql"], ["report", "-o", directory + "/a.html"],
                ["export", "-F", "csv", "-o", directory + "/csv"],
            ] {
                let run = ToolRun(all: arguments + ["--force", store])
                #expect(run.status == .failure && run.errors.contains("inside the store"))
            }
        }
        #expect(try sample.files() == before)
    }

    @Test("What cannot be written leaves nothing, and a link stays one")
    func failures() throws {
        for command in ["export", "report"] {
            let missing = ToolRun(command, store, "-o", folder.file("no/such/a.sql"))
            #expect(missing.status == .failure && missing.errors.contains("No such file"))
            let directory = ToolRun(command, store, "--force", "-o", folder.path)
            #expect(directory.status == .failure && directory.errors.contains("is a directory"))
            let none = ToolRun(command, folder.file("none.varve"), "-o", folder.file("a.sql"))
            #expect(none.status == .failure)
        }
        #expect(try names(folder.path).isEmpty)
        let target = try folder.write("mine", to: "target.sql")
        let link = folder.file("link.sql")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(ToolRun("export", store, "-o", link).errors.contains("exists"))
        #expect(ToolRun("export", store, "-o", link, "--force").status == .success)
        #expect(try String(contentsOfFile: target, encoding: .utf8).hasPrefix("BEGIN;"))
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        #expect(try names(folder.path) == ["link.sql", "target.sql"])
    }

    @Test("What is replaced keeps its mode, and a link to a folder stays a link")
    func modes() throws {
        let file = try folder.write("mine", to: "out.sql")
        chmod(file, 0o640)
        #expect(ToolRun("export", store, "-o", file, "--force").status == .success)
        #expect(try mode(file) == 0o640)
        let (csv, link) = (folder.file("csv"), folder.file("link"))
        #expect(exportCSV(to: csv).status == .success)
        chmod(csv, 0o750)
        _ = try folder.write("old", to: "csv/Old.csv")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: csv)
        #expect(exportCSV(to: link, "--force").status == .success)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == csv)
        #expect(try mode(csv) == 0o750 && !names(csv).contains("Old.csv"))
        #expect(try names(folder.path) == ["csv", "link", "out.sql"])
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test(
        "A signal ends the process when what was begun is removed",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGUSR1], [false, true])
    func interruption(number: Int32, isFolder: Bool) async throws {
        let path: String = try folder.write("mine", to: "other") + ".out"
        await #expect(processExitsWith: .signal(number)) {
            [path = path as String, number = number as Int32, isFolder = isFolder as Bool] in
            let file = OutputFile(path: path, replaces: false)
            let writes: (any OutputSink) throws(ToolFailure) -> Void = { sink throws(ToolFailure) in
                kill(getpid(), number)
                // Another thread hears it: those that run tests block signals.
                while !Interruption.isDeferred { sched_yield() }
                try sink.writing(String(repeating: "x", count: 1 << 20))
            }
            defer { while true { pause() } }
            guard isFolder else { return try file.write(writes) }
            try file.writeFolder(markedBy: "schema.json") { folder throws(ToolFailure) in
                try OutputFile(path: folder + "/a.csv", replaces: false).write(writes)
            }
        }
        #expect(try names(folder.path) == ["other"])
    }

    @Test("The end of the output's name says what is written, and has to be known")
    func suffixes() throws {
        let upper = folder.file("A.SQL")
        #expect(ToolRun("export", store, "-o", upper).status == .success)
        #expect(try String(contentsOfFile: upper, encoding: .utf8).hasPrefix("BEGIN;"))
        let unknown = ToolRun("export", store, "-o", folder.file("a.txt"))
        #expect(unknown.status == .usage && unknown.errors.contains("--format"))
        #expect(
            ToolRun("export", "-F", "sql", store, "-o", folder.file("a.txt")).status == .success)
        let plain = folder.file("sql")
        #expect(ToolRun("export", store, "-o", plain).status == .success)
        #expect(try String(contentsOfFile: plain, encoding: .utf8).hasPrefix("{\"varve\""))
    }
}
