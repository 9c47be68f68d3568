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
