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

/// Real processes that are killed while they open a store of the former version.
@Suite("Changes of types and kill -9", .serialized)
struct ChangeKillTests {
    private static var change: ChangeCase {
        get throws {
            try #require(ChangeCase.all.first { $0.row.hasPrefix("one property becomes several") })
        }
    }

    /// Opens with the types of now.
    ///
    /// - Parameter body: called before each change of a file or a directory.
    static func open(
        _ path: String, _ body: @escaping @Sendable () -> Void = {}
    ) throws -> Store {
        let files = HookedFileSystem(POSIXFileSystem(path)) { operation, _, _ in
            switch operation {
            case .write, .truncate, .rename, .remove, .synchronize, .synchronizeDirectory: body()
            default: break
            }
        }
        return try Store(
            in: files, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            migrations: try change.migrations, migrating: MigrationOptions(backup: .none),
            types: try change.types)
    }

    private func formerStore() throws -> StoreTests.Place {
        let place = StoreTests.Place()
        let former = try Store(at: place.url, types: Former.types)
        try Former.fill(former)
        try former.close()
        return place
    }

    @Test("A process that is killed before any change of a file leaves the store before or behind")
    func killed() async throws {
        let count = Lock(0)
        let whole = try formerStore()
        try Self.open(whole.url.path) { count.withLock { $0 += 1 } }.close()
        let steps = count.withLock { $0 }
        try #require(steps > 3)
        var found: Set<TransactionID> = []
        for step in 1...steps {
            let place = try formerStore()
            let path = place.url.path
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, step = step as Int] in
                let count = Lock(0)
                let store = try ChangeKillTests.open(path) {
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
            let store = try Self.open(path)
            #expect(try Self.change.describe(store.context) == Self.change.expected, "\(step)")
            #expect(store.lastTransaction == 3, "\(step)")
            try store.close()
        }
        #expect(found == [2, 3])
    }
}
