import BenchmarkSupport
import Foundation

/// Compiles a client's module against a built library, with the options that SwiftPM passes.
struct ClientCompilation {
    enum Configuration: String, Codable, CaseIterable {
        case release, debug

        var options: [String] {
            switch self {
            case .release: ["-O", "-whole-module-optimization"]
            case .debug: ["-Onone", "-enable-batch-mode", "-enable-testing"]
            }
        }
    }

    let model: ClientModel
    let configuration: Configuration
    /// Where SwiftPM put what it built: `release` and `debug`, each with its modules.
    let build: URL
    /// The library's own package.
    let package: URL

    /// - Throws: ``Failure`` with what the compiler said.
    func run() throws -> CompilationCost {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varve-compile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer {
            // What is left of it can be removed by hand; the figures hold.
            try? FileManager.default.removeItem(at: directory)
        }
        let source = directory.appending(path: "Model.swift")
        let object = directory.appending(path: "Model.o")
        try Data(model.source.utf8).write(to: source)
        let usage = try MeasuredProcess.run(
            command(source: source, object: object), messages: directory.appending(path: "messages")
        )
        return CompilationCost(
            model: model, configuration: configuration, seconds: usage.processorSeconds,
            peakBytes: usage.peakBytes, codeBytes: try ObjectCode.byteCount(of: object))
    }

    private func command(source: URL, object: URL) -> [String] {
        // As SwiftPM spells it: the compiler takes one module in two places for two modules.
        let products = build.appending(path: configuration.rawValue).resolvingSymlinksInPath()
        let plugin = products.appending(path: "VarveMacroPlugin-tool").path
        let maps = [
            products.appending(path: "CVarve.build/module.modulemap"),
            package.appending(path: "Sources/CLZ4/module.modulemap"),
            package.appending(path: "Sources/CCrypto/module.modulemap"),
        ]
        return [
            "swiftc", "-module-name", "Model", "-parse-as-library", "-swift-version", "6", "-g",
        ]
            + configuration.options
            + ["-c", source.path, "-o", object.path]
            + ["-I", products.appending(path: "Modules").path]
            + ["-module-cache-path", products.appending(path: "ModuleCache").path]
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
            + ["-Xfrontend", "-load-plugin-executable", "-Xfrontend", "\(plugin)#VarveMacroPlugin"]
    }
}

/// What it takes to compile a client's module.
struct CompilationCost: Codable {
    let model: ClientModel
    let configuration: ClientCompilation.Configuration
    /// Processor time of the compiler and its plugins.
    let seconds: Double
    /// Resident memory of the largest process among them, at its peak.
    let peakBytes: Int
    let codeBytes: Int

    var codeBytesPerEntity: Int { codeBytes / max(1, model.entityCount) }
}

/// Why something could not be measured.
struct Failure: Error, CustomStringConvertible {
    let description: String
}
