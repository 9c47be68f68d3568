import Foundation
import Testing
import Varve
import VarveAssets
import VarveLog
import VarveTestSupport

@Suite("Assets")
struct AssetTests {
    @Test("Bytes, texts and Codable values are read as they were kept, also after reopening")
    func values() throws {
        let place = StoreTests.Place()
        let grid = Sheet.Grid(cells: [[1, 2], [3]])
        do {
            let store = try Store(at: place.url, Photo.self, Sheet.self)
            try store.write { context in
                try Photo(
                    id: "1", image: Asset(bytes(1), pathExtension: "jpg", in: store),
                    notes: Asset("Grüße", in: store)
                ).save(to: &context)
                try Sheet(id: 1, grid: Asset(grid, in: store)).save(to: &context)
            }
            try store.close()
        }
        let store = try Store(at: place.url, Photo.self, Sheet.self)
        let photo = try #require(Photo.query("1").resolve(in: store.context))
        let image = try #require(photo.image)
        #expect(try image.data(in: store) == bytes(1))
        #expect(image.byteCount == 1_000 && image.pathExtension == "jpg")
        #expect(image.mediaType == "image/jpeg")
        #expect(try photo.notes?.value(in: store) == "Grüße")
        #expect(photo.notes?.mediaType == "text/plain; charset=utf-8")
        let sheet = try #require(Sheet.query(1).resolve(in: store.context))
        #expect(try sheet.grid.value(in: store) == grid)
        #expect(try sheet.grid.data(in: store) == Data(#"{"cells":[[1,2],[3]]}"#.utf8))
    }

    @Test("The digest is the SHA-256 of the content, and the file is named after it")
    func digests() throws {
        let disk = SimulatedDisk()
        let store = try openPhotos(disk)
        // From FIPS 180-2.
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let asset = try Asset(Data("abc".utf8), in: store)
        #expect(asset.digest.description == digest)
        #expect(disk.assetNames == [digest])
        #expect(disk.image.files["assets/ba/" + digest.dropFirst(2)] == Array("abc".utf8))
        #expect(AssetDigest(hexadecimal: digest) == asset.digest)
        #expect(AssetDigest(hexadecimal: digest.uppercased()) == nil)
        #expect(AssetDigest(hexadecimal: "../../../../etc/passwd") == nil)
    }

    @Test("Ranges, pieces, texts and all of it are also read asynchronously")
    func asynchronous() async throws {
        let store = try Store.inMemory(Photo.self)
        let asset = try await Asset(bytes(1, count: 10_000), in: store)
        #expect(try await asset.data(in: store) == bytes(1, count: 10_000))
        #expect(try await asset.bytes(10..<20, in: store) == bytes(1, count: 10_000)[10..<20])
        #expect(try await asset.bytes(9_990..<20_000, in: store).count == 10)
        #expect(try await asset.bytes(10_000..<20_000, in: store).isEmpty)
        var pieces: [Data] = []
        for try await piece in asset.chunks(of: 4_096, in: store) { pieces.append(piece) }
        #expect(pieces.map(\.count) == [4_096, 4_096, 1_808])
        #expect(pieces.reduce(Data(), +) == bytes(1, count: 10_000))
        let text = try await Asset("text", in: store)
        #expect(try await text.value(in: store) == "text")
        let held = try await text.file(in: store)
        #expect(try String(contentsOf: held.url, encoding: .utf8) == "text")
    }

    @Test("Content comes in pieces, from sequences of both kinds; one that fails leaves nothing")
    func pieces() async throws {
        struct Failure: Error {}
        let disk = SimulatedDisk()
        let store = try openPhotos(disk)
        let parts = (0..<5).map { bytes($0) }
        let whole = parts.reduce(Data(), +)
        let asset: Asset<Data> = try Asset(chunks: parts, in: store)
        #expect(try await asset.data(in: store) == whole)
        let stream = AsyncStream { continuation in
            for part in parts { continuation.yield(part) }
            continuation.finish()
        }
        let other: Asset<Data> = try await Asset(chunks: stream, in: store)
        #expect(other == asset && disk.assetNames.count == 1)
        let failing = AsyncThrowingStream { continuation in
            continuation.yield(bytes(7))
            continuation.finish(throwing: Failure())
        }
        await #expect(throws: Failure.self) {
            let _: Asset<Data> = try await Asset(chunks: failing, in: store)
        }
        #expect(disk.image.files.keys.filter { $0.hasPrefix("assets/") }.count == 1)
    }

    @Test("Equal content is one file, which is written once")
    func deduplication() throws {
        let disk = SimulatedDisk()
        let store = try openPhotos(disk)
        let first = try Asset(bytes(1), pathExtension: "jpg", in: store)
        let writes = disk.operations.count { if case .write = $0 { true } else { false } }
        let second = try Asset(bytes(1), pathExtension: "png", in: store)
        #expect(first.digest == second.digest && first != second)
        #expect(disk.operations.count { if case .write = $0 { true } else { false } } == writes)
        #expect(disk.assetNames.count == 1)
        // A file that is damaged is not relied upon.
        disk.subdirectoryDisk("assets", String(first.digest.description.prefix(2)))
            .corrupt(String(first.digest.description.dropFirst(2))) { $0[0] ^= 1 }
        let third = try Asset(bytes(1), in: store)
        #expect(try third.data(in: store) == bytes(1))
    }

    @Test("An asset of another store, or that is missing, is refused, and nothing is written")
    func foreign() throws {
        let store = try openPhotos(SimulatedDisk())
        let other = try openPhotos(SimulatedDisk())
        let asset = try Asset(bytes(1), in: other)
        let error = #expect(throws: StoreError.self) {
            try store.write { try Photo(id: "7", image: asset).save(to: &$0) }
        }
        guard case .asset(let failure) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.type == "Photo" && failure.id == "\"7\"" && failure.property == "image")
        #expect(failure.digest == asset.digest && failure.reason == .missing)
        #expect(store.lastTransaction == 0)
        #expect(Photo.query("7").resolve(in: store.context) == nil)
        // In a list, too, and of a batch.
        #expect(throws: StoreError.self) {
            try store.write { try Photo(id: "7", pages: [asset]).save(to: &$0) }
        }
        #expect(store.lastTransaction == 0)
    }

    @Test("A missing, shortened or changed file is an error that names entity, property and digest")
    func damage() throws {
        let disk = SimulatedDisk()
        let store = try openPhotos(disk)
        let asset = try Asset(bytes(1), in: store)
        try store.write { try Photo(id: "7", image: nil, pages: [asset]).save(to: &$0) }
        func failure(_ body: () throws -> Data) -> AssetFailure? {
            do {
                _ = try body()
            } catch StoreError.asset(let failure) {
                return failure
            } catch {
                Issue.record("\(error)")
            }
            return nil
        }
        let name = asset.digest.description
        let folder = disk.subdirectoryDisk("assets", String(name.prefix(2)))
        folder.corrupt(String(name.dropFirst(2))) { $0[500] ^= 1 }
        let changed = try #require(failure { try asset.data(in: store) })
        #expect(changed.type == "Photo" && changed.id == "\"7\"" && changed.property == "pages")
        #expect(changed.digest == asset.digest)
        guard case .changed(let found) = changed.reason else {
            Issue.record("\(changed)")
            return
        }
        #expect(found != asset.digest)
        // A part of it is not compared with the digest of the whole.
        #expect(failure { try asset.bytes(0..<10, in: store) } == nil)
        #expect(throws: StoreError.self) { try asset.forEachChunk(in: store) { _ in } }
        folder.corrupt(String(name.dropFirst(2))) { $0.removeLast() }
        #expect(failure { try asset.bytes(0..<10, in: store) }?.reason == .resized(found: 999))
        try folder.remove(String(name.dropFirst(2)))
        let missing = try #require(failure { try asset.data(in: store) })
        #expect(missing.reason == .missing)
        #expect("\(StoreError.asset(missing))".contains("Photo \"7\" 'pages'"))
        #expect("\(StoreError.asset(missing))".contains(name.dropFirst(2)))
        // An entity goes, and others of its properties change, although the file is missing.
        try store.write { context in
            var photo = try #require(Photo.query("7").resolve(in: context))
            photo.caption = "without"
            try photo.save(to: &context)
        }
        try store.write { try Photo.delete(id: "7", from: &$0) }
        // But nothing brings the lost content back.
        #expect(throws: StoreError.self) { try store.undo() }
    }

    @Test("History, the past, undo and redo find the contents of then")
    func history() throws {
        let store = try openPhotos(SimulatedDisk())
        func set(_ number: Int) throws {
            try store.write("set \(number)") { context in
                try Photo(id: "1", image: Asset(bytes(number), in: store)).save(to: &context)
            }
        }
        func content(_ context: Context) throws -> Data? {
            try Photo.query("1").resolve(in: context)?.image?.data(in: store)
        }
        for number in 1...3 { try set(number) }
        #expect(try content(store.context(asOf: .transaction(1))) == bytes(1))
        try store.undo()
        #expect(try content(store.context) == bytes(2))
        try store.redo()
        #expect(try content(store.context) == bytes(3))
        let versions = try store.history(of: Photo.self, id: "1")
        #expect(try versions.compactMap { try $0.entity?.image?.data(in: store) }.count == 5)
        try store.write { try Photo.delete(id: "1", from: &$0) }
        try store.write { try Deleted<Photo>.query("1").resolve(in: $0)?.restore(in: &$0) }
        #expect(try content(store.context) == bytes(3))
    }

    @Test("A store that is only read reads assets, and keeps none")
    func readers() throws {
        let disk = SimulatedDisk()
        let store = try openPhotos(disk)
        try store.write { context in
            try Photo(id: "1", image: Asset(bytes(1), in: store)).save(to: &context)
        }
        try store.flush()
        let reader = try openPhotos(disk, mode: .readOnly)
        let image = try #require(Photo.query("1").resolve(in: reader.context)?.image)
        #expect(try image.data(in: reader) == bytes(1))
        #expect(throws: StoreError.self) { try Asset(bytes(2), in: reader) }
        try store.write { context in
            try Photo(id: "1", image: Asset(bytes(2), in: store)).save(to: &context)
        }
        try store.flush()
        _ = try reader.refresh()
        let newer = try #require(Photo.query("1").resolve(in: reader.context)?.image)
        #expect(try newer.data(in: reader) == bytes(2))
    }

    @Test("An asset inside of a value that is stored as JSON is refused, one in a Storable is not")
    func nesting() throws {
        let disk = SimulatedDisk()
        let store = try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
            durability: .commit, retention: .newestState, compactsAutomatically: false,
            types: [Dossier.self, Cabinet.self])
        let asset = try Asset(bytes(1), in: store)
        let error = #expect(throws: (any Error).self) {
            try store.write {
                try Cabinet(id: 1, hidden: Hidden(asset: asset)).save(to: &$0)
            }
        }
        #expect(error.map { "\($0)" }?.contains("@Storable") == true)
        try store.write {
            try Dossier(id: 1, scans: ["a": Scan(title: "A", front: asset)]).save(to: &$0)
        }
        let dossier = try #require(Dossier.query(1).resolve(in: store.context))
        #expect(try dossier.scans["a"]?.front.data(in: store) == bytes(1))
        try store.write { try Dossier(id: 1).save(to: &$0) }
    }

    @Test("An asset is coded by its digest, size and kind")
    func coding() throws {
        let store = try Store.inMemory(Photo.self)
        let asset = try Asset(Data("abc".utf8), pathExtension: "txt", in: store)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(asset)
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"byteCount":3,"digest":"\#(asset.digest)","mediaType":"text/plain","pathExtension":"txt"}"#
        )
        let decoded = try JSONDecoder().decode(Asset<Data>.self, from: json)
        #expect(try decoded == asset && decoded.data(in: store) == Data("abc".utf8))
    }

    @Test("A text that is no UTF-8 is an error about its type")
    func undecodable() throws {
        let store = try Store.inMemory(Photo.self)
        let asset: Asset<String> = try Asset(chunks: [Data([0xFF])], in: store)
        do {
            _ = try asset.value(in: store)
            Issue.record("no error")
        } catch StoreError.asset(let failure) {
            #expect(failure.reason == .undecodable(.invalidUTF8(offset: 0)))
        }
    }
}

extension SimulatedDisk {
    /// A directory inside of one of the disk's.
    func subdirectoryDisk(_ first: String, _ second: String) -> SimulatedDisk {
        guard let directory = subdirectory(first).subdirectory(second) as? SimulatedDisk else {
            preconditionFailure("a simulated disk's directories are simulated")
        }
        return directory
    }
}
