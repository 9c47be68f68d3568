import Foundation
import Testing
import Varve

@testable import AptGraph

/// One run of the program inside the test's own process.
struct ProgramRun {
    let status: AptGraph.ExitStatus
    let output: String
    let errors: String

    init(_ arguments: [String], width: Int = 80, style: TextStyle = .plain) async {
        let output = Text()
        let errors = Text()
        let program = Program(
            screen: Screen(width: width, style: style) { output.append($0) },
            messages: Messages { errors.append($0) })
        status = await program.run(arguments)
        self.output = output.value
        self.errors = errors.value
    }

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The output as a JSON object.
    func object() throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
        return try #require(value as? [String: Any])
    }
}

/// Collects what is written.
private final class Text: Sendable {
    private let lines = Lock<[String]>([])

    func append(_ text: String) { lines.withLock { $0.append(text) } }

    var value: String { lines.withLock { $0.joined() } }
}

/// A new folder with a store and index files in it, gone with the last reference.
final class Workplace: Sendable {
    let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("aptgraph-tests-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path
    }

    deinit {
        // What cannot be removed stays in the system's temporary folder, which the system clears.
        try? FileManager.default.removeItem(atPath: folder)
    }

    var store: String { folder + "/Packages.varve" }

    var storeExists: Bool { FileManager.default.fileExists(atPath: store) }

    /// Writes an index file and answers its path.
    func write(_ text: String, to name: String = "Packages") throws -> String {
        let path = folder + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    func run(_ arguments: String...) async -> ProgramRun {
        await ProgramRun(["--store", store] + arguments)
    }

    func run(json arguments: String...) async throws -> [String: Any] {
        let run = await ProgramRun(["--store", store, "--json"] + arguments)
        return try run.object()
    }

    /// Imports a text; the architecture is given, so that no test depends on the machine's.
    @discardableResult
    func importing(_ text: String) async throws -> ProgramRun {
        await run("import", try write(text), "--architecture=amd64")
    }

    func withStore<Result>(_ body: (Store) throws -> Result) throws -> Result {
        let store = try Store.existing(at: store, mode: .readOnly)
        defer { try? store.close() }
        return try body(store)
    }
}

extension String {
    /// A small world: alternatives, a virtual package, a name that nobody has, a cycle.
    static let sampleIndex = """
        Package: editor
        Version: 2.0-1
        Architecture: amd64
        Section: editors
        Priority: optional
        Maintainer: Ann Example <ann@example.org>
        Installed-Size: 2048
        Size: 1500000
        Homepage: https://example.org/editor
        SHA256: 00ff10000000000000000000000000000000000000000000000000000000abcd
        Depends: libtext (>= 1.0) | libtext-old, mail-agent, gone
        Recommends: manual
        Description: Edits texts of all kinds
         and says so at length.

        Package: libtext
        Version: 1:1.2-3
        Architecture: amd64
        Section: libs
        Maintainer: Ann Example <ann@example.org>
        Source: text (1.2-3)
        Pre-Depends: libbase
        Description: Text library

        Package: postman
        Version: 5
        Architecture: all
        Section: mail
        Maintainer: Bo
        Provides: mail-agent, smtp (= 25)
        Depends: libbase
        Description: Delivers mail; an EDITOR may call it

        Package: libbase
        Version: 1
        Architecture: amd64
        Section: libs
        Conflicts: editor (<< 1)
        Suggests: postman
        Depends: libtext
        Description: Base of all

        Package: manual
        Version: 3
        Architecture: all
        Section: doc
        Description: How to edit

        """
}
