import Foundation

/// What a process does that ``Comparison`` started.
struct Child {
    enum Stage: String {
        /// All that is asked of every engine, from the empty directory on.
        case work
        /// Opens what that left, and closes it.
        case reopen
        /// Opens what the work left, commits, and is killed.
        case kill
        /// Opens what that left.
        case open
        /// Commits of Varve and of another one, in turns.
        case duel
        /// Writes a log without a checkpoint.
        case log
        /// Opens what that left, and compacts it.
        case replay
        case graph, time, churn, text, debian
        /// What the machine allows.
        case limit
        /// A part of the work, at a smaller size.
        case growth

        /// Whether it works on what the stage before it left.
        var goesOn: Bool { [.reopen, .kill, .open, .replay].contains(self) }
    }

    let stage: Stage
    let engine: EngineName
    let size: Int
    let directory: URL

    init(_ stage: Stage, _ engine: EngineName, size: Int, directory: URL) {
        self.stage = stage
        self.engine = engine
        self.size = size
        self.directory = directory
    }

    /// Nil where the arguments are a user's.
    init?(_ arguments: [String]) {
        guard arguments.count == 5, arguments[0] == "--child",
            let stage = Stage(rawValue: arguments[1]),
            let engine = EngineName(rawValue: arguments[2]),
            let size = Int(arguments[3])
        else { return nil }
        self.init(stage, engine, size: size, directory: URL(filePath: arguments[4]))
    }

    private var arguments: [String] {
        ["--child", stage.rawValue, engine.rawValue, String(size), directory.path]
    }

    /// Does it, and prints what it found as one line of JSON.
    func run() throws {
        var result = try result()
        // What this system does not tell is no figure, and JSON has no way to write it.
        result.figures = result.figures.filter(\.value.isFinite)
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }

    private func result() throws -> RunResult {
        var session = Session(self)
        switch stage {
        case .work: return try session.run()
        case .growth: return try session.runForGrowth()
        case .reopen: return try session.runReopened()
        case .kill: try session.beKilled()
        case .open: return try session.runOpened()
        case .duel: return try Duel(child: self).run()
        case .log: return try LogWork(child: self).write()
        case .replay: return try LogWork(child: self).replay()
        case .graph: return try GraphWork(child: self).run()
        case .time: return try TimeWork(child: self).run()
        case .churn: return try ChurnWork(child: self).run()
        case .text: return try TextWork(child: self).run()
        case .debian: return try DebianWork(child: self).run()
        case .limit: return try LimitWork(child: self).run()
        }
    }

    /// Runs a process that does it.
    func start() throws -> RunResult {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        if stage == .kill {
            guard process.terminationReason == .uncaughtSignal,
                process.terminationStatus == SIGKILL
            else { throw EngineError(engine, "\(stage.rawValue) ended before it was killed") }
            return RunResult(engine)
        }
        guard process.terminationStatus == 0,
            let line = text.split(separator: UInt8(ascii: "\n")).last
        else {
            throw EngineError(engine, "\(stage.rawValue) ended with \(process.terminationStatus)")
        }
        return try JSONDecoder().decode(RunResult.self, from: Data(line))
    }
}
