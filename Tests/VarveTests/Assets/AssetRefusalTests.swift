import Foundation
import Testing
import Varve
import VarveAssets
import VarveLog
import VarveTestSupport

@Storable
struct PictureID: Hashable {
    var number: Int
    var picture: Asset<Data>
}

@EntityModel
struct Pictured {
    let id: PictureID
}

typealias Picture = Asset<Data>

@EntityModel
struct Portrait {
    let id: Picture
}

@EntityModel
struct Framed {
    @HashIndex<Self>(\.picture) var byPicture
    let id: Int
    var picture: Picture?
}

@EntityModel
struct Exhibited {
    @Unique<Self>(\.id, \.number) var byNumber
    let id: Int
    var number: PictureID
}

/// What is refused, and how the error says it.
@Suite("Refusals of assets")
struct AssetRefusalTests {
    private let disk = SimulatedDisk()

    @Test(
        "An id that holds an asset is refused at opening, also behind an alias or in an own type",
        arguments: [Pictured.self, Portrait.self] as [any EntityModelProtocol.Type])
    func ids(type: any EntityModelProtocol.Type) throws {
        let error = #expect(throws: StoreError.self) {
            _ = try openPhotos(disk, types: [type])
        }
        guard case .schema(let problems) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.map(\.property) == ["id"])
        #expect(problems.first?.reason.contains("which holds an asset") == true)
    }

    @Test(
        "An index about an asset is refused at opening, behind an alias or in an own type",
        arguments: [
            (Framed.self as any EntityModelProtocol.Type, "byPicture"),
            (Exhibited.self, "byNumber"),
        ])
    func indexes(type: any EntityModelProtocol.Type, index: String) throws {
        let error = #expect(throws: StoreError.self) {
            _ = try openPhotos(disk, types: [type])
        }
        guard case .schema(let problems) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.map(\.property) == [index])
        #expect(problems.first?.reason.contains("cannot be about an asset") == true)
    }

    @Test(
        "A period before an extension is left out; a slash, NUL and control characters are refused")
    func kinds() throws {
        let store = try openPhotos(disk)
        for given in [".jpg", "jpg", "..jpg"] {
            let asset = try Asset<Data>(bytes(1), pathExtension: given, in: store)
            #expect(asset.pathExtension == "jpg" && asset.mediaType == "image/jpeg")
        }
        func message(_ pathExtension: String, _ mediaType: String? = nil) -> String? {
            let error = #expect(throws: StoreError.self) {
                try Asset<Data>(
                    bytes(2), pathExtension: pathExtension, mediaType: mediaType, in: store)
            }
            return error.map { "\($0)" }
        }
        #expect(message("a/../b")?.contains("'pathExtension' is \"a/../b\"") == true)
        #expect(message("a\u{0}")?.contains("offset 1 are not a value of a file extension") == true)
        #expect(message("", "text/plain\r\nx")?.contains("'mediaType'") == true)
        #expect(disk.assetNames.count == 1)
    }

    @Test("A file that cannot be read is refused with its entity, property and path")
    func unreadable() throws {
        let files = HookedFileSystem(disk)
        let store = try openPhotos(files)
        let asset = try Asset(bytes(1), in: store)
        let name = String(asset.digest.description.dropFirst(2))
        files.setHook { operation, file, _ throws(FileSystemError) in
            guard operation == .open, file == name else { return }
            throw FileSystemError(.open, file: file, reason: .system(code: 5))
        }
        let error = #expect(throws: StoreError.self) {
            try store.write { try Photo(id: "7", image: asset).save(to: &$0) }
        }
        guard case .asset(let failure) = error, case .unreadable = failure.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.type == "Photo" && failure.id == "\"7\"" && failure.property == "image")
        #expect(failure.file == "assets/\(asset.digest.description.prefix(2))/\(name)")
        #expect(store.lastTransaction == 0)
    }

    @Test("A collection that fails halfway counts what it removed, and names the file")
    func halfway() throws {
        let files = HookedFileSystem(disk)
        let store = try openPhotos(files)
        for number in 1...3 { _ = try Asset(bytes(number), in: store) }
        let removals = Lock(0)
        files.setHook { operation, file, _ throws(FileSystemError) in
            guard operation == .remove, file.utf8.count == 62 else { return }
            guard
                removals.withLock({
                    $0 += 1; return $0 > 1
                })
            else { return }
            throw FileSystemError(.remove, file: file, reason: .system(code: 5))
        }
        let report = try store.compact()
        #expect(report.assetsDropped == 1 && report.assetBytesDropped.rawValue == 1_000)
        #expect(report.assetsLeftover?.contains("cannot remove assets/") == true)
        #expect(disk.assetNames.count == 2)
    }

    @Test("A temporary directory that cannot be made is an error of the store")
    func temporaryDirectory() {
        let nowhere = URL(fileURLWithPath: "/nonexistent/varve")
        let error = #expect(throws: StoreError.self) { _ = try TemporaryDirectory(in: nowhere) }
        #expect(error.map { "\($0)" }?.contains("/nonexistent/varve/varve-") == true)
    }
}
