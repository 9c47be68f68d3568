public import Foundation
internal import VarveAssets
public import VarveEvents
internal import VarveLog

extension Asset {
    // MARK: - Reading, and waiting

    /// The content as bytes, compared with its digest.
    ///
    /// - Throws: ``StoreError/asset(_:)`` where the file is missing or not what was kept.
    /// - Complexity: linear in the size, which is in memory then.
    public func data(in store: Store) throws -> Data {
        try reading(in: store) { file throws(AssetProblem) in
            let data = try file.data(0..<file.asset.byteCount)
            try file.check(data.withUnsafeBytes { AssetDigest(of: $0) })
            return data
        }
    }

    /// The content as a value: bytes as they are, a text from UTF-8, any other from JSON.
    ///
    /// - Throws: ``StoreError/asset(_:)``, also where the content is no value of the type.
    public func value(in store: Store) throws -> Content {
        let data = try data(in: store)
        do throws(CodecError) {
            return try Self.value(of: data)
        } catch {
            throw store.failure(of: reference, .undecodable(error))
        }
    }

    /// A part of the content. What of the range is behind the end is left out.
    ///
    /// The length of the file is compared, and not the digest, for which all of it would have to be read.
    ///
    /// - Precondition: the range begins at 0 or behind it.
    /// - Throws: ``StoreError/asset(_:)`` where the file is missing or has another length.
    public func bytes(_ range: Range<Int>, in store: Store) throws -> Data {
        precondition(range.lowerBound >= 0, "a range of an asset begins at 0 or behind it")
        return try reading(in: store) { file throws(AssetProblem) in try file.bytes(range) }
    }

    /// Calls `body` with the content piece by piece, each of as many bytes but the last. One is in memory at a time.
    ///
    /// - Throws: what `body` throws, and ``StoreError/asset(_:)``: behind the last piece also where all pieces together
    ///   are not what was kept.
    public func forEachChunk(
        of byteCount: Int = 1 << 18, in store: Store, _ body: (Data) throws -> Void
    ) throws {
        var chunks = AssetChunks.Source(try open(in: store), byteCount: byteCount)
        while let chunk = try checking(in: store, { () throws(AssetProblem) in try chunks.next() })
        {
            try body(chunk)
        }
    }

    /// The content as a file with a URL that stays valid as long as the result is held.
    ///
    /// No compaction of any process removes the file meanwhile. It must not be changed. Its name says nothing of its
    /// kind: ``pathExtension`` and ``mediaType`` do. A store in memory writes a file for this.
    ///
    /// - Throws: ``StoreError/asset(_:)`` where the file is missing or has another length.
    public func file(in store: Store) throws -> HeldAsset {
        try HeldAsset(try open(in: store), of: store)
    }

    // MARK: - Reading, asynchronously

    /// The content as bytes, read on a thread that is none of the cooperative pool.
    public func data(in store: Store) async throws -> Data {
        try await AssetQueue.run { try data(in: store) }
    }

    /// The content as a value, read on a thread that is none of the cooperative pool.
    public func value(in store: Store) async throws -> Content {
        try await AssetQueue.run { try value(in: store) }
    }

    /// A part of the content, read on a thread that is none of the cooperative pool.
    public func bytes(_ range: Range<Int>, in store: Store) async throws -> Data {
        try await AssetQueue.run { try bytes(range, in: store) }
    }

    /// The content as a file with a URL that stays valid as long as the result is held.
    public func file(in store: Store) async throws -> HeldAsset {
        try await AssetQueue.run { try file(in: store) }
    }

    /// The content piece by piece, each of as many bytes but the last, read on a thread that is none of the
    /// cooperative pool. Nothing is read before the first chunk is wanted.
    public func chunks(of byteCount: Int = 1 << 18, in store: Store) -> AssetChunks {
        AssetChunks(byteCount: byteCount, { try open(in: store) }) { problem in
            store.failure(of: reference, problem)
        }
    }
}

extension Asset {
    fileprivate func open(in store: Store) throws -> AssetFile {
        try checking(in: store) { () throws(AssetProblem) in
            try AssetFile(reference, in: store.assets)
        }
    }

    fileprivate func reading<Result>(
        in store: Store, _ body: (AssetFile) throws(AssetProblem) -> Result
    ) throws -> Result {
        try checking(in: store) { () throws(AssetProblem) in
            try body(try AssetFile(reference, in: store.assets))
        }
    }

    fileprivate func checking<Result>(
        in store: Store, _ body: () throws(AssetProblem) -> Result
    ) throws -> Result {
        try store.checked(reference, body)
    }
}

extension AssetFile {
    /// As much memory as is taken before the content is there that fills it.
    private static var reservedMax: UInt64 { 1 << 24 }

    /// The part of the content in a range, as far as there is one.
    fileprivate func bytes(_ range: Range<Int>) throws(AssetProblem) -> Data {
        let part = range.clamped(to: 0..<Int(clamping: asset.byteCount))
        return try data(UInt64(part.lowerBound)..<UInt64(part.upperBound))
    }

    /// A part of the content, read block by block: how much that is says a log, which may be forged, and a file of
    /// nothing but a hole may agree.
    fileprivate func data(_ part: Range<UInt64>) throws(AssetProblem) -> Data {
        var data = Data()
        data.reserveCapacity(Int(min(part.upperBound - part.lowerBound, Self.reservedMax)))
        let buffer = ByteBuffer(capacity: StagedAsset.blockBytes)
        var offset = part.lowerBound
        while offset < part.upperBound {
            let rest = part.upperBound - offset
            let count = try read(
                into: buffer.prefix(Int(min(UInt64(StagedAsset.blockBytes), rest))), at: offset)
            data.append(contentsOf: UnsafeRawBufferPointer(buffer.prefix(count)))
            offset += UInt64(count)
        }
        return data
    }
}
