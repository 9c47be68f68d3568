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
        /// On more data than memory.
        case largeLoad, largeRead, largeUpdate, largeBackup

        /// Whether it works on what the stage before it left.
        var goesOn: Bool {
            [.reopen, .kill, .open, .replay, .largeRead, .largeUpdate, .largeBackup].contains(self)
        }

        var isLarge: Bool {
            [.largeLoad, .largeRead, .largeUpdate, .largeBackup].contains(self)
        }
    }

    let stage: Stage
    let engine: EngineName
    let size: Int
    let directory: URL
    /// How many bytes of memory it may have; nil for any number.
    var memory: Int?

    init(_ stage: Stage, _ engine: EngineName, size: Int, directory: URL) {
        self.stage = stage
        self.engine = engine
        self.size = size
        self.directory = directory
    }

    /// Nil where the arguments are a user's.
    init?(_ arguments: [String]) {
        guard arguments.count == 5 || arguments.count == 6, arguments[0] == "--child",
            let stage = Stage(rawValue: arguments[1]),
            let engine = EngineName(rawValue: arguments[2]),
            let size = Int(arguments[3])
        else { return nil }
        self.init(stage, engine, size: size, directory: URL(filePath: arguments[4]))
        memory = arguments.count == 6 ? Int(arguments[5]) : nil
    }

    private var arguments: [String] {
        ["--child", stage.rawValue, engine.rawValue, String(size), directory.path]
            + (memory.map { [String($0)] } ?? [])
    }

    /// Does it, and prints what it found as one line of JSON.
    func run() throws {
        let remark = memory.flatMap { MemoryLimit(bytes: $0).apply() }
        var result = try result()
        if let remark { result.remarks.append("\(engine.title): \(remark)") }
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
        case .largeLoad: return try LargeWork(child: self).load()
        case .largeRead: return try LargeWork(child: self).read()
        case .largeUpdate: return try LargeWork(child: self).update()
        case .largeBackup: return try LargeWork(child: self).backUp()
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
        if memory != nil { MemoryLimit.end(of: process.processIdentifier) }
        if stage == .kill {
            guard process.terminationReason == .uncaughtSignal,
                process.terminationStatus == SIGKILL
            else { throw EngineError(engine, "\(stage.rawValue) ended before it was killed") }
            return RunResult(engine)
        }
        // Where a control group limits it, the system kills it; else it ends itself, as no memory is to be had.
        if memory != nil, process.terminationReason == .uncaughtSignal {
            throw OutOfMemory(
                description: "\(engine.title): \(stage.rawValue) of \(size) users does not fit")
        }
        guard process.terminationStatus == 0,
            let line = text.split(separator: UInt8(ascii: "\n")).last
        else {
            throw EngineError(engine, "\(stage.rawValue) ended with \(process.terminationStatus)")
        }
        return try JSONDecoder().decode(RunResult.self, from: Data(line))
    }
}

/// The system ended a process that needed more memory than it may have: something to know of an engine, and no failure of
/// the benchmark.
struct OutOfMemory: Error, CustomStringConvertible {
    let description: String
}
