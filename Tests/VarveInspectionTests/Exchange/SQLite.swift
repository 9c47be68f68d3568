import Foundation

/// The program `sqlite3`, where it is there: `Tools/setup` installs it with VARVE_STRICT=1.
struct SQLite {
    private static let path = "/usr/bin/sqlite3"

    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: path) }

    let database: String

    /// Runs statements of a file; returns what was printed, rows as SQL literals.
    func run(file: String) throws -> (output: String, errors: String, status: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = ["-batch", "-quote", database]
        process.standardInput = FileHandle(forReadingAtPath: file)
        let outputPath = database + ".output"
        _ = FileManager.default.createFile(atPath: outputPath, contents: nil)
        process.standardOutput = FileHandle(forWritingAtPath: outputPath)
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let problems = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let output = try Data(contentsOf: URL(fileURLWithPath: outputPath))
        return (
            String(decoding: output, as: UTF8.self), String(decoding: problems, as: UTF8.self),
            process.terminationStatus
        )
    }
}
