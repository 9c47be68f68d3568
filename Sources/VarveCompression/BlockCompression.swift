import CLZ4

/// Raw LZ4 blocks: the part of LZ4 that every implementation shares.
package enum BlockCompression {
    /// How much work a block is worth. What it leads to is read in the same way, and as fast.
    package enum Effort: Sendable {
        /// For what somebody waits for.
        case quick
        /// For what is written once and kept.
        case thorough
    }

    /// Shorter inputs are stored. The transaction of one row of a few fields, some hundred bytes, is rarely a sixteenth
    /// smaller; that is less than the frame's header, and looking for it was a tenth of the commit's instructions.
    package static let rawBytesMin = 128

    /// The compressed bytes' count, or nil when they would not be at least a sixteenth smaller
    /// than `raw`, so that storing them as they are costs the reader less. `output` must have room
    /// for `raw.count` bytes.
    package static func compress(
        _ raw: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
        using state: Compressor
    ) -> Int? {
        guard raw.count >= rawBytesMin, let rawCount = Int32(exactly: raw.count) else { return nil }
        let limit = rawCount - rawCount / 16
        precondition(output.count >= Int(limit), "the compressed block fits its buffer")
        let source = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
        let target = output.baseAddress?.assumingMemoryBound(to: CChar.self)
        let count =
            switch state.effort {
            case .thorough:
                LZ4_compress_HC_extStateHC(
                    state.memory, source, target, rawCount, limit, thoroughLevel)
            // This call clears all of the scratch memory, which takes longer than a short block; the
            // next only makes sure that nothing in it is found. Long blocks are smaller by the first.
            case .quick where raw.count >= rawBytesCleared:
                LZ4_compress_fast_extState(state.cleared(), source, target, rawCount, limit, 1)
            case .quick:
                state.withStream {
                    LZ4_compress_fast_continue($0, source, target, rawCount, limit, 1)
                }
            }
        return count > 0 ? Int(count) : nil
    }

    /// From here on the scratch memory is cleared for a block.
    private static let rawBytesCleared = 4_096
    /// The first of LZ4's thorough levels, 3 to 12: rows of text become a fifth smaller. Levels 6 and 9 take
    /// another 8 and 10 % away, and make a compaction two and four times as long.
    private static let thoroughLevel: Int32 = 3

    /// The raw bytes' count, or nil when `stored` is no LZ4 block or needs more than `output` has.
    package static func decompress(
        _ stored: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Int? {
        guard let storedCount = Int32(exactly: stored.count),
            let capacity = Int32(exactly: output.count)
        else { return nil }
        let count = LZ4_decompress_safe(
            stored.baseAddress?.assumingMemoryBound(to: CChar.self),
            output.baseAddress?.assumingMemoryBound(to: CChar.self), storedCount, capacity)
        return count >= 0 ? Int(count) : nil
    }

    /// The most raw bytes that `storedBytes` of LZ4 can stand for: a bound that is checked before
    /// memory is taken for them.
    package static func rawBytesMax(storedBytes: UInt64) -> UInt64 {
        storedBytes &* 255 &+ 64
    }

    /// Whether memory for `rawCount` bytes may be taken before `stored` is decompressed. What claims to be much larger
    /// than it is has to hold what it claims: a forged length takes no memory, and the length of honest data
    /// has no other limit than that of a frame or a page.
    package static func isWorthMemory(_ rawCount: Int, for stored: UnsafeRawBufferPointer) -> Bool {
        guard rawCount > rawBytesUnmeasured, rawCount / 16 > stored.count else { return true }
        return rawBytes(of: stored) == rawCount
    }

    /// What takes no more memory than that is decompressed without a look at it.
    private static let rawBytesUnmeasured = 1 << 20

    /// How many raw bytes a block makes, by the lengths of its sequences; nil where they do not fit. Reads the
    /// stored bytes once, and takes no memory.
    package static func rawBytes(of stored: UnsafeRawBufferPointer) -> Int? {
        var position = 0
        var count = 0
        /// The length that begins with four bits of a token.
        func length(_ bits: UInt8) -> Int? {
            guard bits == 15 else { return Int(bits) }
            var length = 15
            while position < stored.count {
                let more = stored[position]
                position += 1
                length += Int(more)
                if more < 255 { return length }
            }
            return nil
        }
        while position < stored.count {
            let token = stored[position]
            position += 1
            guard let literals = length(token >> 4), literals <= stored.count - position
            else { return nil }
            position += literals
            count += literals
            // The last sequence has literals alone.
            if position == stored.count { return count }
            // Behind the distance of the match.
            position += 2
            guard let match = length(token & 15) else { return nil }
            count += match + 4
        }
        return nil
    }

    /// Scratch memory of the compressor, kept from one block to the next.
    package final class Compressor {
        package let effort: Effort
        fileprivate let memory: UnsafeMutableRawPointer
        /// The memory as a stream; nil where the memory holds what no stream has left there.
        private var stream: UnsafeMutablePointer<LZ4_stream_t>?

        package init(_ effort: Effort = .quick) {
            self.effort = effort
            let byteCount = effort == .quick ? LZ4_sizeofState() : LZ4_sizeofStateHC()
            memory = .allocate(byteCount: Int(byteCount), alignment: 16)
        }

        /// Compresses a block that knows of no other.
        fileprivate func withStream(
            _ body: (UnsafeMutablePointer<LZ4_stream_t>?) -> Int32
        ) -> Int32 {
            if let stream {
                LZ4_resetStream_fast(stream)
            } else {
                stream = LZ4_initStream(memory, Int(LZ4_sizeofState()))
            }
            return body(stream)
        }

        /// The memory, for a call that clears it.
        fileprivate func cleared() -> UnsafeMutableRawPointer {
            stream = nil
            return memory
        }

        deinit {
            memory.deallocate()
        }
    }
}
