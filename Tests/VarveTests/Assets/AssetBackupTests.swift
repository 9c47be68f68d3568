import Foundation
import Testing
import Varve
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
}
