import CVarve
import VarveCompression

/// What a root says of a block: which run of pages it holds, and how it is stored.
struct BlockEntry: Hashable, Sendable {
    /// In its store, never used again.
    var number: UInt64
    var run: PageRun
    /// The frames of the run that are stored: those behind are free.
    var storedFrames: Int
    /// The frames that hold a page.
    var liveFrames: Int
    /// Where it begins in the image.
    var offset: UInt64
    var storedCount: Int
    /// Of the stored bytes, seeded by the number.
    var checksum: UInt32

    var rawCount: Int { storedFrames * run.frameBytes }
    var isCompressed: Bool { storedCount < rawCount }

    var place: PageDamage.Place {
        PageDamage.Place(block: number, offset: offset, byteCount: storedCount)
    }

    static func checksum(_ bytes: UnsafeRawBufferPointer, number: UInt64) -> UInt32 {
        var seed = number.littleEndian
        let seeded = varve_crc32c(0, &seed, MemoryLayout<UInt64>.size)
        return varve_crc32c(seeded, bytes.baseAddress, bytes.count)
    }

    /// Reads the stored bytes, which are then what was written, into memory that the caller deallocates.
    func read(from source: any BlockSource) throws(PageDamage) -> UnsafeMutableRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: storedCount, alignment: 16)
        do throws(PageDamage) {
            try fill(buffer, from: source)
            return buffer
        } catch {
            buffer.deallocate()
            throw error
        }
    }

    private func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from source: any BlockSource
    ) throws(PageDamage) {
        let count: Int
        do throws(BlockStorageError) {
            count = try source.read(into: buffer, at: offset)
        } catch {
            throw .unreadable(place, reason: error.reason)
        }
        guard count == storedCount else { throw .cut(place, found: count) }
        let found = Self.checksum(UnsafeRawBufferPointer(buffer), number: number)
        guard found == checksum else {
            throw .checksum(place, expected: checksum, found: found)
        }
    }

    /// Turns stored bytes into frames: `target` has the size of the stored ones.
    func expand(
        _ stored: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) throws(PageDamage) {
        guard isCompressed else { return target.copyMemory(from: stored) }
        guard BlockCompression.decompress(stored, into: target) == target.count else {
            throw .content(place, reason: "its compressed data")
        }
    }

    func damaged(_ reason: String) -> PageDamage { .content(place, reason: reason) }
}
