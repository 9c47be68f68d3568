public import Foundation
internal import VarveAssets
internal import VarveEvents
internal import VarveLog

/// The content of an asset as a file whose URL is valid as long as this is held.
public final class HeldAsset: Sendable {
    /// The file. It must not be changed.
    public let url: URL
    private let file: AssetFile
    /// Keeps a collection of this process from looking at the file.
    private let hold: AssetHold
    /// Of a store without files.
    private let directory: TemporaryDirectory?

    init(_ file: AssetFile, of store: Store) throws(StoreError) {
        self.file = file
        hold = store.assets.hold(file.asset.digest)
        let fileSystem = store.opener.fileSystem
        if fileSystem is POSIXFileSystem {
            directory = nil
            url = URL(fileURLWithPath: fileSystem.displayPath)
                .appendingPathComponent(AssetFileName.path(of: file.asset.digest))
        } else {
            let directory = try TemporaryDirectory()
            self.directory = directory
            url = directory.url.appendingPathComponent(Self.contentName)
            try Self.write(file, in: directory.url.path, of: store)
        }
    }

    private static let contentName = "content"

    /// Writes the content to a file of its own, which its owner alone can read.
    private static func write(
        _ file: AssetFile, in directory: String, of store: Store
    ) throws(StoreError) {
        func refusing<Result>(
            _ body: () throws(FileSystemError) -> Result
        ) throws(StoreError) -> Result {
            do throws(FileSystemError) {
                return try body()
            } catch {
                let path = directory + "/" + contentName
                throw .log(
                    .fileSystem(
                        FileSystemError(error.operation, file: path, reason: error.reason)))
            }
        }
        let copy = try refusing { () throws(FileSystemError) in
            try POSIXFileSystem(directory).open(contentName, .createExclusive)
        }
        var chunks = AssetChunks.Source(file, byteCount: StagedAsset.blockBytes)
        var offset: UInt64 = 0
        while let chunk = try store.checked(
            file.asset, { () throws(AssetProblem) in try chunks.next() })
        {
            try chunk.withUnsafeBytesTyped { bytes throws(StoreError) in
                try refusing { () throws(FileSystemError) in
                    try copy.writeAll(bytes, at: FrameOffset(offset), name: contentName)
                }
            }
            offset += UInt64(chunk.count)
        }
    }
}

extension Store {
    /// Gives a problem with an asset's file the name of the one who has it.
    func checked<Result>(
        _ asset: AssetReference, _ body: () throws(AssetProblem) -> Result
    ) throws(StoreError) -> Result {
        do throws(AssetProblem) {
            return try body()
        } catch {
            throw failure(of: asset, error)
        }
    }
}
