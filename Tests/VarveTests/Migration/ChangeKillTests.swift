import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Real processes that are killed while they open a store of the former version, which an earlier build has written.
@Suite("Changes of types and kill -9", .serialized)
struct ChangeKillTests {
    /// Every change that a migration makes.
    static let changes = (ChangeCase.all + ChangeCase.ofAlbum).filter { !$0.migrations.isEmpty }

    /// A moment at which a process may be killed.
    enum Moment {
        /// Before a change of a file or a directory of the store.
        case change
        /// While the store is copied, before anything else.
        case copying
    }

    /// Opens with the types of now.
    ///
    /// - Parameters:
    ///   - backup: the path of the copy that is made before; nil for none.
    ///   - body: called at each moment.
    static func open(
        _ path: String, _ change: ChangeCase, backup: String? = nil,
        _ body: @escaping @Sendable (Moment) -> Void = { _ in }
    ) throws -> Store {
        let isCopying = Lock(false)
        let files = HookedFileSystem(POSIXFileSystem(path)) { operation, _, _ in
            if isCopying.withLock({ $0 }) { return body(.copying) }
            switch operation {
            case .write, .truncate, .rename, .remove, .synchronize, .synchronizeDirectory:
                body(.change)
            default: break
            }
        }
        let environment = HookedEnvironment {
            if isCopying.withLock({ $0 }) { body(.copying) }
        }
        let options = MigrationOptions(
            backup: backup.map { .at(URL(filePath: $0)) } ?? .none
        ) { progress in
            guard progress.stage == .backingUp else { return }
            isCopying.withLock { $0 = progress.done == 0 }
        }
        return try Store(
            in: files, environment: environment, mode: .readWrite, durability: .commit,
            compactsAutomatically: false, migrations: change.migrations, migrating: options,
            types: change.types)
    }

    /// Opens in this process, which is killed at a moment.
    private static func die(
        _ path: String, _ number: Int, backup: String?, at step: Int, of moment: Moment
    ) throws {
        let count = Lock(0)
        let store = try open(path, changes[number], backup: backup) { found in
            guard found == moment else { return }
            let isLast = count.withLock { count in
                count += 1
                return count == step
            }
            if isLast { kill(getpid(), SIGKILL) }
        }
        try store.close()
    }

    /// How many moments of a kind there are.
    private static func count(
        _ moment: Moment, _ change: ChangeCase, backup: String? = nil
    ) throws -> Int {
        let count = Lock(0)
        let place = try change.origin.copy()
        let store = try open(place.url.path, change, backup: backup) { found in
            if found == moment { count.withLock { $0 += 1 } }
        }
        try store.close()
        return count.withLock { $0 }
    }

    /// The first step, before which nothing is changed, the last, before which all is, and one between, another for each
    /// number; by night all.
    private static func sample(of count: Int, for number: Int) -> [Int] {
        TestSize.choose(
            Set([1, 1 + number * 7 % count, count]).sorted(), nightly: Array(1...count))
    }

    /// The newest transaction that a killed process left.
    private static func last(in path: String) throws -> TransactionID {
        let log = try ScannedLog.scan(POSIXFileSystem(path), mode: .readOnly)
        return TransactionID(log.lastSequence.rawValue)
    }

    private static func expectChanged(
        _ store: Store, _ change: ChangeCase, step: Int
    ) throws {
        #expect(change.describe(store.context) == change.expected, "step \(step)")
        #expect(store.lastTransaction.rawValue == change.origin.last.rawValue + 1, "step \(step)")
        store.context.checkInvariants()
        try store.close()
    }

    @Test(
        "A process that is killed before any change of a file leaves the store before or behind",
        arguments: changes.indices)
    func killed(number: Int) async throws {
        let change = Self.changes[number]
        let steps = try Self.count(.change, change)
        try #require(steps > 3)
        var found: Set<TransactionID> = []
        for step in Self.sample(of: steps, for: number) {
            let place = try change.origin.copy()
            let path = place.url.path
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, number = number as Int, step = step as Int] in
                try ChangeKillTests.die(path, number, backup: nil, at: step, of: .change)
            }
            found.insert(try Self.last(in: path))
            try Self.expectChanged(Self.open(path, change), change, step: step)
        }
        let last = change.origin.last
        #expect(found == [last, TransactionID(last.rawValue + 1)], "\(change)")
    }

    /// A few changes: the copy does not depend on them.
    static let copied = TestSize.choose(
        [0, changes.count - 5, changes.count - 1], nightly: Array(changes.indices))

    @Test(
        "A process that is killed while the store is copied leaves it as it was, and the next one copies it whole",
        arguments: copied)
    func killedWhileCopying(number: Int) async throws {
        let change = Self.changes[number]
        let copies = StoreTests.Place()
        try FileManager.default.createDirectory(at: copies.url, withIntermediateDirectories: true)
        func backup(_ step: Int) -> String { copies.url.appending(path: "\(step)").path }
        let steps = try Self.count(.copying, change, backup: backup(0))
        try #require(steps > 10)
        for step in TestSize.choose(
            Array(stride(from: 1 + number % 3, through: steps, by: 1 + steps / 6)),
            nightly: Array(1...steps))
        {
            let place = try change.origin.copy()
            let (path, copy) = (place.url.path, backup(step))
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, number = number as Int, copy = copy as String,
                    step = step as Int,
                ] in
                try ChangeKillTests.die(path, number, backup: copy, at: step, of: .copying)
            }
            #expect(try Self.last(in: path) == change.origin.last, "step \(step)")
            #expect(!FileManager.default.fileExists(atPath: copy), "step \(step)")
            try Self.expectChanged(Self.open(path, change, backup: copy), change, step: step)
            let names = try FileManager.default.contentsOfDirectory(atPath: copies.url.path)
            #expect(names.allSatisfy { !$0.contains("partial") }, "step \(step): \(names)")
            let before = try Store(
                at: URL(filePath: copy), mode: .readOnly, types: change.origin.types)
            let origin = try Store(
                in: change.origin.disk(), mode: .readOnly, durability: .commit,
                types: change.origin.types)
            #expect(
                change.origin.describe(before.context) == change.origin.describe(origin.context))
            if change.origin.name == EarlierStore.album.name {
                try FormerAlbum.expectImages(in: before)
            }
        }
    }
}

/// The system's, with something that happens at each look.
private struct HookedEnvironment: LogEnvironment {
    private let system = SystemEnvironment()
    let body: @Sendable () -> Void

    func wallClockMicroseconds() -> Int64 {
        body()
        return system.wallClockMicroseconds()
    }

    func randomSalt() -> UInt64 {
        body()
        return system.randomSalt()
    }

    func processID() -> Int32 { system.processID() }

    func processName() -> String { system.processName() }
}
