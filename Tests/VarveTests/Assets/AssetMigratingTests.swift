import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

// Three versions of an app's type: bytes, both, an asset.

private enum First {
    @EntityModel("Recording")
    struct Recording {
        let id: Int
        var sound: Data
    }
}

@EntityModel("Recording")
private struct Recording {
    let id: Int
    var sound: Data = Data()
    var audio: Asset<Data>?
}

private enum Third {
    @EntityModel("Recording")
    struct Recording {
        let id: Int
        var audio: Asset<Data>?
    }
}

@Suite("Migrations to assets")
struct AssetMigratingTests {
    private let place = StoreTests.Place()
    private let migration = Migration("sounds are assets", .remove("sound", of: "Recording"))

    /// As Docs/MIGRATING.md has it.
    private func moveSounds(in store: Store) throws {
        let ids = store.context.ids(Recording.self)
        for start in stride(from: 0, to: ids.count, by: 20) {
            try store.write("Move sounds", options: WriteOptions(undoable: false)) { context in
                for id in ids[start..<min(start + 20, ids.count)] {
                    var recording = try Recording.require(id, in: context)
                    guard recording.audio == nil, !recording.sound.isEmpty else { continue }
                    recording.audio = try Asset<Data>(
                        recording.sound, pathExtension: "m4a", in: store)
                    recording.sound = Data()
                    try recording.save(to: &context)
                }
            }
        }
    }

    /// A store whose sounds are assets, before the former property goes.
    private func fill(_ count: Int) throws {
        let first = try Store(at: place.url, First.Recording.self)
        try first.write { context in
            for number in 0..<count {
                try First.Recording(id: number, sound: bytes(number)).save(to: &context)
            }
        }
        try first.close()
        let second = try Store(at: place.url, Recording.self)
        try moveSounds(in: second)
        let last = second.lastTransaction
        #expect(
            Recording.query().resolve(in: second.context).filter { $0.audio != nil }.count == count)
        // Again, as after a crash: there is nothing left to do.
        try moveSounds(in: second)
        #expect(second.lastTransaction == last)
        try second.close()
    }

    @Test("The recipe of Docs/MIGRATING.md moves contents to assets, and drops the property")
    func recipe() throws {
        try fill(50)
        let third = try Store(
            at: place.url, migrations: [migration], migrating: MigrationOptions(backup: .none),
            Third.Recording.self)
        for number in 0..<50 {
            let audio = try #require(
                Third.Recording.query(number).resolve(in: third.context)?.audio)
            #expect(try audio.data(in: third) == bytes(number))
            #expect(audio.mediaType == "audio/mp4")
        }
        #expect(try third.compact(retaining: .newestState).assetsDropped == 0)
    }

    @Test("A damaged asset does not keep a store from a migration; the log names the backup's gap")
    func damagedBackup() throws {
        try fill(2)
        let digest = try Asset<Data>(bytes(0), in: try Store.inMemory(Recording.self)).digest
        let file = "assets/\(digest.description.prefix(2))/\(digest.description.dropFirst(2))"
        let url = place.url.appendingPathComponent(file)
        var content = try Data(contentsOf: url)
        content[500] ^= 1
        try content.write(to: url)
        let entries = Lock<[StoreLog.Entry]>([])
        let backup = place.url.appendingPathExtension("copy")
        defer { try? FileManager.default.removeItem(at: backup) }
        let third = try Store(
            at: place.url, migrations: [migration],
            migrating: MigrationOptions(backup: .at(backup)),
            log: StoreLog { entry in entries.withLock { $0.append(entry) } }, Third.Recording.self)
        #expect(third.context.ids(Third.Recording.self).count == 2)
        let damage = entries.withLock { $0.filter { $0.event == .damage } }
        #expect(damage.map(\.metadata) == [["file": file]])
        #expect(damage.first?.level == .error)
        #expect(damage.first?.message.contains(backup.path) == true)
    }
}
