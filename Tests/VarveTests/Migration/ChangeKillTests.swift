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
    private static func change(_ row: String) throws -> ChangeCase {
        try #require(ChangeCase.all.first { $0.row.hasPrefix(row) })
    }

    /// Opens with the types of now.
    ///
    /// - Parameter body: called before each change of a file or a directory.
    static func open(
        _ path: String, _ row: String, _ body: @escaping @Sendable () -> Void = {}
    ) throws -> Store {
        let change = try change(row)
        let files = HookedFileSystem(POSIXFileSystem(path)) { operation, _, _ in
            switch operation {
            case .write, .truncate, .rename, .remove, .synchronize, .synchronizeDirectory: body()
            default: break
            }
        }
        return try Store(
            in: files, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            migrations: change.migrations, migrating: MigrationOptions(backup: .none),
            types: change.types)
    }

    private func formerStore() throws -> StoreTests.Place {
        let place = StoreTests.Place()
        try FileManager.default.createDirectory(at: place.url, withIntermediateDirectories: true)
        for (name, bytes) in try Former.storedFiles() {
            try Data(bytes).write(to: place.url.appending(path: name))
        }
        return place
    }

    @Test(
        "A process that is killed before any change of a file leaves the store before or behind",
        arguments: ["one property becomes several", "one type becomes several", "other ids"])
    func killed(row: String) async throws {
        let change = try Self.change(row)
        let count = Lock(0)
        let whole = try formerStore()
        try Self.open(whole.url.path, row) { count.withLock { $0 += 1 } }.close()
        let steps = count.withLock { $0 }
        try #require(steps > 3)
        var found: Set<TransactionID> = []
        for step in 1...steps {
            let place = try formerStore()
            let path = place.url.path
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, row = row as String, step = step as Int] in
                let count = Lock(0)
                let store = try ChangeKillTests.open(path, row) {
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    if number == step { kill(getpid(), SIGKILL) }
                }
                try store.close()
            }
            let log = try ScannedLog.scan(POSIXFileSystem(path), mode: .readOnly)
            found.insert(TransactionID(log.lastSequence.rawValue))
            let store = try Self.open(path, row)
            #expect(change.describe(store.context) == change.expected, "\(step)")
            #expect(store.lastTransaction == 3, "\(step)")
            try store.close()
        }
        #expect(found == [2, 3])
    }
}
