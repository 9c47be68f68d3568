import BenchmarkSupport
import Foundation

/// One run of one engine, from the empty directory to the reopened store.
struct Session: Work {
    let child: Child
    var result: RunResult

    private var size: Int { child.size }

    init(_ child: Child) {
        self.child = child
        result = RunResult(child.engine)
    }

    /// Everything but what needs a process that was killed.
    mutating func run() throws -> RunResult {
        let engine = try begin()
        try readThroughSnapshots(engine)
        try readNested(engine)
        try delete(engine)
        try Rest.wait(for: name)
        try commit(engine)
        try Rest.wait(for: name)
        let seconds = try WallClock.seconds { try engine.compact() }
        // LMDB reuses its pages in place and has nothing to compact.
        if name != .lmdb { result.figures[.compaction] = seconds }
        // Behind that compaction none falls due in the middle of the turns.
        try Rest.wait(for: name)
        try commitSynced(engine)
        try Rest.wait(for: name)
        try engine.compact()
        try end(engine)
        return result
    }

    /// What is shown at several sizes.
    mutating func runForGrowth() throws -> RunResult {
        let engine = try begin()
        try engine.compact()
        try end(engine)
        return result
    }

    /// What a process finds that opens what another one left.
    mutating func runOpened() throws -> RunResult {
        let before = ProcessFigures.residentBytes
        let (engine, milliseconds) = try opened(.large)
        result.figures[.openAfterKill] = milliseconds
        // The second time, so that every engine has in memory what it keeps there.
        for _ in 0..<2 {
            try readPoints(engine, .openedRead, email: .openedEmail)
            try readMany(engine, isOpened: true)
        }
        try engine.endReading()
        result.figures[.openedMemory] = (ProcessFigures.residentBytes - before) / 1e6
        try engine.compactForSize()
        try engine.close()
        result.figures[.sizeSmallest] = ProcessFigures.allocatedBytes(of: directory) / 1e6
        // How many users were committed in the time for it, and were read, is each engine's own.
        result.answers = [:]
        return result
    }

    private mutating func begin() throws -> any Engine {
        let before = ProcessFigures.residentBytes
        let engine = try name.type.init(at: directory, cache: .large)
        try load(engine)
        let memory = ProcessFigures.residentBytes - before
        result.figures[.memory] = memory / 1e6
        if name == .varve { result.figures[.memoryRatio] = memory / Double(work.rawBytes) }
        try Rest.wait(for: name)
        try engine.beginReading()
        try readPoints(engine)
        try readMany(engine)
        try engine.endReading()
        try update(engine)
        try Rest.wait(for: name)
        return engine
    }

    private mutating func end(_ engine: any Engine) throws {
        try engine.close()
        result.figures[.size] = ProcessFigures.allocatedBytes(of: directory) / 1e6
        guard name == .varve else { return }
        let again = try name.type.init(at: directory, cache: .large)
        // Where nothing changed since the checkpoint, a compaction writes none.
        try again.setScores([(Dataset.userID(0), 0.75)])
        try again.compact()
        try again.close()
        result.figures[.sizeSettled] = ProcessFigures.allocatedBytes(of: directory) / 1e6
    }

    /// What a process finds that was started to open the store: memory that a store was in before is in pieces, and
    /// memory that another process still has cannot be had.
    mutating func runReopened() throws -> RunResult {
        let (engine, milliseconds) = try opened(.large)
        result.figures[.open] = milliseconds
        // Each is the first look into an index of the users, or the first that must find no user with an e-mail.
        let (email, age) = (Dataset.user(size / 2).email, 41)
        result.figures[.openEmail] =
            try WallClock.seconds {
                result.answers[Figure.openEmail.rawValue] = try engine.user(email: email)
            } * 1e3
        result.figures[.openAge] =
            try WallClock.seconds { _ = try engine.users(ages: age...age) } * 1e3
        try engine.endReading()
        result.figures[.openSave] =
            try WallClock.seconds {
                try engine.insert(Dataset.user(9_900_000), synced: false)
            } * 1e3
        try engine.close()
        return result
    }

    /// Commits a little and is killed, without a chance to close anything.
    func beKilled() throws -> Never {
        let engine = try name.type.init(at: directory, cache: .large)
        for number in 0..<100 {
            try engine.insert(Dataset.user(9_000_000 + number), synced: true)
        }
        kill(getpid(), SIGKILL)
        preconditionFailure("the process outlived its death")
    }

    // MARK: - Load

    private mutating func load(_ engine: any Engine) throws {
        let written = ProcessFigures.bytesWritten
        result.figures[.load] = try loadRate(of: engine)
        result.figures[.loadWritten] = (ProcessFigures.bytesWritten - written) / 1e6
    }

    // MARK: - Reads

    private mutating func readPoints(
        _ engine: any Engine, _ point: Figure = .pointRead, email: Figure = .email
    ) throws {
        let numbers = SampleData.randomNumbers(work.pointReads, below: size, seed: 1)
        let ids = numbers.map { Dataset.userID($0) }
        var found = Answer()
        let seconds = try WallClock.seconds { found = try engine.users(ids) }
        result.figures[point] = Double(ids.count) / seconds
        result.answers[point.rawValue] = found.digest
        let emails = numbers.prefix(work.queries).map { Dataset.user($0).email }
        try repeatedly(email, Array(emails)) { try engine.user(email: $0) ?? 0 }
        guard point == .pointRead else { return }
        try repeatedly(.postsOfAuthor, Array(ids.prefix(work.queries))) {
            UInt64(try engine.posts(of: $0))
        }
    }

    private mutating func readThroughSnapshots(_ engine: any Engine) throws {
        let numbers = SampleData.randomNumbers(work.queries, below: size, seed: 3)
        try repeatedly(.snapshotRead, numbers.map { Dataset.userID($0) }) {
            try engine.userFromSnapshot($0) ?? 0
        }
    }

    /// The first users have the most posts: each batch of the load chose among all so far.
    private mutating func readNested(_ engine: any Engine) throws {
        try engine.beginReading()
        let ids = (0..<min(size, 100)).map { Dataset.userID($0) }
        var answer = Answer()
        let times = try WallClock.latencies(20) { _ in answer = try engine.usersWithPosts(ids) }
        try engine.endReading()
        result.figures[.nested] = times.percentile(0.5) * 1e3
        result.answers[Figure.nested.rawValue] = answer.digest &+ UInt64(answer.count)
    }

    private mutating func repeatedly(
        _ figure: Figure, _ keys: [String], _ body: (String) throws -> UInt64
    ) throws {
        var sum: UInt64 = 0
        let seconds = try WallClock.seconds { for key in keys { sum &+= try body(key) } }
        result.figures[figure] = Double(keys.count) / seconds
        result.answers[figure.rawValue] = sum
    }

    private mutating func readMany(_ engine: any Engine, isOpened: Bool = false) throws {
        try rows(isOpened ? .openedScan : .scan) { try engine.scan() }
        try rows(isOpened ? .openedCollected : .collected) { try engine.collect() }
        try rows(isOpened ? .openedRange : .ageRange) { try engine.users(ages: 40...49) }
        try rows(isOpened ? .openedCity : .city) {
            var all = Answer()
            for number in 0..<20 {
                let answer = try engine.users(city: SampleData.city(number * 7))
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

    private mutating func update(_ engine: any Engine) throws {
        let numbers = SampleData.randomNumbers(work.updates, below: size, seed: 2)
        // Never the score that a user has: what stays as it is would be no update.
        let updates = numbers.enumerated().map { position, number in
            (id: Dataset.userID(number), score: Double(position) + 0.5)
        }
        let seconds = try WallClock.seconds {
            for start in stride(from: 0, to: updates.count, by: 100) {
                try engine.setScores(Array(updates[start..<min(updates.count, start + 100)]))
            }
        }
        result.figures[.update] = Double(updates.count) / seconds
    }

    private mutating func delete(_ engine: any Engine) throws {
        let extras = (0..<work.deletes).map { Dataset.user(5_000_000 + $0) }
        try engine.load(users: extras, posts: [])
        try Rest.wait(for: name)
        let seconds = try WallClock.seconds {
            for start in stride(from: 0, to: extras.count, by: 100) {
                let batch = extras[start..<min(extras.count, start + 100)]
                try engine.delete(users: batch.map(\.id))
            }
        }
        result.figures[.delete] = Double(extras.count) / seconds
    }

    // MARK: - Commits

    private mutating func commit(_ engine: any Engine) throws {
        let users = (0..<work.commits).map { Dataset.user(6_000_000 + $0) }
        let seconds = try WallClock.seconds {
            for user in users { try engine.insert(user, synced: false) }
        }
        result.figures[.commit] = Double(users.count) / seconds
    }
}
