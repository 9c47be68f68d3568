import Foundation
import Testing
import Varve
import VarveTestSupport

// Two versions of an app's type: the second one has a property whose default is an asset.

@EntityModel("Poster")
private struct PosterV1 {
    let id: Int
}

@EntityModel("Poster")
private struct PosterV2 {
    let id: Int
    var image: Asset<Data> = standardImage
}

/// The content "abc", of which this says nothing of whether it is in a store.
private let standardImage: Asset<Data> = {
    let json = #"""
        {"digest":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "byteCount":3,"pathExtension":"","mediaType":"application/octet-stream"}
        """#
    guard let asset = try? JSONDecoder().decode(Asset<Data>.self, from: Data(json.utf8)) else {
        preconditionFailure("this is the coding of an asset")
    }
    return asset
}()

@Suite("Assets that older rows take")
struct AssetFillTests {
    private let disk = SimulatedDisk()

    private func open(_ type: any EntityModelProtocol.Type, seed: UInt64) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), mode: .readWrite,
            durability: .commit, retention: .newestState, compactsAutomatically: false,
            types: [type])
    }

    @Test("A default that is an asset without a file is refused, and one with a file stays")
    func fills() throws {
        let first = try open(PosterV1.self, seed: 1)
        try first.write { try PosterV1(id: 1).save(to: &$0) }
        try first.close()
        #expect(throws: StoreError.self) {
            let store = try open(PosterV2.self, seed: 2)
            defer { try? store.close() }
            let other = try Asset(Data("other".utf8), in: store)
            try store.write { try PosterV2(id: 2, image: other).save(to: &$0) }
        }
        let maker = try open(PosterV1.self, seed: 3)
        #expect(maker.lastTransaction == 1)
        #expect(try Asset(Data("abc".utf8), in: maker).digest == standardImage.digest)
        try maker.close()
        let second = try open(PosterV2.self, seed: 4)
        let other = try Asset(Data("other".utf8), in: second)
        try second.write { try PosterV2(id: 2, image: other).save(to: &$0) }
        try second.compact()
        let image = try #require(PosterV2.query(1).resolve(in: second.context)?.image)
        #expect(try image.data(in: second) == Data("abc".utf8))
    }
}
