import Foundation
import Testing
import Varve

/// MagicData's lazy values and assets.
@Suite("Conformance: assets")
struct AssetConformanceTests {
    @EntityModel
    struct Recording {
        let id: String
        var title: String = ""
        var sound: Asset<Data>?
        var text: Asset<String>? = nil
        var words: Asset<[String]>? = nil
        var tags: Asset<Set<Int>>? = nil
        var counts: Asset<[String: Int]>? = nil
    }

    private let store: Store
    private let sound = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws { store = try Store.temporary(Recording.self) }

    private func save(_ recording: Recording) throws {
        try store.write { try recording.save(to: &$0) }
    }

    private func found() throws -> Recording {
        try #require(Recording.query("1").resolve(in: store.context))
    }

    @Test("MD-29: an asset is not loaded with its owner, and saving the owner keeps it")
    func lazy() async throws {
        let asset = try await Asset(sound, in: store)
        try save(Recording(id: "1", sound: asset))
        var recording = try found()
        #expect(MemoryLayout.size(ofValue: recording) < 1_000)
        recording.title = "Sea"
        try save(recording)
        #expect(try await found().sound?.data(in: store) == sound)
        recording.sound = try await Asset(Data("other".utf8), in: store)
        try save(recording)
        #expect(try await found().sound?.data(in: store) == Data("other".utf8))
    }

    @Test("MD-31: the content of an asset is read piece by piece")
    func pieces() async throws {
        let asset = try await Asset(sound, in: store)
        try save(Recording(id: "1", sound: asset))
        var joined = Data()
        let kept = try #require(try found().sound)
        for try await piece in kept.chunks(of: 3_000, in: store) {
            #expect(piece.count <= 3_000)
            joined += piece
        }
        #expect(joined == sound)
    }

    @Test("MD-32: the size of an asset and a part of it are there without the rest")
    func parts() throws {
        try save(Recording(id: "1", sound: try Asset(sound, in: store)))
        let asset = try #require(try found().sound)
        #expect(asset.byteCount == 10_000)
        #expect(try asset.bytes(7_000..<7_010, in: store) == sound[7_000..<7_010])
    }

    @Test("MD-33: an asset has a value, an extension and a file, and a change leaves the old file")
    func files() throws {
        let first = try Asset(sound, pathExtension: "wav", in: store)
        #expect(first.pathExtension == "wav" && first.mediaType == "audio/wav")
        try save(Recording(id: "1", sound: first))
        let file = try first.file(in: store)
        #expect(try Data(contentsOf: file.url) == sound)
        try save(Recording(id: "1", sound: try Asset(Data("new".utf8), in: store)))
        #expect(try Data(contentsOf: file.url) == sound)
        try store.undo()
        #expect(try found().sound?.data(in: store) == sound)
    }

    @Test("MD-34: texts, bytes, Codable values, arrays, sets and dictionaries are assets")
    func elements() throws {
        try save(
            Recording(
                id: "1", sound: try Asset(sound, in: store), text: try Asset("Hello", in: store),
                words: try Asset(["a", "b"], in: store), tags: try Asset([3, 1], in: store),
                counts: try Asset(["a": 1], in: store)))
        let recording = try found()
        #expect(try recording.text?.value(in: store) == "Hello")
        #expect(try recording.words?.value(in: store) == ["a", "b"])
        #expect(try recording.tags?.value(in: store) == [3, 1])
        #expect(try recording.counts?.value(in: store) == ["a": 1])
    }

    @Test("MD-35: files follow the store to another place, and go when nothing names them")
    func places() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-assets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (here, there) = (folder.appending(path: "a.varve"), folder.appending(path: "b.varve"))
        do {
            let store = try Store(at: here, retention: .newestState, Recording.self)
            try store.write { context in
                try Recording(id: "1", sound: Asset(sound, in: store)).save(to: &context)
            }
            try store.close()
        }
        try FileManager.default.moveItem(at: here, to: there)
        let moved = try Store(at: there, retention: .newestState, Recording.self)
        let asset = try #require(Recording.query("1").resolve(in: moved.context)?.sound)
        #expect(try asset.data(in: moved) == sound)
        // Its tombstone still has it.
        try moved.write { try Recording.delete(id: "1", from: &$0) }
        #expect(try moved.compact().assetsDropped == 0)
        try moved.forget(Recording.self, id: "1")
        #expect(try moved.compact().assetsDropped == 1)
    }
}
