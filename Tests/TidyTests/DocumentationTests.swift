import Foundation
import Testing

/// Reads the symbol graphs of the library products, as `Tools/docs` does, from what was built for this test.
@Suite("Documentation")
struct DocumentationTests {
    struct Symbol: Decodable {
        struct Lines: Decodable {
            struct Line: Decodable { let text: String }
            let lines: [Line]
        }
        struct Location: Decodable {
            struct Position: Decodable { let line: Int }
            let uri: String
            let position: Position
        }

        let pathComponents: [String]
        let docComment: Lines?
        let location: Location?

        /// The path of its file in the repository, and the line; its name where that is not known.
        var place: String {
            let name = pathComponents.joined(separator: ".")
            guard let location, let start = location.uri.range(of: "/Sources/") else { return name }
            return
                "Sources/\(location.uri[start.upperBound...]):\(location.position.line + 1): \(name)"
        }
    }

    struct Graph: Decodable {
        struct Module: Decodable { let name: String }

        let module: Module
        let symbols: [Symbol]
    }

    /// The public symbols that each library has at least: some less than it has, so that what is made private needs no
    /// new number here, and more than half, so that a graph of which a part is missing is seen.
    private static let symbolsMin = [
        "Varve": 1_500, "VarveGraph": 750, "VarveInspection": 900,
    ]

    /// Where the modules of this build are; nil where they are not beside the test's own product.
    static let products: URL? = {
        var directory = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0])
        while directory.path != "/" {
            directory.deleteLastPathComponent()
            let module = directory.appendingPathComponent("Modules/Varve.swiftmodule")
            if FileManager.default.fileExists(atPath: module.path) { return directory }
        }
        return nil
    }()

    @Test(
        "Every public symbol has a comment whose first line can be read alone",
        .enabled(if: products != nil, "the modules of the libraries were not built with the tests"))
    func comments() throws {
        let graphs = try graphs()
        let words = WordTests()
        #expect(graphs.count >= 3)
        // A graph that was not written, or of other modules, has none to look at.
        for (module, symbolsMin) in Self.symbolsMin {
            let count = graphs.filter { $0.module.name == module }.reduce(0) {
                $0 + $1.symbols.count
            }
            #expect(count >= symbolsMin, "\(module) has \(count) symbols")
        }
        for symbol in graphs.flatMap(\.symbols) {
            let first = symbol.docComment?.lines.first?.text ?? ""
            #expect(!first.isEmpty, "\(symbol.place) has no comment")
            // What a type of the standard library says is not ours.
            guard symbol.location != nil else { continue }
            for line in symbol.docComment?.lines ?? [] {
                for phrase in words.phrases(in: line.text) {
                    Issue.record("\(symbol.place): '\(phrase.words)': \(phrase.instead)")
                }
            }
        }
    }

    private func graphs() throws -> [Graph] {
        let output = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-symbols-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let process = Process()
        process.executableURL = Repository.shared.root.appendingPathComponent("Tools/symbol-graphs")
        process.arguments = [try #require(Self.products).path, output.path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "Tools/symbol-graphs failed")
        let files = try FileManager.default.subpathsOfDirectory(atPath: output.path)
        return try files.filter { $0.hasSuffix(".symbols.json") }.map { file in
            let data = try Data(contentsOf: output.appendingPathComponent(file))
            return try JSONDecoder().decode(Graph.self, from: data)
        }
    }
}
