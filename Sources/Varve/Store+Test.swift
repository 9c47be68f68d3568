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
    /// Two runs that make the same writes, one after the other, produce the same log, byte by byte, also in different
    /// processes. The checkpoint that a compaction writes is equal within one process only, because each process hashes
    /// with a key of its own. Ids that the store gives (``AutoIncrement()``) are equal in each run. Where an app makes
    /// ids of `UUID()`, a test passes ids of ``TestIDs`` instead.
    public static func test(
        _ clock: TestClock = TestClock(), retention: Retention = .standard,
        _ types: any EntityModelProtocol.Type...
    ) throws -> Store {
        try test(clock, retention: retention, types: types)
    }

    /// A store for tests, in memory and at times that the test decides, with the types in an array.
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

/// What a log asks of the system, for a store of ``Store/test(_:retention:_:)``: the time of a `TestClock`, and salts
/// and a process that are equal in each run.
private struct TestEnvironment: LogEnvironment {
    let clock: TestClock
    private let salts = TestIDs()

    init(clock: TestClock) { self.clock = clock }

    func wallClockMicroseconds() -> Int64 { clock.timestamp.microseconds }
    /// A new salt with each call. Salts name files, so assets that are made at once get different files.
    func randomSalt() -> UInt64 { salts.nextNumber() }
    func processID() -> Int32 { 1 }
    func processName() -> String { "test" }
}
