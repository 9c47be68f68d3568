import Foundation
import Testing
import Varve
import VarveAssets
import VarveEvents
import VarveLog
import VarveTestSupport

@Suite("Backups of assets")
struct AssetBackupTests {
    @Test(
        "A backup beside the writer's process looks again for what was removed meanwhile, and names it",
        arguments: [false, true])
    func removedMeanwhile(isMadeAgain: Bool) throws {
        let disk = SimulatedDisk()
        let writer = try openPhotos(disk)
        try writer.write { context in
            try Photo(id: "1", image: Asset(bytes(1), in: writer)).save(to: &context)
        }
        try writer.flush()
        let files = HookedFileSystem(disk)
        let reader = try openPhotos(files, mode: .readOnly)
        let name = try #require(disk.assetNames.first)
        let (folder, rest) = (String(name.prefix(2)), String(name.dropFirst(2)))
        files.setHook { operation, file, _ in
            guard operation == .open, file == rest else { return }
            // Behind the copy of the log, as a compaction does.
            try? disk.subdirectoryDisk("assets", folder).remove(rest)
            files.setHook { operation, file, _ in
                guard isMadeAgain, operation == .open, file == rest else { return }
                files.setHook(nil)
                _ = try? Asset(bytes(1), in: writer)
            }
        }
        let place = StoreTests.Place()
        let report = try reader.backup(to: place.url)
        #expect(report.damagedAssets == (isMadeAgain ? [] : ["assets/\(folder)/\(rest)"]))
        #expect(report.assets == (isMadeAgain ? 1 : 0))
        #expect(report.assetBytes.rawValue == (isMadeAgain ? 1_000 : 0))
        let copy = try Store(at: place.url, Photo.self)
        let image = try #require(Photo.query("1").resolve(in: copy.context)?.image)
        #expect((try? image.data(in: copy)) == (isMadeAgain ? bytes(1) : nil))
    }

    @Test("The writer's own backup names an asset whose file was lost before")
    func lostBefore() throws {
        let disk = SimulatedDisk()
        let store = try openPhotos(disk)
        try store.write { context in
            try Photo(id: "1", image: Asset(bytes(1), in: store)).save(to: &context)
            try Photo(id: "2", image: Asset(bytes(2), in: store)).save(to: &context)
        }
        let lost = try Asset(bytes(1), in: store).digest.description
        let (folder, rest) = (String(lost.prefix(2)), String(lost.dropFirst(2)))
        try disk.subdirectoryDisk("assets", folder).remove(rest)
        let place = StoreTests.Place()
        let report = try store.backup(to: place.url)
        #expect(report.damagedAssets == ["assets/\(folder)/\(rest)"])
        #expect(report.assets == 1)
    }

    @Test("Something else than a directory in the place of `assets` is named, not passed over")
    func notADirectory() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Photo.self)
        try store.write { context in
            try Photo(id: "1", image: Asset(bytes(1), in: store)).save(to: &context)
        }
        try store.close()
        let assets = place.url.appendingPathComponent("assets")
        try FileManager.default.removeItem(at: assets)
        try Data([1]).write(to: assets)
        let source = POSIXFileSystem(place.url.path)
        let target = SimulatedDisk()
        try target.createDirectory()
        let environment = SimulatedEnvironment(seed: 1)
        let copy = try AssetCopy(
            from: AssetFolder(of: source, environment: environment),
            to: AssetFolder(of: target, environment: environment))
        #expect(copy.damaged.map(\.path) == ["assets"])
        let reopened = try Store(at: place.url, Photo.self)
        #expect(try reopened.compact().assetsLeftover?.contains("cannot list") == true)
    }

    @Test("A bad sector under an asset and stray names do not end a copy; they are named")
    func badSector() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Photo.self)
        let bad = try Asset(bytes(1), in: store).digest
        let good = try Asset(bytes(2), in: store).digest
        let assets = place.url.appendingPathComponent("assets")
        // Two-digit names that no digest of these has.
        let strays = ["00", "01", "02", "03"].filter {
            !bad.description.hasPrefix($0) && !good.description.hasPrefix($0)
        }
        try Data([1]).write(to: assets.appendingPathComponent(strays[0]))
        try FileManager.default.createSymbolicLink(
            at: assets.appendingPathComponent(strays[1]), withDestinationURL: assets)
        let name = String(bad.description.dropFirst(2))
        let source = BadSectors(POSIXFileSystem(place.url.path), under: name)
        let target = SimulatedDisk()
        try target.createDirectory()
        let environment = SimulatedEnvironment(seed: 1)
        let copy = try AssetCopy(
            from: AssetFolder(of: source, environment: environment),
            to: AssetFolder(of: target, environment: environment))
        #expect(copy.assets == 1 && copy.bytes == 1_000 && copy.missing.isEmpty)
        #expect(target.assetNames == [good.description])
        #expect(copy.damaged.map(\.path) == ["assets/\(bad.description.prefix(2))/\(name)"])
        #expect(copy.damaged.first?.reason.contains("cannot read") == true)
        // A target that takes nothing is an error.
        let full = FaultyFileSystem(
            SimulatedDisk(), fault: .init(operation: 0, count: .max, code: 28))
        #expect(throws: LogError.self) {
            _ = try AssetCopy(
                from: AssetFolder(of: source, environment: environment),
                to: AssetFolder(of: full, environment: environment))
        }
    }

    @Test("A salvage brings assets over beside a stray name in their folder")
    func strayName() throws {
        let (place, target) = (StoreTests.Place(), StoreTests.Place())
        let store = try Store(at: place.url, Photo.self)
        try store.write { context in
            try Photo(id: "1", image: Asset(bytes(1), in: store)).save(to: &context)
        }
        let asset = try #require(Photo.query("1").resolve(in: store.context)?.image)
        try store.close()
        let stray = asset.digest.description.hasPrefix("00") ? "01" : "00"
        try Data([1]).write(to: place.url.appendingPathComponent("assets/\(stray)"))
        let report = try Store.salvage(from: place.url, to: target.url)
        #expect(report.assets == 1 && report.damages.isEmpty)
    }
}

/// Files of one name cannot be read.
private final class BadSectors: ForwardingFileSystem {
    private final class File: ForwardingFile {
        let base: any StoreFile

        init(_ base: any StoreFile) { self.base = base }

        func read(
            into buffer: UnsafeMutableRawBufferPointer, at offset: FrameOffset
        ) throws(FileSystemError) -> Int {
            throw FileSystemError(.read, file: base.name, reason: .system(code: 5))
        }
    }

    let base: any FileSystem
    private let bad: String

    init(_ base: any FileSystem, under bad: String) {
        self.base = base
        self.bad = bad
    }

    func open(_ name: String, _ mode: FileOpenMode) throws(FileSystemError) -> any StoreFile {
        let file = try base.open(name, mode)
        return name == bad ? File(file) : file
    }

    func subdirectory(_ name: String) -> any FileSystem {
        BadSectors(base.subdirectory(name), under: bad)
    }
}
