import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// Power cuts while assets are written, replaced, undone and collected.
@Suite("Assets and power cuts")
struct AssetCrashTests {
    private struct Recording {
        let disk = SimulatedDisk()
        /// By transaction: the number of the content, nil for none.
        var contents: [Int?] = [nil]
        /// After how many operations each transaction was acknowledged.
        var acknowledged = [0]
    }

    private func record() throws -> Recording {
        var recording = Recording()
        let store = try openPhotos(recording.disk, retention: .transactions(2))
        func note(_ content: Int?) {
            recording.contents.append(content)
            recording.acknowledged.append(recording.disk.operations.count)
        }
        for number in 1...3 {
            try store.write { context in
                try Photo(id: "1", image: Asset(bytes(number, count: 600), in: store))
                    .save(to: &context)
            }
            note(number)
        }
        try store.undo()
        note(2)
        try store.compact()
        try store.write { context in
            try Photo(id: "1", image: Asset(bytes(1, count: 600), in: store)).save(to: &context)
        }
        note(1)
        try store.write { try Photo.delete(id: "1", from: &$0) }
        note(nil)
        try store.compact()
        try store.close()
        return recording
    }

    @Test("Behind a power cut at any moment each asset that the store names is there, whole")
    func everyCrash() throws {
        let recording = try record()
        var random = SeededGenerator(seed: 1)
        var states = CrashStates(recording.disk)
        var seen: Set<Fingerprint> = []
        for position in 0...states.operations.count {
            let point = states.point(at: position)
            states.advance(to: point)
            let least = recording.acknowledged.lastIndex { $0 <= position } ?? 0
            var choices = SimulatedDisk.survivals(
                at: point, of: states.operations, using: &random)
            choices.shuffle(using: &random)
            for survivals in choices.prefix(8) {
                let image = states.image(at: point, survivals)
                guard seen.insert(image.fingerprint).inserted else { continue }
                try check(image, recording, least, position)
            }
        }
        #expect(seen.count > 300)
    }

    private func check(
        _ image: DiskImage, _ recording: Recording, _ least: Int, _ position: Int
    ) throws {
        let disk = SimulatedDisk(image)
        let store = try openPhotos(disk, seed: 9, retention: .newestState)
        let last = Int(store.lastTransaction.rawValue)
        let comment: Comment = "power cut after operation \(position), transaction \(last)"
        #expect(last >= least, comment)
        let found = Photo.query("1").resolve(in: store.context)?.image
        #expect(
            try found?.data(in: store) == recording.contents[last].map { bytes($0, count: 600) },
            comment)
        // The past, as far as it is kept.
        var transaction = last
        while transaction > 0,
            let then = try? store.context(asOf: .transaction(TransactionID(UInt64(transaction))))
        {
            let image = Photo.query("1").resolve(in: then)?.image
            #expect(
                try image?.data(in: store)
                    == recording.contents[transaction].map { bytes($0, count: 600) }, comment)
            transaction -= 1
        }
        // Nothing is left over, not even what no transaction came to name.
        try store.compact()
        let named = Photo.query("1").resolve(in: store.context)?.image
        let tombstone = Deleted<Photo>.query("1").resolve(in: store.context)?.entity.image
        let kept = [named, tombstone].compactMap { $0?.digest.description }
        #expect(disk.assetNames == Set(kept), comment)
        #expect(!disk.image.files.keys.contains { $0.hasSuffix(".tmp") }, comment)
    }
}
