public import Foundation
internal import VarveAssets
public import VarveEvents
internal import VarveLog

extension Asset {
    // MARK: - Making, and waiting

    /// Keeps a value in a store: its bytes are written, and safe from a power cut, when this returns.
    ///
    /// Save an entity with the asset in the same store then. What no transaction names is removed by a compaction
    /// when the asset and its copies are gone, or when the store was suspended or closed. It may be called inside a
    /// write.
    ///
    /// - Parameters:
    ///   - value: `Data` as it is, a `String` as UTF-8, any other value as JSON.
    ///   - pathExtension: the extension of a file with this content; a period at its beginning is left out.
    ///   - mediaType: the kind of the content; nil is what the extension tells, or the type.
    ///   - store: a store that was opened for writing.
    /// - Throws: ``StoreError``, also where the extension has a slash or the media type a control character. Then
    ///   nothing is kept.
    /// - Complexity: linear in the size. Content that is there already is read, and not written again.
    public init(
        _ value: Content, pathExtension: String = "", mediaType: String? = nil, in store: Store
    ) throws {
        let kind = try Self.kind(pathExtension, mediaType)
        self = try Self.make(kind, in: store) { folder in
            let bytes = try Self.encoded(value)
            return try bytes.withUnsafeBytesTyped { bytes throws(LogError) in
                try folder.keep(bytes)
            }
        }
    }

    /// Keeps the content of a file in a store. The file stays.
    ///
    /// Where the file system can share the blocks of two files until one changes, nothing is copied: Btrfs and XFS
    /// on Linux do. The content must be one of the asset's type, which shows when it is read.
    ///
    /// - Parameters:
    ///   - url: the file. Its extension is the asset's.
    ///   - mediaType: the kind of the content; nil is what the extension tells, or the type.
    ///   - store: a store that was opened for writing.
    /// - Throws: ``StoreError``. Then nothing is kept.
    public init(contentsOf url: URL, mediaType: String? = nil, in store: Store) throws {
        self = try Self.make(fileAt: url, .copying, mediaType, in: store)
    }

    /// Keeps the content of a file in a store, and removes the file.
    ///
    /// In the file system of the store the file only gets another name. No program may write to it meanwhile. The file
    /// of an asset of the same store stays, as that asset needs it; one of another store goes, and is missing there.
    /// Of a symbolic link the file that it leads to is copied, and both stay.
    ///
    /// From here on the content is nowhere else. Save an entity with the asset before the store is suspended or closed.
    /// Where the body of the write throws and the value goes, or the process ends before the commit, the next
    /// compaction removes the content. Where that must not be, use ``init(contentsOf:mediaType:in:)`` and remove the
    /// file behind the commit.
    ///
    /// - Parameters:
    ///   - url: the file. Its extension is the asset's.
    ///   - mediaType: the kind of the content; nil is what the extension tells, or the type.
    ///   - store: a store that was opened for writing.
    /// - Throws: ``StoreError``. Then the file is where it was, or at the path that the error names: where another
    ///   file has taken its own meanwhile, or it cannot go back.
    public init(moving url: URL, mediaType: String? = nil, in store: Store) throws {
        self = try Self.make(fileAt: url, .moving, mediaType, in: store)
    }

    /// Keeps content that comes in pieces in a store; one piece is in memory at a time.
    ///
    /// - Throws: ``StoreError``. Then nothing is kept.
    public init(
        chunks: some Sequence<Data>, pathExtension: String = "", mediaType: String? = nil,
        in store: Store
    ) throws {
        let kind = try Self.kind(pathExtension, mediaType)
        self = try Self.make(kind, in: store) { folder in
            let staged = try LogError.wrapping { () throws(FileSystemError) in
                try StagedAsset(in: folder)
            }
            for chunk in chunks { try staged.append(chunk) }
            return try LogError.wrapping { () throws(FileSystemError) in try staged.place() }
        }
    }

    // MARK: - Making, asynchronously

    /// Keeps a value in a store, on a thread that is none of the cooperative pool.
    public init(
        _ value: Content, pathExtension: String = "", mediaType: String? = nil, in store: Store
    ) async throws {
        self = try await AssetQueue.run {
            try Self.init(value, pathExtension: pathExtension, mediaType: mediaType, in: store)
        }
    }

    /// Keeps the content of a file in a store, on a thread that is none of the cooperative pool. The file stays.
    public init(contentsOf url: URL, mediaType: String? = nil, in store: Store) async throws {
        self = try await AssetQueue.run {
            try Self.init(contentsOf: url, mediaType: mediaType, in: store)
        }
    }

    /// Keeps the content of a file in a store, and removes the file, on a thread that is none of the cooperative pool.
    public init(moving url: URL, mediaType: String? = nil, in store: Store) async throws {
        self = try await AssetQueue.run {
            try Self.init(moving: url, mediaType: mediaType, in: store)
        }
    }

    /// Keeps content that comes in pieces in a store; one piece is in memory at a time.
    ///
    /// - Throws: ``StoreError``, or what the sequence throws. Then nothing is kept.
    public init<Chunks: AsyncSequence>(
        chunks: Chunks, pathExtension: String = "", mediaType: String? = nil, in store: Store
    ) async throws where Chunks.Element == Data {
        let kind = try Self.kind(pathExtension, mediaType)
        let folder = try store.writableAssets()
        let staged = try await AssetQueue.run {
            try LogError.wrapping { () throws(FileSystemError) in try StagedAsset(in: folder) }
        }
        for try await chunk in chunks {
            try await AssetQueue.run { try staged.append(chunk) }
        }
        self = try await AssetQueue.run {
            Self(
                try LogError.wrapping { () throws(FileSystemError) in try staged.place() }, kind)
        }
    }
}

extension Asset {
    private static func kind(
        _ pathExtension: String, _ mediaType: String?
    ) throws(StoreError) -> AssetKind {
        try AssetKind(pathExtension, mediaType, otherwise: ownMediaType, of: Content.self)
    }

    private static func make(
        fileAt url: URL, _ transfer: AssetTransfer, _ mediaType: String?, in store: Store
    ) throws -> Asset {
        let kind = try Self.kind(url.pathExtension, mediaType)
        return try make(kind, in: store) { folder in
            try folder.keep(fileAt: url.path, transfer)
        }
    }

    private static func make(
        _ kind: AssetKind, in store: Store, _ keep: (AssetFolder) throws -> KeptAsset
    ) throws -> Asset {
        do {
            return Asset(try keep(try store.writableAssets()), kind)
        } catch let error as LogError {
            throw StoreError.log(error)
        }
    }

    private init(_ kept: KeptAsset, _ kind: AssetKind) {
        self.init(
            AssetReference(
                digest: kept.digest, byteCount: kept.byteCount,
                pathExtension: kind.pathExtension, mediaType: kind.mediaType), hold: kept.hold)
    }

    private static func encoded(_ value: Content) throws(StoreError) -> Data {
        do throws(CodecError) {
            return try bytes(of: value)
        } catch {
            throw .unencodable(type: "Asset", id: "of \(Content.self)", error)
        }
    }
}

extension StagedAsset {
    fileprivate func append(_ chunk: Data) throws(LogError) {
        try chunk.withUnsafeBytesTyped { bytes throws(LogError) in
            try LogError.wrapping { () throws(FileSystemError) in try append(bytes) }
        }
    }
}

extension Data {
    /// As `withUnsafeBytes`, which does not carry a typed error out of its closure.
    func withUnsafeBytesTyped<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure> = withUnsafeBytes { bytes in
            do throws(Failure) {
                return .success(try body(bytes))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
