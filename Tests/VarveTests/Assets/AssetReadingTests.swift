import Foundation
import Testing
import Varve

@Suite("Reading of assets")
struct AssetReadingTests {
    @Test(
        "Ranges that reach beyond the end, and contents of many blocks, are read as far as they go")
    func ranges() throws {
        let store = try Store.inMemory(Photo.self)
        let content = bytes(1, count: 3 * (1 << 18) + 7)
        let asset = try Asset(content, in: store)
        #expect(try asset.data(in: store) == content)
        #expect(try asset.bytes(0..<Int.max, in: store) == content)
        #expect(try asset.bytes(1_000..<Int.max, in: store) == content.dropFirst(1_000))
        #expect(try asset.bytes(Int.max - 1..<Int.max, in: store).isEmpty)
        let middle = (1 << 18) - 3..<(1 << 19) + 3
        #expect(try asset.bytes(middle, in: store) == content[middle])
        #expect(try Asset(Data(), in: store).data(in: store).isEmpty)
    }

    @Test("Optional bytes and texts, and nothing, are read as they were kept: they are JSON")
    func optionals() throws {
        let store = try Store.inMemory(Photo.self)
        for text in ["text", "", nil] as [String?] {
            let asset = try Asset<String?>(text, in: store)
            #expect(try asset.value(in: store) == text)
            #expect(asset.mediaType == "application/json")
        }
        for data in [bytes(1), Data(), nil] as [Data?] {
            #expect(try Asset<Data?>(data, in: store).value(in: store) == data)
        }
    }
}
