import Foundation
import Testing
import Varve
import VarveInspection
import VarveLog
import VarveTestSupport

// Two versions of an app's type, and what leads from one to the other.

@EntityModel("Clip")
private struct ClipV1 {
    let id: Int
    var still: Asset<Data>?
    var sound: Asset<Data>? = nil
}

@EntityModel("Clip")
private struct ClipV2 {
    let id: Int
    var image: Asset<Data>?
}

@Suite("Migrations of assets")
struct AssetMigrationTests {
    private let disk = SimulatedDisk()
    private let migrations = [
        Migration("1 images", of: "Clip") { row in
            try row.set("image", to: row["still", as: Asset<Data>?.self])
        },
        Migration("2 the rest", .remove("still", of: "Clip"), .remove("sound", of: "Clip")),
    ]

    private func open(
        _ type: any EntityModelProtocol.Type, _ migrations: [Migration] = [], seed: UInt64
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), mode: .readWrite,
            durability: .commit, compactsAutomatically: false, migrations: migrations,
            types: [type])
    }

    private var files: Set<String> { Set(disk.image.files.keys.filter { $0.hasPrefix("assets/") }) }

    /// What the first version of the app wrote; returns the digest of the newest still.
    @discardableResult
    private func fill() throws -> AssetDigest {
        let store = try open(ClipV1.self, seed: 1)
        var digest: AssetDigest?
        for text in ["one", "two"] {
            try store.write { context in
                let still = try Asset(Data(text.utf8), in: store)
                let sound = try Asset(Data("sound".utf8), in: store)
                digest = still.digest
                try ClipV1(id: 1, still: still, sound: sound).save(to: &context)
            }
        }
        try store.close()
        return try #require(digest)
    }

    @Test(
        "Files of properties that a migration drops stay with the history, and go with a compaction"
    )
    func dropped() throws {
        try fill()
        let store = try open(ClipV2.self, migrations, seed: 2)
        #expect(store.lastTransaction == 3 && files.count == 3)
        let image = try #require(ClipV2.query(1).resolve(in: store.context)?.image)
        #expect(try image.data(in: store) == Data("two".utf8))
        // The former definitions name what the log before the checkpoint has.
        #expect(try store.compact(retaining: .everything).assetsDropped == 0)
        try store.flush()
        let all = try StoreVerification.verify(disk)
        #expect(all.problems.isEmpty && all.assets == 3, "\(all.problems)")
        let past = try store.context(asOf: .transaction(1))
        let former = try #require(ClipV2.query(1).resolve(in: past)?.image)
        #expect(try former.data(in: store) == Data("one".utf8))
        #expect(try store.compact(retaining: .newestState).assetsDropped == 2)
        #expect(try image.data(in: store) == Data("two".utf8))
        try store.close()
        let rest = try StoreVerification.verify(disk)
        #expect(rest.problems.isEmpty && rest.assets == 1, "\(rest.problems)")
    }

    @Test("A migration moves an asset whose file is lost, and cannot make one up")
    func lost() throws {
        let digest = try fill().description
        let made = Migration("made up", of: "Clip") { row in
            let json =
                #"{"digest":"\#(String(repeating: "0a", count: 32))","byteCount":3,"#
                + #""pathExtension":"","mediaType":""}"#
            let asset = try JSONDecoder().decode(Asset<Data>.self, from: Data(json.utf8))
            try row.set("image", to: Optional(asset))
        }
        let wrong = [migrations[1], made]
        #expect(throws: StoreError.self) { _ = try open(ClipV2.self, wrong, seed: 2) }
        let plan = try Store.plan(in: disk, migrations: wrong, types: [ClipV2.self])
        guard case .asset(let failure)? = plan.refusal else {
            Issue.record("\(plan)")
            return
        }
        #expect(failure.property == "image" && failure.reason == .missing)
        try disk.subdirectory("assets").subdirectory(String(digest.prefix(2)))
            .remove(String(digest.dropFirst(2)))
        let store = try open(ClipV2.self, migrations, seed: 3)
        #expect(store.lastTransaction == 3)
        let image = try #require(ClipV2.query(1).resolve(in: store.context)?.image)
        #expect(image.digest.description == digest)
    }
}
