public import Foundation
internal import VarveAssets
internal import VarveEvents

/// The content of an asset, piece by piece; one piece is in memory at a time.
///
/// Behind the last piece the digest of all of them is compared; where it is another one, the iteration ends with an
/// error.
public struct AssetChunks: AsyncSequence, Sendable {
    /// One piece.
    public typealias Element = Data

    private let byteCount: Int
    private let open: @Sendable () throws -> AssetFile
    private let failure: @Sendable (AssetProblem) -> StoreError

    init(
        byteCount: Int, _ open: @escaping @Sendable () throws -> AssetFile,
        _ failure: @escaping @Sendable (AssetProblem) -> StoreError
    ) {
        self.byteCount = byteCount
        self.open = open
        self.failure = failure
    }

    /// Begins with the first piece.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Reads one piece after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let chunks: AssetChunks
        private var source: SharedSource?

        fileprivate init(_ chunks: AssetChunks) { self.chunks = chunks }

        /// The next piece; nil behind the last, when all of them are what was kept.
        public mutating func next() async throws -> Data? {
            let chunks = chunks
            let known = source
            let (source, chunk) = try await AssetQueue.run {
                let source =
                    try known ?? SharedSource(Source(chunks.open(), byteCount: chunks.byteCount))
                do throws(AssetProblem) {
                    return (source, try source.value.next())
                } catch {
                    throw chunks.failure(error)
                }
            }
            self.source = source
            return chunk
        }
    }

    // Unchecked: of one iterator, which waits for each piece.
    private final class SharedSource: @unchecked Sendable {
        var value: Source

        init(_ value: consuming Source) { self.value = value }
    }

    /// Reads pieces and hashes them on the way.
    struct Source: ~Copyable {
        private let file: AssetFile
        private let byteCount: Int
        private var offset: UInt64 = 0
        private var hasher: DigestHasher? = DigestHasher()

        init(_ file: AssetFile, byteCount: Int) {
            precondition(byteCount > 0, "a piece of an asset has at least one byte")
            self.file = file
            self.byteCount = byteCount
        }

        mutating func next() throws(AssetProblem) -> Data? {
            let rest = file.asset.byteCount - offset
            guard rest > 0 else {
                if let hasher = hasher.take() { try file.check(hasher.finish()) }
                return nil
            }
            var data = Data(count: Int(Swift.min(UInt64(byteCount), rest)))
            let count = try read(into: &data)
            offset += UInt64(count)
            return data
        }

        private mutating func read(into data: inout Data) throws(AssetProblem) -> Int {
            let outcome: Result<Int, AssetProblem> = data.withUnsafeMutableBytes { buffer in
                do throws(AssetProblem) {
                    let count = try file.read(into: buffer, at: offset)
                    hasher?.update(UnsafeRawBufferPointer(buffer))
                    return .success(count)
                } catch {
                    return .failure(error)
                }
            }
            return try outcome.get()
        }
    }
}
