import Foundation

/// Runs the engines in turns and collects what they found.
struct Comparison {
    let options: Options
    private(set) var figures: [EngineName: [Figure: [Double]]] = [:]

    init(_ options: Options) { self.options = options }

    func run() throws -> Comparison {
        var collected = self
        for run in 0..<options.runs {
            var answers: [String: (UInt64, EngineName)] = [:]
            for engine in options.engines {
                note("run \(run + 1) of \(options.runs): \(engine.rawValue)")
                let result = try collected.measure(engine)
                for (query, answer) in result.answers {
                    let (expected, other) = answers[query] ?? (answer, engine)
                    guard expected == answer else {
                        throw EngineError(
                            engine, "\(query) is answered otherwise than by \(other.rawValue)")
                    }
                    answers[query] = (expected, other)
                }
            }
        }
        return collected
    }

    private mutating func measure(_ engine: EngineName) throws -> RunResult {
        let result = try withDirectory { directory in
            let result = try child(.work, engine, directory)
            add(result)
            _ = try child(.kill, engine, directory)
            add(try child(.open, engine, directory))
            return result
        }
        try withDirectory { directory in
            add(try child(engine == .varve ? .varve : .duel, engine, directory))
        }
        return result
    }

    private mutating func add(_ result: RunResult) {
        for (figure, value) in result.figures {
            figures[result.engine, default: [:]][figure, default: []].append(value)
        }
    }

    private func withDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let directory = options.directory.appending(path: "varve-peers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer {
            // What is left of it can be removed by hand; the figures stand.
            try? FileManager.default.removeItem(at: directory)
        }
        return try body(directory)
    }

    /// What the child printed last; the empty result when it left without a word, as it should when
    /// it is killed.
    private func child(
        _ stage: Child.Stage, _ engine: EngineName, _ directory: URL
    ) throws -> RunResult {
        let child = Child(stage, engine, size: options.size, directory: directory)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = child.arguments
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw EngineError(engine, "\(stage.rawValue) ended with \(process.terminationStatus)")
        }
        guard let line = text.split(separator: UInt8(ascii: "\n")).last else {
            return RunResult(engine: engine)
        }
        return try JSONDecoder().decode(RunResult.self, from: Data(line))
    }

    private func note(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}
