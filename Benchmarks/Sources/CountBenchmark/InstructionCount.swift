import Foundation

/// Instructions that a path takes, counted by valgrind's callgrind in processes of their own.
struct InstructionCount {
    let path: CorePath

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Of one repetition: the difference of two runs, so that what every run does once goes out.
    func perOperation() throws -> Double {
        let once = try total(path.count)
        let twice = try total(2 * path.count)
        return Double(twice - once) / Double(path.count)
    }

    private func total(_ count: Int) throws -> Int {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "varve-count-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer {
            // What is left of it can be removed by hand; the count stands.
            try? FileManager.default.removeItem(at: directory)
        }
        let program = URL(filePath: CommandLine.arguments[0]).path
        let arguments = [path.rawValue, String(count), directory.path]
        _ = try output([program, "--prepare"] + arguments)
        let report = try output(
            ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "--run"]
                + arguments)
        let line = report.split(separator: "\n").last { $0.contains("Collected") }
        guard let number = line?.split(separator: ":").last,
            let total = Int(number.trimmingCharacters(in: .whitespaces))
        else { throw Failure(description: "callgrind counted nothing:\n\(report.suffix(2_000))") }
        return total
    }

    /// What a command writes to its standard error.
    private func output(_ command: [String]) throws -> String {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.standardError = errors
        // Hashing with the same seed every time takes the same steps every time.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_DETERMINISTIC_HASHING": "1"]
        ) { $1 }
        try process.run()
        let data = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(path.rawValue) failed:\n\(text.suffix(2_000))")
        }
        return text
    }
}
