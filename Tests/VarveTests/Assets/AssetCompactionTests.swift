import Foundation
import Testing
import Varve
import VarveAssets
import VarveLog
import VarveReplay
import VarveTestSupport

@Suite("Assets and compaction")
struct AssetCompactionTests {
    private func set(_ number: Int, _ store: Store, id: String = "1") throws {
        try store.write { context in
            try Photo(id: id, image: Asset(bytes(number), in: store)).save(to: &context)
        }
    }

    private func digest(_ number: Int) throws -> String {
        try Asset(bytes(number), in: try Store.inMemory(Photo.self)).digest.description
    }

    @Test("A compaction keeps what the state and the kept history name, and removes the rest")
    func removal() throws {
        let disk = SimulatedDisk()
        let store = try openPhotos(disk)
        for number in 1...6 { try set(number, store) }
        _ = try Asset(bytes(7), in: store)
        #expect(disk.assetNames.count == 7)
        let first = try store.compact(retaining: .everything)
        #expect(first.assetsDropped == 1 && first.assetBytesDropped.rawValue == 1_000)
        #expect(disk.assetNames.count == 6)
        let second = try store.compact(retaining: .transactions(2))
        #expect(second.leftover == nil)
        // Transactions 5 and 6 name what they replaced, too.
        #expect(try disk.assetNames == [digest(4), digest(5), digest(6)])
        try store.compact(retaining: .newestState)
        #expect(try disk.assetNames == [digest(6)])
        let reopened = try openPhotos(SimulatedDisk(disk.image))
        let image = try #require(Photo.query("1").resolve(in: reopened.context)?.image)
        #expect(try image.data(in: reopened) == bytes(6))
    }

    @Test("Tombstones keep their assets, and what is purged or forgotten does not")
    func tombstones() throws {
        let disk = SimulatedDisk()
        let store = try openPhotos(disk, retention: .newestState)
        for number in 1...3 { try set(number, store, id: "\(number)") }
        try store.write { try Photo.delete(id: "1", from: &$0) }
        try store.compact()
        #expect(disk.assetNames.count == 3)
        try store.write { context in
            try Deleted<Photo>.query("1").resolve(in: context)?.restore(in: &context)
        }
        let restored = try #require(Photo.query("1").resolve(in: store.context)?.image)
        #expect(try restored.data(in: store) == bytes(1))
        try store.forget(Photo.self, id: "2")
        try store.compact()
        #expect(try disk.assetNames == [digest(1), digest(3)])
    }

    @Test("An asset that a value holds stays until it is gone, and so does one that is read")
    func holds() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, retention: .newestState, Photo.self)
        try set(1, store)
        let image = try #require(Photo.query("1").resolve(in: store.context)?.image)
        var held: HeldAsset? = try image.file(in: store)
        try set(2, store)
        var new: Asset<Data>? = try Asset(bytes(3), in: store)
        #expect(try store.compact().assetsDropped == 0)
        #expect(try Data(contentsOf: #require(held?.url)) == bytes(1))
        // Also of a reader of its own.
        let reader = try Store(at: place.url, mode: .readOnly, Photo.self)
        let other = try image.file(in: reader)
        held = nil
        new = nil
        #expect(new == nil && held == nil)
        #expect(try store.compact().assetsDropped == 1)
        #expect(try Data(contentsOf: other.url) == bytes(1))
        withExtendedLifetime(other) {}
    }

    @Test("A URL of the past is freed with its holder, and the next compaction removes the file")
    func releases() throws {
        let place = StoreTests.Place()
        var store = try Store(at: place.url, retention: .newestState, Photo.self)
        try set(1, store)
        try store.close()
        // What is read holds no file: what was made does.
        store = try Store(at: place.url, retention: .newestState, Photo.self)
        let image = try #require(Photo.query("1").resolve(in: store.context)?.image)
        do {
            let file = try image.file(in: store)
            try set(2, store)
            #expect(try store.compact().assetsDropped == 0)
            withExtendedLifetime(file) {}
        }
        #expect(try store.compact().assetsDropped == 1)
        #expect(throws: StoreError.self) { try image.data(in: store) }
    }

    @Test("Transactions that come to name an asset while a compaction runs keep it")
    func concurrent() throws {
        let disk = SimulatedDisk()
        var store = try openPhotos(disk, retention: .newestState)
        try set(1, store)
        try store.close()
        store = try openPhotos(disk, seed: 2, retention: .newestState)
        let former = try #require(Photo.query("1").resolve(in: store.context)?.image)
        try set(2, store)
        var isDone = false
        try store.compact { progress in
            guard progress.phase == .finishing, !isDone else { return }
            // It is named by nothing that the compaction has seen.
            isDone = (try? store.write { try Photo(id: "2", image: former).save(to: &$0) }) != nil
        }
        #expect(isDone)
        #expect(try former.data(in: store) == bytes(1))
    }

    @Test("An asset that a transaction names while its file is about to be collected stays")
    func namedMeanwhile() throws {
        let disk = SimulatedDisk()
        var store = try openPhotos(disk, retention: .newestState)
        try set(1, store)
        try store.close()
        let files = HookedFileSystem(disk)
        store = try openPhotos(files, seed: 2, retention: .newestState)
        // What is read holds no file.
        let former = try #require(Photo.query("1").resolve(in: store.context)?.image)
        try set(2, store)
        let isSaved = Lock(false)
        let folder = "assets/" + former.digest.description.prefix(2)
        files.setHook { [store] operation, file, _ in
            // The compaction is in force, and its collection has begun: neither the checkpoint nor the log that it
            // looks through names the content.
            guard operation == .list, file.hasSuffix(folder) else { return }
            files.setHook(nil)
            let isDone =
                (try? store.write { try Photo(id: "2", image: former).save(to: &$0) }) != nil
            isSaved.withLock { $0 = isDone }
        }
        #expect(try store.compact().assetsDropped == 0)
        #expect(isSaved.withLock { $0 })
        #expect(try former.data(in: store) == bytes(1))
        #expect(try disk.assetNames == [digest(1), digest(2)])
    }

    @Test("Contents that a crash left without a name, or without a transaction, go")
    func leftovers() throws {
        let disk = SimulatedDisk()
        let store = try openPhotos(disk)
        try set(1, store)
        _ = try Asset(bytes(2), in: store)
        var image = disk.image
        image.files["assets/staged-7.tmp"] = [1, 2, 3]
        image.files["assets/readme"] = [1]
        let after = SimulatedDisk(image)
        let reopened = try openPhotos(after, seed: 2)
        #expect(try reopened.compact().assetsDropped == 2)
        #expect(after.image.files["assets/staged-7.tmp"] == nil)
        #expect(after.image.files["assets/readme"] == [1])
        #expect(try after.assetNames == [digest(1)])
    }

    @Test("A compaction is done where assets cannot be collected, and says why they are left")
    func leftover() throws {
        let disk = SimulatedDisk()
        let entries = Lock<[StoreLog.Entry]>([])
        let store = try openPhotos(
            UnlistableFileSystem(disk, inside: "assets"), retention: .newestState,
            log: StoreLog { entry in entries.withLock { $0.append(entry) } })
        try set(1, store)
        _ = try Asset(bytes(2), in: store)
        let report = try store.compact()
        #expect(report.checkpoint == 1 && report.leftover == nil && report.assetsDropped == 0)
        #expect(report.assetsLeftover?.contains("cannot list") == true)
        #expect("\(report)".contains("assets that are not needed may still be there"))
        #expect(disk.assetNames.count == 2)
        // Also to a log: a compaction that starts by itself returns its report to no caller.
        let entry = try #require(entries.withLock { $0.last })
        #expect(entry.level == .warning && entry.event == .compaction)
        #expect(entry.message.contains("cannot list"))
        #expect(
            entries.withLock { $0 }.contains {
                $0.metadata["assetsDropped"] == "0" && $0.metadata["assetBytesDropped"] == "0"
            })
    }

    @Test("Assets that were replaced make a compaction due, though the log has hardly grown")
    func due() throws {
        let disk = SimulatedDisk()
        let ended = Lock(0)
        var configuration = LogConfiguration()
        configuration.automaticCompactionBytesMin = ByteCount(8_192)
        let store = try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1), configuration: configuration,
            mode: .readWrite, durability: .commit, retention: .newestState,
            compactsAutomatically: true,
            log: StoreLog { entry in
                if entry.event == .compaction, case .end? = entry.interval {
                    ended.withLock { $0 += 1 }
                }
            }, types: [Photo.self])
        func replace(_ number: Int) throws {
            try store.write { context in
                let image = try Asset(bytes(number, count: 200_000), in: store)
                // The list names the same content before and behind: it replaces nothing.
                let page = try Asset(Data("page".utf8), in: store)
                try Photo(id: "1", image: image, pages: Array(repeating: page, count: number))
                    .save(to: &context)
            }
        }
        for number in 1...3 { try replace(number) }
        #expect(store.statistics.replacedAssetBytes.rawValue == 400_000)
        #expect(disk.assetNames.count == 4)
        try replace(4)
        // The one that has started by itself, whenever it did, ends before this one begins.
        try store.compact()
        #expect(ended.withLock { $0 } == 2)
        #expect(store.statistics.replacedAssetBytes == .zero)
        #expect(disk.assetNames.count == 2)
    }

    @Test(
        "What former processes have replaced counts, so that a compaction comes in spite of short runs"
    )
    func dueOverProcesses() throws {
        let disk = SimulatedDisk()
        let ended = DispatchSemaphore(value: 0)
        var configuration = LogConfiguration()
        configuration.automaticCompactionBytesMin = ByteCount(8_192)
        for number in 1...4 {
            let store = try Store(
                in: disk, environment: SimulatedEnvironment(seed: UInt64(number)),
                configuration: configuration, mode: .readWrite, durability: .commit,
                retention: .newestState, compactsAutomatically: true,
                log: StoreLog { entry in
                    if entry.event == .compaction, case .end? = entry.interval { ended.signal() }
                }, types: [Photo.self])
            try store.write { context in
                let image = try Asset(bytes(number, count: 200_000), in: store)
                try Photo(id: "1", image: image).save(to: &context)
            }
            if number == 4 { #expect(ended.wait(timeout: .now() + 300) == .success) }
            try store.close()
        }
        // The checkpoint keeps none of them, and the log behind it neither.
        #expect(disk.assetNames.count == 1)
    }

    @Test("A store that goes while replaced assets are counted gives its lock back")
    func countingKeepsNothing() throws {
        let disk = SimulatedDisk()
        do {
            let store = try openPhotos(disk)
            for number in 1...3 { try set(number, store) }
            try store.close()
        }
        let files = HookedFileSystem(disk)
        let (counts, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let opener = pthread_self()
        files.setHook { operation, _, _ throws(FileSystemError) in
            guard operation == .read, pthread_equal(opener, pthread_self()) == 0 else { return }
            counts.signal()
            mayGoOn.wait()
            mayGoOn.signal()
        }
        defer { mayGoOn.signal() }
        var store: Store? = try Store(
            in: files, environment: SimulatedEnvironment(seed: 2), mode: .readWrite,
            durability: .commit, compactsAutomatically: true, types: [Photo.self])
        #expect(counts.wait(timeout: .now() + 240) == .success)
        #expect(store?.lastTransaction == 3)
        store = nil
        #expect(try openPhotos(disk, seed: 3).lastTransaction == 3)
    }

    @Test("A collection that is cancelled ends at the next transaction")
    func cancelling() throws {
        let disk = SimulatedDisk()
        let store = try openPhotos(disk)
        for number in 1...3 { try set(number, store) }
        try store.close()
        let scanned = try ScannedLog.scan(disk, mode: .readOnly)
        let catalog = try #require(try scanned.catalog())
        let folder = AssetFolder(of: disk, environment: SimulatedEnvironment(seed: 1))
        var calls = 0
        let error = #expect(throws: AssetNames.Failure.self) {
            _ = try folder.filesWithoutName(AssetNames(catalog), in: nil, scanned.snapshot) {
                calls += 1
                return calls == 2
            }
        }
        guard case .log(.compactionCancelled) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(calls == 2)
    }
}
