import Testing
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
}
