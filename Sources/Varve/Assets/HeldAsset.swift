public import Foundation
internal import VarveAssets
internal import VarveEvents
internal import VarveLog

/// The content of an asset as a file whose URL is valid as long as this is held.
public final class HeldAsset: Sendable {
    /// The file. It must not be changed.
    public let url: URL
    private let file: AssetFile
    /// Of a store without files.
    private let directory: TemporaryDirectory?

    init(_ file: AssetFile, of store: Store) throws {
        self.file = file
        let fileSystem = store.opener.fileSystem
        if fileSystem is POSIXFileSystem {
            directory = nil
            url = URL(fileURLWithPath: fileSystem.displayPath)
                .appendingPathComponent(AssetFileName.path(of: file.asset.digest))
        } else {
            let directory = try TemporaryDirectory()
            self.directory = directory
            url = directory.url.appendingPathComponent("content")
            try Self.write(file, to: url, of: store)
        }
    }

    private static func write(_ file: AssetFile, to url: URL, of store: Store) throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        var chunks = AssetChunks.Source(file, byteCount: 1 << 18)
        while let chunk = try store.checked(
            file.asset, { () throws(AssetProblem) in try chunks.next() })
        {
            try handle.write(contentsOf: chunk)
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
