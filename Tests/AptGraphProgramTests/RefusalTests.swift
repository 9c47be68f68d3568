import Foundation
import Testing
import Varve

@testable import AptGraph

@Suite("What cannot be done")
struct RefusalTests {
    private func expectOneLine(
        _ run: ProgramRun, containing text: String, status: AptGraph.ExitStatus = .failure,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(run.status == status, sourceLocation: location)
        #expect(run.output.isEmpty, sourceLocation: location)
        #expect(run.errors.hasPrefix("aptgraph: "), sourceLocation: location)
        #expect(run.errors.split(separator: "\n").count == 1, sourceLocation: location)
        #expect(run.errors.contains(text), "\(run.errors)", sourceLocation: location)
    }

    @Test("A file that is missing or damaged leaves no store behind")
    func badFiles() async throws {
        let place = try Workplace()
        let good = try place.write(.sampleIndex)
        expectOneLine(
            await place.run("import", good, place.folder + "/none"), containing: "no such file")
        expectOneLine(await place.run("import", place.folder), containing: "not a regular file")
        let damaged = place.folder + "/damaged.lz4"
        try Data([0x04, 0x22, 0x4D, 0x18, 0x40, 0x40, 0xC0, 9, 0, 0, 0, 1])
            .write(to: URL(fileURLWithPath: damaged))
        expectOneLine(await place.run("import", good, damaged), containing: "lz4")
        #expect(!place.storeExists)
    }

    @Test("A file without a single package leaves no store behind")
    func noPackages() async throws {
        let place = try Workplace()
        let run = await place.run("import", try place.write("nothing of the kind\n"))
        #expect(run.status == .stanzasSkipped)
        #expect(run.errors.contains("no stanza could be read; nothing was imported"))
        #expect(!place.storeExists)
    }

    @Test("A damaged file changes nothing in a store that is there, and frees it again")
    func damagedLater() async throws {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        let damaged = place.folder + "/damaged.lz4"
        try Data([0x04, 0x22, 0x4D, 0x18, 0x40, 0x40, 0xC0, 9, 0, 0, 0, 1])
            .write(to: URL(fileURLWithPath: damaged))
        expectOneLine(await place.run("import", damaged), containing: "lz4")
        #expect(await place.run("remove", "manual").status == .success)
    }

    @Test(
        "A command on a store that is not there creates none",
        arguments: [
            ["show", "a"], ["why", "a", "b"], ["rdepends", "a"], ["find", "a"], ["remove", "a"],
            ["restore", "a"], ["stats"],
        ])
    func missingStore(arguments: [String]) async throws {
        let place = try Workplace()
        let run = await ProgramRun(["--store", place.store] + arguments)
        expectOneLine(run, containing: "there is no store at")
        #expect(!place.storeExists)
    }

    @Test("An empty directory is no store, and stays empty")
    func emptyDirectory() async throws {
        let place = try Workplace()
        try FileManager.default.createDirectory(
            atPath: place.store, withIntermediateDirectories: false)
        expectOneLine(await place.run("remove", "a"), containing: "there is no store at")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.store).isEmpty)
    }

    @Test("A directory with other files is refused and left as it is", arguments: [true, false])
    func foreignDirectory(isImport: Bool) async throws {
        let place = try Workplace()
        try FileManager.default.createDirectory(
            atPath: place.store, withIntermediateDirectories: false)
        let note = URL(fileURLWithPath: place.store + "/note.txt")
        try Data("mine".utf8).write(to: note)
        let run =
            isImport
            ? await place.run("import", try place.write(.sampleIndex))
            : await place.run("show", "a")
        expectOneLine(run, containing: "is not a store")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.store) == ["note.txt"])
    }

    @Test("A store that another process writes can be read, and the writer is named")
    func held() async throws {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        let holder = try Store.existing(at: place.store, mode: .readWrite)
        expectOneLine(await place.run("remove", "manual"), containing: "is open for writing in")
        expectOneLine(
            await place.run("import", place.folder + "/Packages"),
            containing: "is open for writing in")
        #expect(await place.run("show", "manual").status == .success)
        try holder.close()
    }

    @Test("Names that nothing has are said to be unknown")
    func unknownNames() async throws {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        for command in ["show", "rdepends", "remove"] {
            expectOneLine(
                await place.run(command, "nobody"), containing: "no package is called 'nobody'")
        }
        expectOneLine(await place.run("why", "nobody", "editor"), containing: "'nobody'")
        expectOneLine(await place.run("why", "editor", "nobody"), containing: "'nobody'")
        expectOneLine(
            await place.run("restore", "nobody"), containing: "no removed package is called")
        expectOneLine(await place.run("restore", "editor"), containing: "was not removed")
        expectOneLine(await place.run("remove", "mail-agent"), containing: "virtual package")
    }

    @Test("Whoever closes the output early hears nothing of it")
    func closedOutput() async throws {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        let program = Program(
            screen: Screen { _ in throw Terminal.WriteError.closed },
            messages: Messages { text in Issue.record("said \(text)") })
        #expect(await program.run(["--store", place.store, "stats"]) == .outputClosed)
    }

    @Test("Output that fails otherwise is an error")
    func failedOutput() async throws {
        let program = Program(
            screen: Screen { _ in throw Terminal.WriteError.failed(code: ENOSPC) },
            messages: Messages { text in
                #expect(text == "aptgraph: write error: No space left on device\n")
            })
        #expect(await program.run(["--version"]) == .failure)
    }

    @Test("What a writer left unfinished is told, and the rest serves")
    func recovery() async throws {
        let place = try Workplace()
        try await place.importing(.sampleIndex)
        // The one that is written: an import ends with a compaction, and that with a new segment.
        let newest = try FileManager.default.contentsOfDirectory(atPath: place.store)
            .filter { $0.hasPrefix("segment-") }.max()
        let segment = URL(fileURLWithPath: place.store + "/" + (try #require(newest)))
        let handle = try FileHandle(forWritingTo: segment)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: 7, count: 100))
        try handle.close()
        let show = await place.run("show", "editor")
        #expect(show.status == .success)
        #expect(show.errors.contains("complete through transaction 1; dropped 100 bytes"))
        let again = await place.run("import", place.folder + "/Packages", "--architecture=amd64")
        #expect(again.status == .success)
        #expect(again.errors.contains("dropped 100 bytes"))
        #expect(await place.run("show", "editor").errors.isEmpty, "mended by the import")
    }
}
