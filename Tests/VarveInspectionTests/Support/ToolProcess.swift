import Foundation
import Testing

/// One run of a program in a process of its own.
struct ToolProcess {
    let status: Int32
    let output: String
    let errors: String

    /// The folder of the programs that were built along with the tests.
    static var folder: URL {
        get throws {
            let bundle = ProcessInfo.processInfo.arguments
                .flatMap { $0.split(separator: "=").map(String.init) }
                .first { $0.contains(".xctest") }
            let path = try #require(bundle, "the tests run outside of a bundle")
            var url = URL(fileURLWithPath: path)
            while url.path.contains(".xctest") { url.deleteLastPathComponent() }
            return url
        }
    }

    /// Runs `varve`.
    init(_ arguments: [String], _ variables: [String: String] = [:]) throws {
        let program = try Self.folder.appendingPathComponent("varve").path
        try self.init(program: program, arguments, variables)
    }

    /// - Parameter variables: in addition to those of the tests.
    init(program: String, _ arguments: [String], _ variables: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // What these programs complain of fits a pipe, so that one is read after the other.
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        status = process.terminationStatus
        self.output = String(decoding: text, as: UTF8.self)
        self.errors = String(decoding: complaint, as: UTF8.self)
    }

    /// Where a program is; nil where it is not installed.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
