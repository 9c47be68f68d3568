// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// The macro plugin is built on the SwiftSyntax that ships inside the toolchain wherever that copy
// exists: no network, and seconds instead of minutes. Elsewhere the swift-syntax package serves.
// The toolchain is found from where this manifest's own PackageDescription library was loaded;
// nothing here may depend on the package's directory, which is "/" while SwiftPM resolves.
let toolchainHost: String? = {
    #if os(Linux)
        // Line by line: reading /proc/self/maps as a whole returns its first page only.
        guard let maps = fopen("/proc/self/maps", "r") else { return nil }
        defer { fclose(maps) }
        var line = [CChar](repeating: 0, count: 8192)
        while fgets(&line, Int32(line.count), maps) != nil {
            let text = String(
                decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.contains("/libPackageDescription.so"), let start = text.firstIndex(of: "/")
            else { continue }
            // …/usr/lib/swift/pm/ManifestAPI/libPackageDescription.so
            let host =
                "/" + text[start...].split(separator: "/").dropLast(3).joined(separator: "/")
                + "/host"
            return access(host + "/SwiftSyntax.swiftmodule", F_OK) == 0 ? host : nil
        }
    #endif
    return nil
}()

// The fuzzer's program needs libFuzzer's entry point: only Tools/fuzz builds it.
let fuzzers: [Target] =
    Context.environment["VARVE_FUZZING"] == "1"
    ? [
        .executableTarget(
            name: "VarveFuzzer", dependencies: ["VarveFuzzing"], path: "Fuzz",
            exclude: ["Corpus"], swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    ] : []

// It measures what the package does not publish. Only Benchmarks/engine builds it.
let engineBenchmark: [Target] =
    Context.environment["VARVE_ENGINE_BENCHMARK"] == "1"
    ? [
        .systemLibrary(
            name: "CLMDB", path: "Benchmarks/Sources/CLMDB",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .target(name: "BenchmarkSupport", path: "Benchmarks/Sources/BenchmarkSupport"),
        .executableTarget(
            name: "EngineBenchmark",
            dependencies: [
                "BenchmarkSupport", "CLMDB", "VarveEvents", "VarveGraph", "VarveTables",
            ], path: "Benchmarks/Sources/EngineBenchmark",
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ] : []

let strict = Context.environment["VARVE_STRICT"] == "1"

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
    ] + (strict ? [.treatAllWarnings(as: .error)] : [])

// Modules that are optimized in debug builds too, with their assertions, because tests wait for them: the library, the
// tool, and what tests share. Tools/test sets it.
let librarySettings: [SwiftSetting] =
    settings
    + (Context.environment["VARVE_OPTIMIZED"] == "1"
        ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : [])

let macroSettings: [SwiftSetting] =
    settings
    + (toolchainHost.map { [.unsafeFlags(["-I", $0]), .define("VARVE_TOOLCHAIN_SYNTAX")] } ?? [])

let macroLinkerSettings: [LinkerSetting] =
    toolchainHost.map { host in
        [
            .unsafeFlags(["-L", host, "-Xlinker", "-rpath", "-Xlinker", host]),
            .linkedLibrary("SwiftSyntax"),
            .linkedLibrary("SwiftSyntaxMacros"),
            .linkedLibrary("SwiftSyntaxBuilder"),
            .linkedLibrary("SwiftDiagnostics"),
            .linkedLibrary("SwiftParser"),
            .linkedLibrary("SwiftParserDiagnostics"),
            .linkedLibrary("SwiftBasicFormat"),
            .linkedLibrary("SwiftOperators"),
            .linkedLibrary("SwiftSyntaxMacroExpansion"),
            .linkedLibrary("SwiftCompilerPluginMessageHandling"),
        ]
    } ?? []

func syntaxProducts(_ names: String...) -> [Target.Dependency] {
    toolchainHost == nil ? names.map { .product(name: $0, package: "swift-syntax") } : []
}

let macroDependencies = syntaxProducts(
    "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics",
    "SwiftCompilerPlugin")

let package = Package(
    name: "varve",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Varve", targets: ["Varve"]),
        .library(name: "VarveGraph", targets: ["VarveGraph"]),
        .library(name: "VarveInspection", targets: ["VarveInspection"]),
        .executable(name: "varve", targets: ["VarveToolMain"]),
        .executable(name: "aptgraph", targets: ["AptGraphMain"]),
        .executable(name: "outline", targets: ["OutlineMain"]),
    ],
    dependencies: toolchainHost == nil
        ? [.package(url: "https://github.com/swiftlang/swift-syntax.git", from: "602.0.0")] : [],
    targets: [
        // Libraries: an arrow in Docs/ARCHITECTURE.md is the only permission to import.
        .systemLibrary(
            name: "CLZ4", pkgConfig: "liblz4",
            providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
        // SHA-256, of assets. On Apple platforms the system has it.
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CVarve"),
        .target(name: "VarveText", swiftSettings: librarySettings),
        .target(name: "VarveCompression", dependencies: ["CLZ4"], swiftSettings: librarySettings),
        .target(
            name: "VarveLog", dependencies: ["CVarve", "VarveCompression", "VarveText"],
            swiftSettings: librarySettings),
        .target(
            name: "VarveEvents", dependencies: ["CVarve", "VarveText"],
            swiftSettings: librarySettings),
        .target(
            name: "VarveTables", dependencies: ["CVarve", "VarveCompression", "VarveEvents"],
            swiftSettings: librarySettings),
        .target(
            name: "VarveGraph",
            dependencies: ["CVarve", "VarveEvents", "VarveMacroPlugin", "VarveText"],
            swiftSettings: librarySettings),
        // A library of its own: tests that depend on a plugin, and all that they need, are built for the
        // machine that compiles, beside what programs need, so that everything is compiled twice.
        .target(
            name: "VarveMacros", dependencies: macroDependencies, swiftSettings: macroSettings,
            linkerSettings: macroLinkerSettings),
        .macro(
            name: "VarveMacroPlugin", dependencies: ["VarveMacros"] + macroDependencies,
            swiftSettings: macroSettings, linkerSettings: macroLinkerSettings),
        .target(
            name: "VarveReplay",
            dependencies: ["CVarve", "VarveLog", "VarveEvents", "VarveTables"],
            swiftSettings: librarySettings),
        .target(
            name: "VarveAssets",
            dependencies: [
                .byName(name: "CCrypto", condition: .when(platforms: [.linux])), "VarveLog",
                "VarveEvents", "VarveReplay",
            ], swiftSettings: librarySettings),
        .target(
            name: "Varve",
            dependencies: [
                "VarveLog", "VarveEvents", "VarveTables", "VarveReplay", "VarveAssets",
                "VarveGraph", "VarveText",
            ], swiftSettings: librarySettings),
        .target(
            name: "VarveInspection",
            dependencies: [
                "VarveLog", "VarveEvents", "VarveTables", "VarveReplay", "VarveAssets", "VarveText",
            ],
            swiftSettings: librarySettings),

        // Tools
        .target(name: "VarveTerminal", path: "Tools/terminal", swiftSettings: settings),
        .target(
            name: "VarveTool", dependencies: ["VarveInspection", "VarveTerminal", "VarveText"],
            path: "Tools/varve", exclude: ["Main"], swiftSettings: librarySettings),
        .executableTarget(
            name: "VarveToolMain", dependencies: ["VarveTool"], path: "Tools/varve/Main",
            swiftSettings: settings),
        .target(
            name: "AptGraph", dependencies: ["Varve", "VarveText", "AptGraphInput"],
            path: "Tools/aptgraph",
            exclude: ["Input", "Main"], swiftSettings: settings),
        .executableTarget(
            name: "AptGraphMain", dependencies: ["AptGraph"], path: "Tools/aptgraph/Main",
            swiftSettings: settings),
        .target(
            name: "AptGraphInput", dependencies: ["CLZ4"], path: "Tools/aptgraph/Input",
            swiftSettings: settings),
        .target(
            name: "TortureCampaign",
            dependencies: ["Varve", "VarveLog", "VarveReplay", "VarveTestSupport", "VarveFuzzing"],
            path: "Tools/torture-campaign", exclude: ["Main"], swiftSettings: settings),
        .executableTarget(
            name: "TortureMain", dependencies: ["TortureCampaign"],
            path: "Tools/torture-campaign/Main", swiftSettings: settings),
        .target(
            name: "OutlineEditor", dependencies: ["Varve", "VarveTerminal", "VarveText"],
            path: "Tools/outline", exclude: ["Main"], swiftSettings: settings),
        .executableTarget(
            name: "OutlineMain", dependencies: ["OutlineEditor"], path: "Tools/outline/Main",
            swiftSettings: settings),

        // Tests
        .target(
            name: "VarveTestSupport", dependencies: ["VarveLog", "VarveEvents"],
            path: "Tests/VarveTestSupport", swiftSettings: librarySettings),
        // What fuzzers feed.
        .target(
            name: "VarveFuzzing",
            dependencies: [
                "VarveLog", "VarveEvents", "VarveTables", "VarveInspection", "VarveTool",
                "VarveTestSupport",
            ], path: "Tests/VarveFuzzing", swiftSettings: librarySettings),
        .testTarget(
            name: "VarveLogTests",
            dependencies: ["VarveCompression", "VarveLog", "VarveTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "VarveEventsTests", dependencies: ["VarveEvents", "VarveTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "VarveTablesTests",
            dependencies: ["VarveCompression", "VarveTables", "VarveTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "VarveGraphTests", dependencies: ["VarveGraph", "VarveTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "VarveMacrosTests",
            dependencies: ["VarveMacros"] + macroDependencies
                + syntaxProducts("SwiftParser", "SwiftSyntaxMacroExpansion"),
            swiftSettings: macroSettings, linkerSettings: macroLinkerSettings),
        .testTarget(
            name: "VarveTests", dependencies: ["Varve", "VarveAssets", "VarveTestSupport"],
            // Read where they lie, by the tests of migrations.
            exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "VarveInspectionTests",
            dependencies: [
                "VarveInspection", "VarveTool", "VarveToolMain", "VarveTerminal", "Varve",
                "VarveText", "VarveTestSupport", "VarveFuzzing",
            ],
            // Read where they lie, by the tests of golden stores.
            exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "AptGraphTests", dependencies: ["AptGraphInput", "CLZ4"],
            swiftSettings: settings),
        .testTarget(
            name: "AptGraphProgramTests", dependencies: ["AptGraph", "AptGraphInput", "Varve"],
            swiftSettings: settings),
        .testTarget(
            name: "OutlineTests",
            dependencies: ["OutlineEditor", "OutlineMain", "VarveTerminal", "Varve"],
            swiftSettings: settings),
        // Written from the manual and the list of behaviours, against the public interface alone.
        .testTarget(
            name: "ConformanceTests", dependencies: ["VarveGraph"], swiftSettings: settings),
        .testTarget(name: "TidyTests", swiftSettings: settings),
    ] + fuzzers + engineBenchmark
)

// To work on one module: VARVE_TESTS=VarveTablesTests leaves out what these test targets do not need.
if let names = Context.environment["VARVE_TESTS"] {
    var needed = Set(names.split(separator: ",").map(String.init))
    var isComplete = false
    while !isComplete {
        let former = needed.count
        for target in package.targets where needed.contains(target.name) {
            for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
        }
        isComplete = needed.count == former
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        let targets =
            (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets
        return !(targets ?? []).allSatisfy(needed.contains)
    }
}
