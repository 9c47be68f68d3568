import Testing
import VarveTestSupport

@testable import VarveTables

@Suite("Buffers of blocks")
struct BlockBuffersTests {
    /// A buffer in use, and the byte that all of it holds.
    private struct Filled {
        let start: UnsafeMutableRawPointer
        let byteCount: Int
        let value: UInt8

        var isWhole: Bool {
            UnsafeRawBufferPointer(start: start, count: byteCount).allSatisfy { $0 == value }
        }
    }

    private static let lengths = [1, 4_096, 5_000, 16_384, 32_768, 36_000, 262_144, 300_000]

    @Test(
        "What is taken is zeros, and no part of it is of another buffer in use",
        arguments: [0, 64 << 10, 16 << 20, 1 << 30], 1...3)
    func zeros(bytesMax: Int, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let buffers = BlockBuffers(bytesMax: bytesMax)
        var inUse: [Filled] = []
        for round in 0..<300 {
            if inUse.isEmpty || (inUse.count < 60 && generator.below(2) == 0) {
                let byteCount = Self.lengths[generator.below(Self.lengths.count)]
                let start = try #require(buffers.take(byteCount))
                let buffer = Filled(
                    start: start, byteCount: byteCount, value: UInt8(truncatingIfNeeded: round | 1))
                let isZero = UnsafeRawBufferPointer(start: start, count: byteCount).allSatisfy {
                    $0 == 0
                }
                #expect(isZero, "seed \(seed), round \(round)")
                start.initializeMemory(as: UInt8.self, repeating: buffer.value, count: byteCount)
                inUse.append(buffer)
            } else {
                let buffer = inUse.remove(at: generator.below(inUse.count))
                #expect(buffer.isWhole, "seed \(seed), round \(round)")
                buffers.give(buffer.start, buffer.byteCount)
            }
        }
        let areWhole = inUse.allSatisfy(\.isWhole)
        #expect(areWhole, "seed \(seed)")
    }

    @Test(
        "Addresses are used again, of buffers that were kept as they were and of those that were not"
    )
    func addresses() throws {
        let buffers = BlockBuffers(bytesMax: 0)
        func takeTwenty() throws -> Set<UnsafeMutableRawPointer> {
            Set(try (0..<20).map { _ in try #require(buffers.take(32_768)) })
        }
        let first = try takeTwenty()
        #expect(first.count == 20)
        for start in first { buffers.give(start, 32_768) }
        let second = try takeTwenty()
        #expect(second == first)
    }

    #if !VARVE_TSAN
        @Test("Buffers in no use are kept up to a limit, those of other lengths going first")
        func touched() throws {
            let buffers = BlockBuffers(bytesMax: 0)
            let (unit, limit) = (BlockBuffers.unitBytes, 256 << 10)
            let long = try (0..<20).map { _ in try #require(buffers.take(4 * unit)) }
            let short = try (0..<8).map { _ in try #require(buffers.take(unit)) }
            #expect(buffers.touchedBytes == 0)
            for start in long { buffers.give(start, 4 * unit) }
            #expect(buffers.touchedBytes == limit)
            for start in short { buffers.give(start, unit) }
            #expect(buffers.touchedBytes == limit)
            for _ in short { _ = try #require(buffers.take(unit)) }
            #expect(buffers.touchedBytes == limit - 8 * unit)
        }
    #endif

    @Test("A buffer that is too long for a shelf is mapped as long as it is in use")
    func longBuffers() throws {
        let buffers = BlockBuffers(bytesMax: 1 << 30)
        for _ in 0..<10 {
            let start = try #require(buffers.take(3 << 20))
            #expect(buffers.mappedBytes == 3 << 20)
            buffers.give(start, 3 << 20)
            #expect(buffers.mappedBytes == 0)
        }
    }
}
