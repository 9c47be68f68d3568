import Foundation
import Testing

/// SwiftPM builds an undeclared import of a sibling module without a word, so the table of who may
/// import whom is kept here. A new arrow is a decision: write it into Docs/ARCHITECTURE.md first.
@Suite("Imports")
struct ImportTests {
    struct Module {
        var folder: String
        /// Modules of this project.
        var modules: Set<String> = []
        /// Modules of the system and the toolchain.
        var system: Set<String> = []
    }

    static let table: [Module] = [
        // Which characters people are shown, and in how many columns: every message of every module asks it.
        Module(folder: "Sources/VarveText"),
        // Blocks of LZ4, which the log's frames and the engine's images share.
        Module(folder: "Sources/VarveCompression", modules: ["CLZ4"]),
        // Foundation for `LocalizedError` alone, Synchronization for the locks that the layers above share.
        Module(
            folder: "Sources/VarveLog", modules: ["CVarve", "VarveCompression", "VarveText"],
            system: ["Foundation", "Synchronization"]),
        // Synchronization for the lock-free cache of how types are stored.
        Module(
            folder: "Sources/VarveEvents", modules: ["CVarve", "VarveText"],
            system: ["Foundation", "Synchronization"]),
        // Foundation for the canonical composition of texts, Synchronization for the stack of versions
        // whose snapshots are gone.
        Module(
            folder: "Sources/VarveTables", modules: ["CVarve", "VarveCompression", "VarveEvents"],
            system: ["Foundation", "Synchronization"]),
        Module(
            folder: "Sources/VarveGraph", modules: ["CVarve", "VarveEvents", "VarveText"],
            system: ["Foundation", "Synchronization"]),
        Module(
            folder: "Sources/VarveReplay",
            modules: ["CVarve", "VarveLog", "VarveEvents", "VarveTables"],
            system: ["Foundation"]),
        // CryptoKit or libcrypto for SHA-256, in one file.
        Module(
            folder: "Sources/VarveAssets",
            modules: ["CCrypto", "VarveLog", "VarveEvents", "VarveReplay"],
            system: ["CryptoKit"]),
        Module(
            folder: "Sources/Varve",
            modules: [
                "VarveLog", "VarveEvents", "VarveTables", "VarveReplay", "VarveAssets",
                "VarveGraph", "VarveText",
            ],
            system: ["Foundation", "Observation", "Synchronization"]),
        Module(
            folder: "Sources/VarveInspection",
            modules: [
                "VarveLog", "VarveEvents", "VarveTables", "VarveReplay", "VarveAssets", "VarveText",
            ],
            system: ["Foundation"]),
        Module(folder: "Sources/VarveMacros", system: syntaxModules),
        Module(
            folder: "Sources/VarveMacroPlugin", modules: ["VarveMacros"], system: syntaxModules),
        Module(
            folder: "Tools/varve", modules: ["VarveInspection", "VarveTerminal", "VarveText"],
            system: ["Foundation"]),
        // A full screen of two programs: keys, signals, the terminal's mode.
        Module(folder: "Tools/terminal", system: ["Foundation"]),
        Module(
            folder: "Tools/aptgraph", modules: ["Varve", "VarveText", "AptGraphInput"],
            system: ["Foundation"]),
        Module(
            folder: "Tools/torture-campaign",
            modules: ["Varve", "VarveLog", "VarveReplay", "VarveFuzzing", "VarveTestSupport"],
            system: ["Foundation"]),
        Module(
            folder: "Tools/torture-campaign/Main", modules: ["TortureCampaign"],
            system: ["Foundation"]),
        Module(
            folder: "Tools/outline", modules: ["Varve", "VarveTerminal", "VarveText"],
            system: ["Foundation"]),
        Module(folder: "Tools/outline/Main", modules: ["OutlineEditor"], system: ["Foundation"]),
        Module(folder: "Tools/varve/Main", modules: ["VarveTool"], system: ["Foundation"]),
        Module(folder: "Tools/aptgraph/Main", modules: ["AptGraph"], system: ["Foundation"]),
        Module(folder: "Tools/aptgraph/Input", modules: ["CLZ4"], system: ["Foundation"]),
    ]

    /// What the macro plugin is made of; it never sees the runtime that its expansions call.
    static let syntaxModules: Set<String> = [
        "SwiftBasicFormat", "SwiftCompilerPlugin", "SwiftCompilerPluginMessageHandling",
        "SwiftDiagnostics", "SwiftOperators", "SwiftParser", "SwiftParserDiagnostics",
        "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacroExpansion", "SwiftSyntaxMacros",
    ]

    /// The C library comes into the log through one file, the only one that differs by system.
    static let systemLibraries: Set<String> = ["Darwin", "Glibc", "Musl"]
    static let systemLibraryFolder = "Sources/VarveLog"

    @Test("Every import is one that the table permits")
    func importsArePermitted() throws {
        for file in try Repository.shared.swiftFiles("Sources", "Tools") {
            let module = try #require(Self.module(of: file.path), "\(file.path) is in no module")
            let permitted = module.modules.union(module.system)
            for found in Self.imports(of: file) {
                let isSystemLibrary =
                    Self.systemLibraries.contains(found.module)
                    && module.folder == Self.systemLibraryFolder
                #expect(
                    permitted.contains(found.module) || isSystemLibrary,
                    "\(file.path):\(found.line) imports \(found.module)")
            }
        }
    }

    @Test("One file of the log imports the C library, and no file of another module does")
    func systemLibraryInOneFile() throws {
        let files = try Repository.shared.swiftFiles("Sources", "Tools").filter { file in
            Self.imports(of: file).contains { Self.systemLibraries.contains($0.module) }
        }
        #expect(files.count <= 1, "\(files.map(\.path))")
    }

    @Test("One file of the log imports Foundation, which its errors need to be shown")
    func foundationInOneFile() throws {
        let files = try Repository.shared.swiftFiles(Self.systemLibraryFolder).filter { file in
            Self.imports(of: file).contains { $0.module == "Foundation" }
        }
        #expect(files.map(\.name) == ["LogError+LocalizedError.swift"])
    }

    @Test("The import declarations of Swift are recognised in all their forms")
    func recognition() {
        let forms = [
            "import A": "A", "  public import A": "A", "@testable import A // why": "A",
            "@_exported public import A": "A", "@_spi(Plugin) import A": "A",
            "package import struct A.B": "A", "#if canImport(A)": nil, "// import A": nil,
            "important = A": nil, "let x = 1; // import A": nil,
        ]
        for (line, module) in forms {
            let file = Repository.File(path: "x.swift", lines: [line])
            #expect(Self.imports(of: file).first?.module == module, "\(line)")
        }
    }

    /// The module with the longest folder that holds the file.
    static func module(of path: String) -> Module? {
        table.filter { path.hasPrefix($0.folder + "/") }.max { $0.folder.count < $1.folder.count }
    }

    static func imports(of file: Repository.File) -> [(line: Int, module: String)] {
        let declaration =
            #/
            ^ \s*
            ( (@\w+ (\([^)]*\))? | public | package | internal | fileprivate | private) \s+ )*
            import \s+
            ( (struct | class | enum | protocol | func | var | let | typealias) \s+ )?
            (?<module> \w+)
            /#
        return file.code.compactMap { line in
            guard line.text.contains("import "),
                let match = line.text.firstMatch(of: declaration)
            else { return nil }
            return (line.number, String(match.output.module))
        }
    }
}
