import Foundation

/// One run of one engine, from the empty directory to the reopened store.
struct Session {
    let name: EngineName
    let size: Int
    let directory: URL
    private(set) var result: RunResult

    init(_ name: EngineName, size: Int, directory: URL) {
        self.name = name
        self.size = size
        self.directory = directory
        result = RunResult(engine: name)
    }

    /// Everything but what needs a process that was killed.
    mutating func run() throws {
        let before = ProcessFigures.residentBytes
        let engine = try name.type.init(at: directory, cache: .large)
        try load(engine)
        result.figures[.memory] = (ProcessFigures.residentBytes - before) / 1e6
        try engine.beginReading()
        try readPoints(engine)
        try readMany(engine)
        try change(engine)
        try commit(engine)
        try commitSynced(engine)
        try commitTogether(engine)
        result.figures[.compaction] = try WallClock.seconds { try engine.compact() }
        try engine.close()
        result.figures[.size] = ProcessFigures.allocatedBytes(of: directory) / 1e6
        result.figures[.open] = try open()
    }

    /// Opens, reads one user and closes; answers the milliseconds of the first two.
    func open() throws -> Double {
        var opened: (any Engine)?
        let seconds = try WallClock.seconds {
            let engine = try name.type.init(at: directory, cache: .large)
            try engine.beginReading()
            guard try engine.user(Dataset.id("u", size / 2)) != nil else {
                throw EngineError(name, "a loaded user is not there")
            }
            opened = engine
        }
        try opened?.close()
        return seconds * 1e3
    }

    /// Commits a little and leaves the process as a kill would.
    func leaveOpen() throws -> Never {
        let engine = try name.type.init(at: directory, cache: .large)
        for number in 0..<100 {
            try engine.insert(Dataset.user(9_000_000 + number), synced: true)
        }
        _exit(0)
    }

    // MARK: - Load

    private mutating func load(_ engine: any Engine) throws {
        let written = ProcessFigures.bytesWritten
        var seconds = 0.0
        for start in stride(from: 0, to: size, by: 500) {
            let numbers = start..<min(size, start + 500)
            let users = numbers.map { Dataset.user($0) }
            let posts = numbers.map { Dataset.post($0, of: numbers.upperBound) }
            seconds += try WallClock.seconds { try engine.load(users: users, posts: posts) }
        }
        seconds += try WallClock.seconds { try engine.sync() }
        result.figures[.load] = Double(2 * size) / seconds
        result.figures[.loadWritten] = (ProcessFigures.bytesWritten - written) / 1e6
    }

    // MARK: - Reads

    private mutating func readPoints(_ engine: any Engine) throws {
        let numbers = Dataset.randomNumbers(min(size, 200_000), below: size, seed: 1)
        let ids = numbers.map { Dataset.id("u", $0) }
        try repeatedly(.pointRead, ids) { try engine.user($0) ?? 0 }
        let emails = numbers.prefix(20_000).map { Dataset.user($0).email }
        try repeatedly(.email, Array(emails)) { try engine.user(email: $0) ?? 0 }
        try repeatedly(.postsOfAuthor, Array(ids.prefix(20_000))) {
            UInt64(try engine.posts(of: $0))
        }
    }

    private mutating func repeatedly(
        _ figure: Figure, _ keys: [String], _ body: (String) throws -> UInt64
    ) throws {
        var sum: UInt64 = 0
        let seconds = try WallClock.seconds { for key in keys { sum &+= try body(key) } }
        result.figures[figure] = Double(keys.count) / seconds
        result.answers[figure.rawValue] = sum
    }

    private mutating func readMany(_ engine: any Engine) throws {
        try rows(.scan) { try engine.scan() }
        try rows(.ageRange) { try engine.users(ages: 40...49) }
        try rows(.city) {
            var all = Answer()
            for number in 0..<20 {
                let answer = try engine.users(city: Dataset.city(number * 7))
                all.count += answer.count
                all.digest &+= answer.digest
            }
            return all
        }
    }

    private mutating func rows(_ figure: Figure, _ body: () throws -> Answer) throws {
        var answer = Answer()
        let seconds = try WallClock.seconds { answer = try body() }
        result.figures[figure] = Double(answer.count) / seconds
        result.answers[figure.rawValue] = answer.digest &+ UInt64(answer.count)
    }

    // MARK: - Changes

    private mutating func change(_ engine: any Engine) throws {
        let count = min(size, 50_000)
        let updates = Dataset.randomNumbers(count, below: size, seed: 2).map {
            (id: Dataset.id("u", $0), score: Double($0 % 1_000))
        }
        var seconds = try WallClock.seconds {
            for start in stride(from: 0, to: count, by: 100) {
                try engine.setScores(Array(updates[start..<min(count, start + 100)]))
            }
        }
        result.figures[.update] = Double(count) / seconds
        let extras = (0..<min(size, 10_000)).map { Dataset.user(5_000_000 + $0) }
        try engine.load(users: extras, posts: [])
        seconds = try WallClock.seconds {
            for start in stride(from: 0, to: extras.count, by: 100) {
                let batch = extras[start..<min(extras.count, start + 100)]
                try engine.delete(users: batch.map(\.id))
            }
        }
        result.figures[.delete] = Double(extras.count) / seconds
    }

    // MARK: - Commits

    private mutating func commit(_ engine: any Engine) throws {
        let users = (0..<20_000).map { Dataset.user(6_000_000 + $0) }
        let seconds = try WallClock.seconds {
            for user in users { try engine.insert(user, synced: false) }
        }
        result.figures[.commit] = Double(users.count) / seconds
    }

    private mutating func commitSynced(_ engine: any Engine) throws {
        var latencies: [Double] = []
        for number in 0..<2_000 {
            let user = Dataset.user(7_000_000 + number)
            latencies.append(try WallClock.seconds { try engine.insert(user, synced: true) })
        }
        result.figures[.syncedCommit] = Double(latencies.count) / latencies.reduce(0, +)
        latencies.sort()
        result.figures[.syncedP50] = latencies[latencies.count / 2] * 1e6
        result.figures[.syncedP99] = latencies[latencies.count * 99 / 100] * 1e6
    }

    private mutating func commitTogether(_ engine: any Engine) throws {
        let rate = try Writers(count: 32, commits: 200).run(on: engine)
        result.figures[.writers32] = rate
        result.figures[.batch32] = rate / (result.figures[.syncedCommit] ?? .nan)
    }
}
