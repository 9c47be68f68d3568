import Testing
import VarveCompression
import VarveTestSupport

@testable import VarveLog

@Suite("Compressed blocks")
struct BlockCompressionTests {
    private func compress(_ raw: [UInt8], _ compressor: BlockCompression.Compressor) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: raw.count)
        let count = raw.withUnsafeBytes { raw in
            output.withUnsafeMutableBytes {
                BlockCompression.compress(raw, into: $0, using: compressor)
            }
        }
        return count.map { Array(output[..<$0]) }
    }

    private func decompress(_ stored: [UInt8], count: Int) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: count)
        let found = stored.withUnsafeBytes { stored in
            output.withUnsafeMutableBytes { BlockCompression.decompress(stored, into: $0) }
        }
        return found.map { Array(output[..<$0]) }
    }

    /// Words that repeat, so that a block has much in common with those before it.
    private func makeBlock(_ random: inout SeededGenerator) -> [UInt8] {
        let isShort = Bool.random(using: &random)
        let count = Int.random(in: isShort ? 1..<400 : 4_000..<20_000, using: &random)
        let words = (0..<8).map { Array("word \($0) of a transaction, ".utf8) }
        var block: [UInt8] = []
        while block.count < count {
            block += words.randomElement(using: &random) ?? []
            block.append(UInt8.random(in: .min ... .max, using: &random))
        }
        return Array(block.prefix(count))
    }

    @Test(
        "A block is what it is whatever was compressed before, and can be read by itself",
        arguments: [1, 2, 3] as [UInt64])
    func independent(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let kept = BlockCompression.Compressor()
        var compressedCount = 0
        for _ in 0..<500 {
            let raw = makeBlock(&random)
            let stored = compress(raw, kept)
            #expect(stored == compress(raw, BlockCompression.Compressor()), "seed \(seed)")
            guard let stored else { continue }
            compressedCount += 1
            #expect(decompress(stored, count: raw.count) == raw, "seed \(seed)")
        }
        #expect(compressedCount > 250)
    }

    @Test("A block that was compressed thoroughly is smaller, and is read as any other")
    func thorough() {
        var random = SeededGenerator(seed: 4)
        let (quick, thorough) = (
            BlockCompression.Compressor(), BlockCompression.Compressor(.thorough)
        )
        var counts = (quick: 0, thorough: 0)
        for _ in 0..<200 {
            let raw = makeBlock(&random)
            let stored = compress(raw, thorough)
            #expect(stored == compress(raw, BlockCompression.Compressor(.thorough)))
            guard let stored, let other = compress(raw, quick) else { continue }
            counts.quick += other.count
            counts.thorough += stored.count
            #expect(decompress(stored, count: raw.count) == raw)
        }
        #expect(counts.quick > 0 && counts.thorough * 10 < counts.quick * 9, "\(counts)")
        let noise = (0..<5_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        #expect(compress(noise, thorough) == nil)
    }

    @Test("Row 48: A length that the compressed bytes do not have takes no memory")
    func forgedLength() throws {
        var generator = SeededGenerator(seed: 48)
        let honest = [UInt8](repeating: 7, count: 40 << 20)
        let stored = try #require(compress(honest, BlockCompression.Compressor()))
        func content(_ payload: [UInt8], _ rawLength: Int) throws -> (Int?, memory: Int) {
            let content = FrameContent(SegmentID(1))
            var size: Int?
            try payload.withUnsafeBytes { bytes in
                let header = FrameHeader(
                    type: .transaction, codec: .lz4, flags: [], storedLength: UInt32(bytes.count),
                    rawLength: UInt32(rawLength), sequence: LogSequence(1),
                    durableEnd: FrameOffset(128), time: 0,
                    storedChecksum: Checksum.crc32c(bytes),
                    rawChecksum: honest.withUnsafeBytes { Checksum.crc32c($0) })
                let frame = Frame(
                    header: header, offset: FrameOffset(128), headerBytes: bytes, payload: bytes)
                do throws(LogError) {
                    size = try content.payload(of: frame).count
                } catch {
                    guard case .damaged(let damage) = error else { throw error }
                    #expect(damage.kind == .compression)
                }
            }
            return (size, content.buffer.capacity)
        }
        // What is honest may be 255 times as large as its frame.
        #expect(try content(stored, honest.count) == (honest.count, honest.count))
        for forged in [honest.count - 1, honest.count + 1, 64 << 20] {
            let result = try content(stored, forged)
            #expect(result.0 == nil && result.memory == 0)
        }
        for _ in 0..<30 {
            let bytes = generator.bytes(Int.random(in: 1...100_000, using: &generator))
            let result = try content(bytes, min(bytes.count * 255, 64 << 20))
            #expect(result.0 == nil && result.memory <= 1 << 20)
        }
    }

    @Test("The raw bytes of any block are counted as decompression counts them")
    func countedBytes() throws {
        var generator = SeededGenerator(seed: 11)
        let compressor = BlockCompression.Compressor()
        for _ in 0..<300 {
            let pattern = generator.bytes(Int.random(in: 1...40, using: &generator))
            let repetitions = Int.random(in: 10...2_000, using: &generator)
            var raw = (0..<repetitions).flatMap { _ in pattern }
            raw[Int.random(in: raw.indices, using: &generator)] ^= 1
            guard let stored = compress(raw, compressor) else { continue }
            let count = stored.withUnsafeBytes { BlockCompression.rawBytes(of: $0) }
            #expect(count == raw.count, "seed 11")
        }
    }
}
