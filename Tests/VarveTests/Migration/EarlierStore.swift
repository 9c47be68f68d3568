import Foundation
import Varve
import VarveLog
import VarveTestSupport

/// A store that an earlier build has written, in `Fixtures`. Docs/TESTING.md says how.
struct EarlierStore: Sendable {
    /// Its folder.
    let name: String
    let types: [any EntityModelProtocol.Type]
    let last: TransactionID
    /// Everything that a context of those types shows, but for times.
    let describe: @Sendable (Context) -> [String]

    static let former = EarlierStore(
        name: "former", types: Former.types, last: 2, describe: { Former.describe($0) })
    static let album = EarlierStore(
        name: "album", types: FormerAlbum.types, last: 7, describe: { FormerAlbum.describe($0) })

    private var folder: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/\(name)")
    }

    /// Its files by their paths.
    func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let url = folder.appending(path: path)
            if url.isDirectory { continue }
            files[path] = [UInt8](try Data(contentsOf: url))
        }
        return files
    }

    func disk() throws -> SimulatedDisk { SimulatedDisk(DiskImage(try files())) }

    /// A copy in a directory, which is removed when the result is released.
    func copy() throws -> StoreTests.Place {
        let place = StoreTests.Place()
        for (path, bytes) in try files() {
            let url = place.url.appending(path: path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: url)
        }
        return place
    }
}

extension URL {
    fileprivate var isDirectory: Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            && isDirectory.boolValue
    }
}
