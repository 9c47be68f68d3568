import Foundation
import Testing
import Varve
import VarveTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Assets of killed processes", .serialized)
struct AssetKillTests {
    /// A folder for a store and what is beside it: files that are moved in, backups, what was acknowledged.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-killed-\(UUID().uuidString)")
        var store: URL { url.appendingPathComponent("photos.varve") }

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        /// Takes away what says how many transactions were acknowledged, and returns the number.
        func takeAcknowledged(_ name: String = "acknowledged") -> Int {
            let file = store.appendingPathExtension(name)
            defer { try? FileManager.default.removeItem(at: file) }
            return (try? Data(contentsOf: file).count) ?? 0
        }

        /// The paths of backups that were made, and of those that were interrupted.
        func backups() throws -> (whole: Set<String>, interrupted: Set<String>) {
            var backups: (whole: Set<String>, interrupted: Set<String>) = ([], [])
            for name in try FileManager.default.contentsOfDirectory(atPath: url.path)
            where name.hasPrefix("photos.varve.backup-") {
                let parts = name.split(separator: ".partial-")
                let path = url.appendingPathComponent(String(parts[0])).path
                if parts.count == 1 {
                    backups.whole.insert(path)
                } else {
                    backups.interrupted.insert(path)
                }
            }
            return backups
        }
    }

    /// Kills this process at a moment that a seed says.
    private static func killLater(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let delay = UInt32.random(in: 5_000..<500_000, using: &random)
        Thread.detachNewThread {
            usleep(delay)
            kill(getpid(), SIGKILL)
        }
    }

    @Test(
        "Behind kills at any moment of saves, undos, deletions, moves, backups and reads each acknowledged asset is there, and nothing is left over",
        arguments: 1...6 as ClosedRange<Int>)
    func killed(round: Int) async throws {
        let folder = try Folder()
        try Store(at: folder.store, Photo.self).close()
        let path = folder.store.path
        var photos = KilledPhotos()
        for turn in 1...3 {
            let start = photos.contents.count - 1
            let seed = round * 10 + turn
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, start = start as Int, seed = seed as Int] in
                AssetKillTests.killLater(seed)
                try KilledPhotos.work(at: path, behind: start)
            }
            let comment: Comment = "round \(round), kill \(turn)"
            let store = try Store(at: folder.store, retention: .newestState, Photo.self)
            let last = Int(store.lastTransaction.rawValue)
            let acknowledged = start + folder.takeAcknowledged()
            #expect(last == acknowledged || last == acknowledged + 1, comment)
            photos.add(through: last)
            try photos.check(store, comment)
            try KilledPhotos.checkFiles(of: store, at: folder.store, comment)
            try await checkBackups(in: folder, of: store, photos, comment)
            try store.close()
        }
    }

    /// A backup is there as a whole or not at all, and the next one of that name removes what is left of it.
    private func checkBackups(
        in folder: Folder, of store: Store, _ photos: KilledPhotos, _ comment: Comment
    ) async throws {
        let left = try folder.backups()
        for path in left.whole {
            try photos.check(try Store(at: URL(fileURLWithPath: path), Photo.self), comment)
            try FileManager.default.removeItem(atPath: path)
        }
        for path in left.interrupted {
            let report = try await store.backup(to: URL(fileURLWithPath: path))
            #expect(report.damagedAssets.isEmpty, comment)
            #expect(try folder.backups().interrupted.contains(path) == false, comment)
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test(
        "Behind kills while tasks write at once each has its last acknowledged asset, and nothing is left over",
        arguments: 1...6 as ClosedRange<Int>)
    func killedTasks(round: Int) async throws {
        let folder = try Folder()
        try Store(at: folder.store, Photo.self).close()
        let path = folder.store.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, round = round as Int] in
            AssetKillTests.killLater(round)
            try await AssetKillTests.writeAtOnce(at: path)
        }
        let comment: Comment = "round \(round)"
        let store = try Store(at: folder.store, retention: .newestState, Photo.self)
        for task in 0..<Self.taskCount {
            let count = folder.takeAcknowledged("\(task)")
            let photo = Photo.query("\(task)").resolve(in: store.context)
            let number = photo.flatMap { Int($0.caption) } ?? 0
            #expect(number == count || number == count + 1, "task \(task), \(comment)")
            guard let photo else { continue }
            #expect(
                try await photo.image?.data(in: store) == Self.content(number, of: task),
                "task \(task), \(comment)")
        }
        try KilledPhotos.checkFiles(of: store, at: folder.store, comment)
    }

    private static let taskCount = 4

    private static func content(_ number: Int, of task: Int) -> Data {
        bytes(task * 100_000 + number, count: 10_000)
    }

    /// Each task replaces the asset of one photo, and appends a byte to a file of its own for each acknowledged one.
    private static func writeAtOnce(at path: String) async throws {
        let store = try Store(
            at: URL(fileURLWithPath: path), retention: .transactions(4), Photo.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<taskCount {
                group.addTask {
                    let log = open("\(path).\(task)", O_CREAT | O_WRONLY | O_APPEND, 0o600)
                    for number in 1..<100_000 {
                        let image = try await Asset(content(number, of: task), in: store)
                        try await store.write { context in
                            try Photo(id: "\(task)", caption: "\(number)", image: image)
                                .save(to: &context)
                        }
                        _ = write(log, "x", 1)
                    }
                }
            }
            group.addTask {
                while true {
                    try await store.compact()
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            try await group.waitForAll()
        }
    }
}
