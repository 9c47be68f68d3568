import Foundation
import Testing
import Varve
import VarveTestSupport

@Storable
enum Cover: Equatable {
    case plain
    case picture(Asset<Data>, title: String)
}

/// A type with an asset in each shape that a property can have.
@EntityModel
struct Album: Equatable {
    let id: Int
    var single: Asset<Data>?
    var several: [Asset<Data>] = []
    var distinct: Set<Asset<Data>> = []
    var named: [String: Asset<Data>] = [:]
    var counted: [Asset<Data>: Int] = [:]
    var scan: Scan?
    var cover: Cover = .plain
    var drawers: [String: [Scan]] = [:]
}

/// A place in an album for one asset.
struct AssetShape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let put: @Sendable (Asset<Data>, inout Album) -> Void
    let get: @Sendable (Album) -> Asset<Data>?

    static let all: [AssetShape] = [
        AssetShape(testDescription: "optional") {
            $1.single = $0
        } get: {
            $0.single
        },
        AssetShape(testDescription: "array") {
            $1.several = [$0]
        } get: {
            $0.several.first
        },
        AssetShape(testDescription: "set") {
            $1.distinct = [$0]
        } get: {
            $0.distinct.first
        },
        AssetShape(testDescription: "dictionary") {
            $1.named = ["a": $0]
        } get: {
            $0.named["a"]
        },
        AssetShape(testDescription: "key") {
            $1.counted = [$0: 1]
        } get: {
            $0.counted.keys.first
        },
        AssetShape(testDescription: "structure") {
            $1.scan = Scan(title: "A", front: $0)
        } get: {
            $0.scan?.front
        },
        AssetShape(testDescription: "payload of an enumeration") {
            $1.cover = .picture($0, title: "A")
        } get: {
            if case .picture(let asset, _) = $0.cover { asset } else { nil }
        },
        AssetShape(testDescription: "nested") {
            $1.drawers = ["a": [], "b": [Scan(title: "A", front: $0)]]
        } get: {
            $0.drawers["b"]?.first?.front
        },
    ]
}

@Suite("Assets in all shapes")
struct AssetShapeTests {
    @Test(
        "An asset in any shape of a property outlives closing and compactions, and goes with its entity",
        arguments: AssetShape.all)
    func life(of shape: AssetShape) throws {
        let disk = SimulatedDisk()
        func open(_ seed: UInt64) throws -> Store {
            try openPhotos(disk, seed: seed, retention: .newestState, types: [Album.self])
        }
        var store = try open(1)
        var album = Album(id: 1)
        shape.put(try Asset(bytes(1), in: store), &album)
        try store.write { [album] in try album.save(to: &$0) }
        try store.close()
        // From the log first, then from the checkpoint of the compaction before.
        for seed in 2...3 as ClosedRange<UInt64> {
            store = try open(seed)
            #expect(try store.compact(retaining: .newestState).assetsDropped == 0)
            let saved = try #require(Album.query(1).resolve(in: store.context))
            #expect(saved == album)
            #expect(try shape.get(saved)?.data(in: store) == bytes(1))
            try store.close()
        }
        store = try open(4)
        try store.forget(Album.self, id: 1)
        #expect(try store.compact(retaining: .newestState).assetsDropped == 1)
        #expect(disk.assetNames.isEmpty)
    }
}
