import Foundation
import Varve
import VarveLog
import VarveTestSupport

@EntityModel
struct Photo: Equatable {
    let id: String
    var caption: String = ""
    var image: Asset<Data>?
    var notes: Asset<String>? = nil
    var pages: [Asset<Data>] = []
}

@EntityModel
struct Sheet: Equatable {
    struct Grid: Codable, Equatable {
        var cells: [[Int]]
    }

    let id: Int
    var grid: Asset<Grid>
}

@Storable
struct Scan: Equatable {
    var title: String
    var front: Asset<Data>
}

@EntityModel
struct Dossier: Equatable {
    let id: Int
    var scans: [String: Scan] = [:]
}

/// What a `Codable` type keeps as JSON: an asset in there would not be found.
struct Hidden: Codable, Equatable {
    var asset: Asset<Data>
}

@EntityModel
struct Cabinet: Equatable {
    let id: Int
    var hidden: Hidden?
}

extension SimulatedDisk {
    /// The names of the files of assets, without those that have not got a name yet.
    var assetNames: Set<String> {
        Set(
            image.files.keys.filter { $0.hasPrefix("assets/") && $0.utf8.count == 72 }.map {
                String($0.dropFirst("assets/".count).replacing("/", with: ""))
            })
    }
}

/// Bytes that tell their number and differ from those of every other.
func bytes(_ number: Int, count: Int = 1_000) -> Data {
    var random = SeededGenerator(seed: UInt64(number))
    return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
}

func openPhotos(
    _ disk: any FileSystem, seed: UInt64 = 1, retention: Retention = .everything,
    durability: Durability = .commit, mode: Store.Mode = .readWrite, log: StoreLog? = nil,
    types: [any EntityModelProtocol.Type] = [Photo.self]
) throws -> Store {
    var configuration = LogConfiguration()
    configuration.segmentBytesMax = ByteCount(4_096)
    configuration.frameBytesMax = ByteCount(1_024)
    return try Store(
        in: disk, environment: SimulatedEnvironment(seed: seed), configuration: configuration,
        mode: mode, durability: durability, retention: retention, compactsAutomatically: false,
        log: log, types: types)
}
