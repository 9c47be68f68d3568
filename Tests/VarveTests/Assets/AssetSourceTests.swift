import Foundation
import Testing
import Varve

/// Files that become assets.
@Suite("Assets of files")
struct AssetSourceTests {
    @Test("Files are copied or moved; what is a link or has two names is copied")
    func files() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Photo.self)
        let folder = place.url.appendingPathExtension("sources")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ number: Int) throws -> URL {
            let url = folder.appendingPathComponent(name)
            try bytes(number, count: 300_000).write(to: url)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: url.path)
            return url
        }
        func mode(_ url: URL) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        }
        func isThere(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

        let kept = try file("kept.pdf", 1)
        let copy: Asset<Data> = try Asset(contentsOf: kept, in: store)
        #expect(try copy.data(in: store) == bytes(1, count: 300_000) && isThere(kept))
        #expect(copy.mediaType == "application/pdf" && copy.pathExtension == "pdf")
        let gone = try file("gone.mp4", 2)
        let moved: Asset<Data> = try Asset(moving: gone, in: store)
        #expect(try moved.data(in: store) == bytes(2, count: 300_000) && !isThere(gone))
        // Content that is there already.
        let again: Asset<Data> = try Asset(moving: kept, in: store)
        #expect(again == copy && !isThere(kept))
        let target = try file("target.txt", 3)
        let link = folder.appendingPathComponent("link.txt")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let linked: Asset<Data> = try Asset(moving: link, in: store)
        #expect(try linked.data(in: store) == bytes(3, count: 300_000))
        // Only what moves becomes private.
        #expect(isThere(target) && isThere(link))
        #expect(try mode(target) == 0o644 && mode(linked.file(in: store).url) == 0o600)
        #expect(try mode(moved.file(in: store).url) == 0o600)
        let second = folder.appendingPathComponent("second.txt")
        try FileManager.default.linkItem(at: target, to: second)
        let twice: Asset<Data> = try Asset(moving: second, in: store)
        #expect(try twice.data(in: store) == bytes(3, count: 300_000) && isThere(target))
        // A reader that trusts no file with two names still reads it.
        try store.write { try Photo(id: "1", image: twice).save(to: &$0) }
        #expect(throws: StoreError.self) { try Asset<Data>(contentsOf: folder, in: store) }
        #expect(throws: StoreError.self) { try Asset<Data>(contentsOf: gone, in: store) }
    }

    @Test("Files are copied and moved asynchronously, too, and what cannot be read is an error")
    func asynchronous() async throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Photo.self)
        let file = place.url.appendingPathExtension("jpg")
        defer { try? FileManager.default.removeItem(at: file) }
        func isThere() -> Bool { FileManager.default.fileExists(atPath: file.path) }
        try bytes(1, count: 300_000).write(to: file)
        let copy: Asset<Data> = try await Asset(
            contentsOf: file, mediaType: "image/x-own", in: store)
        #expect(copy.mediaType == "image/x-own" && copy.pathExtension == "jpg" && isThere())
        #expect(try await copy.data(in: store) == bytes(1, count: 300_000))
        try bytes(2, count: 300_000).write(to: file)
        let moved: Asset<Data> = try await Asset(moving: file, in: store)
        #expect(moved.mediaType == "image/jpeg" && !isThere())
        #expect(try await moved.data(in: store) == bytes(2, count: 300_000))
        try await store.write { context in
            try Photo(id: "1", image: copy, pages: [moved]).save(to: &context)
        }
        // Nothing is there any more that could be copied or moved.
        await #expect(throws: StoreError.self) {
            let _: Asset<Data> = try await Asset(contentsOf: file, in: store)
        }
        await #expect(throws: StoreError.self) {
            let _: Asset<Data> = try await Asset(moving: file, in: store)
        }
        // A task that is cancelled makes nothing, and its file stays.
        try bytes(3).write(to: file)
        let task = Task { () -> Asset<Data> in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Asset(moving: file, in: store)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(isThere())
        #expect(try await store.compact().assetsDropped == 0)
    }

    @Test("The file of an asset that is moved into its own store stays, also through links")
    func ownFile() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Photo.self)
        let asset = try Asset(bytes(1), in: store)
        let held = try asset.file(in: store)
        let again: Asset<Data> = try Asset(moving: held.url, in: store)
        #expect(again == asset)
        #expect(try again.data(in: store) == bytes(1))
        let link = place.url.appendingPathExtension("link")
        defer { try? FileManager.default.removeItem(at: link) }
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: held.url)
        let linked: Asset<Data> = try Asset(moving: link, in: store)
        #expect(linked.digest == asset.digest)
        #expect(try Data(contentsOf: held.url) == bytes(1))
    }
}
