import Foundation

/// What a process does that ``Comparison`` started.
struct Child {
    enum Stage: String {
        /// All work, from the empty directory on.
        case work
        /// Opens, commits and is gone without closing.
        case kill
        /// Opens.
        case open
        /// Commits of Varve and of the engine, in turns.
        case duel
        /// What only Varve is asked.
        case varve
    }

    let stage: Stage
    let engine: EngineName
    let size: Int
    let directory: URL

    /// Nil where the arguments are a user's.
    init?(_ arguments: [String]) {
        guard arguments.count == 5, arguments[0] == "--child",
            let stage = Stage(rawValue: arguments[1]),
            let engine = EngineName(rawValue: arguments[2]),
            let size = Int(arguments[3])
        else { return nil }
        self.stage = stage
        self.engine = engine
        self.size = size
        directory = URL(filePath: arguments[4])
    }

    var arguments: [String] {
        ["--child", stage.rawValue, engine.rawValue, String(size), directory.path]
    }

    init(_ stage: Stage, _ engine: EngineName, size: Int, directory: URL) {
        self.stage = stage
        self.engine = engine
        self.size = size
        self.directory = directory
    }

    /// Does it, and prints what it found as one line of JSON.
    func run() throws {
        var session = Session(engine, size: size, directory: directory)
        var result = RunResult(engine: engine)
        switch stage {
        case .work:
            try session.run()
            result = session.result
        case .kill: try session.leaveOpen()
        case .open: result.figures[.openAfterKill] = try session.open()
        case .duel: result = try Duel(engine, size: size, directory: directory).run()
        case .varve: result = try VarveWork(size: size, directory: directory).run()
        }
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }
}
