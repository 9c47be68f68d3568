import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Saves with an asset while the disk refuses, or has no space left.
@Suite("Saves with assets on a full disk")
struct AssetFullDiskTests {
    @Test(
        "A save with an asset that is refused anywhere leaves no transaction, and the next one succeeds",
        arguments: AssetFaultTests.refusals)
    func saving(refusal: AssetFaultTests.Refusal) throws {
        var position = 0
        while try save(refusal, at: position) { position += 1 }
        #expect(position > 15)
    }

    /// Saves while the operation at a position is refused. False where there was no such operation.
    private func save(_ refusal: AssetFaultTests.Refusal, at position: Int) throws -> Bool {
        let comment: Comment = "operation \(position)"
        let disk = SimulatedDisk()
        let files = FaultyFileSystem(disk)
        var store = try openPhotos(files, retention: .newestState)
        try store.write { try Photo(id: "0").save(to: &$0) }
        let first = files.operations
        files.setFault(refusal.fault(at: first + position))
        defer { files.setFault(nil) }
        do {
            try store.write { try Photo(id: "1", image: Asset(bytes(1), in: store)).save(to: &$0) }
            guard files.operations > first + position else { return false }
            files.setFault(nil)
        } catch let error as StoreError {
            files.setFault(nil)
            #expect(Photo.query("1").resolve(in: store.context) == nil, comment)
            // The log may or may not have the transaction; or it takes no more of them.
            if store.statistics.isPoisoned {
                try? store.close()
                store = try openPhotos(files, seed: 2, retention: .newestState)
            } else {
                #expect(store.lastTransaction == 1, comment)
            }
            if let photo = Photo.query("1").resolve(in: store.context) {
                guard case .outcomeUnknown = error else {
                    Issue.record("\(error), and it is there: \(comment)")
                    return true
                }
                #expect(try photo.image?.data(in: store) == bytes(1), comment)
                try store.write { try Photo.delete(id: "1", from: &$0) }
                try store.purgeDeleted(before: .distantFuture)
            }
        }
        try store.write { try Photo(id: "1", image: Asset(bytes(2), in: store)).save(to: &$0) }
        let photo = try Photo.require("1", in: store.context)
        #expect(try photo.image?.data(in: store) == bytes(2), comment)
        #expect(try store.compact().assetsLeftover == nil, comment)
        #expect(disk.assetNames == [try #require(photo.image).digest.description], comment)
        #expect(!disk.hasStagedAssets, comment)
        try store.close()
        #expect(try openPhotos(disk, seed: 3).context.count(Photo.self) == 2, comment)
        return true
    }

    @Test(
        "On a disk that assets have filled, the next one is refused whole, and room comes back by a deletion"
    )
    func filled() throws {
        for blocks in 600...608 {
            let disk = SimulatedDisk()
            let small = try SmallDisk(disk, blocks: blocks)
            let store = try openPhotos(small, retention: .newestState)
            var count = 0
            var free = 0
            while true {
                free = small.freeBlocks
                do {
                    try store.write { context in
                        let image = try Asset(bytes(count, count: 20_000), in: store)
                        try Photo(id: "\(count)", image: image).save(to: &context)
                    }
                    count += 1
                } catch StoreError.log(let error) {
                    #expect(error.isFullDisk)
                    #expect("\(StoreError.log(error))".contains("make room on the disk"))
                    break
                }
            }
            #expect(count > 5 && store.context.count(Photo.self) == count)
            // What was written of the asset that had no room occupies nothing.
            #expect(small.freeBlocks == free && !disk.hasStagedAssets, "\(blocks) blocks")
            try store.write { try Photo.delete(id: "0", from: &$0) }
            try store.purgeDeleted(before: .distantFuture)
            let report = try store.compact(retaining: .newestState, for: .size)
            #expect(report.assetsDropped == 1 && report.assetsLeftover == nil)
            try store.write { context in
                let image = try Asset(bytes(count, count: 20_000), in: store)
                try Photo(id: "\(count)", image: image).save(to: &context)
            }
            for number in 1...count {
                let image = try Photo.require("\(number)", in: store.context).image
                #expect(try image?.data(in: store) == bytes(number, count: 20_000))
            }
            #expect(disk.assetNames.count == count)
        }
    }
}
