public import VarveGraph
internal import VarveLog

extension Store {
    /// A store for tests: in memory, at times that the test decides, and without automatic compaction.
    ///
    /// ```swift
    /// let clock = TestClock()
    /// let store = try Store.test(clock, Note.self)
    /// clock.advance(by: .seconds(60))
    /// ```
    ///
    /// Runs of the same writes, one after the other, produce the same log, byte by byte and in every process. The
    /// checkpoint of a compaction is the same in one process: the key of its hashes is the process's. Ids that the
    /// store gives (``AutoIncrement()``) are the same by themselves. For those that an app makes of `UUID()`, the test
    /// gives entities what ``TestIDs`` returns.
    public static func test(
        _ clock: TestClock = TestClock(), retention: Retention = .standard,
        _ types: any EntityModelProtocol.Type...
    ) throws -> Store {
        try test(clock, retention: retention, types: types)
    }

    /// A store for tests, with the types in an array.
    public static func test(
        _ clock: TestClock = TestClock(), retention: Retention = .standard,
        types: [any EntityModelProtocol.Type]
    ) throws -> Store {
        try test(in: MemoryFileSystem(), clock, retention: retention, types: types)
    }

    package static func test(
        in fileSystem: MemoryFileSystem, _ clock: TestClock, retention: Retention,
        types: [any EntityModelProtocol.Type]
    ) throws -> Store {
        try Store(
            in: fileSystem, environment: TestEnvironment(clock: clock), mode: .readWrite,
            durability: .none, retention: retention, compactsAutomatically: false, types: types)
    }
}

/// An environment whose time is a test's. Its numbers and its process are the same in each run.
private struct TestEnvironment: LogEnvironment {
    let clock: TestClock
    private let salts = TestIDs()

    init(clock: TestClock) { self.clock = clock }

    func wallClockMicroseconds() -> Int64 { clock.timestamp.microseconds }
    /// Another one each time: assets that are made at once have files of their own.
    func randomSalt() -> UInt64 { salts.nextNumber() }
    func processID() -> Int32 { 1 }
    func processName() -> String { "test" }
}
