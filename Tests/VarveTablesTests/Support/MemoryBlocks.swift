import Synchronization

@testable import VarveTables

/// The bytes of an image in memory.
struct MemoryBlocks: BlockSink {
    private(set) var bytes: [UInt8] = []
    /// Of the appends, the one that fails.
    var failingAppend: Int?
    private var appends = 0

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(BlockStorageError) {
        if appends == failingAppend { throw BlockStorageError(reason: "full") }
        appends += 1
        self.bytes += bytes
    }
}

/// Reads an image from memory, with the faults that a test wants.
final class MemorySource: BlockSource {
    enum Fault {
        case failure, shortRead
    }

    private let bytes: [UInt8]
    private let fault = Mutex<(@Sendable (Int) -> Fault?)?>(nil)
    private let reads = Mutex<[Range<UInt64>]>([])

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var byteCount: UInt64 { UInt64(bytes.count) }

    /// Where was read, in order.
    var ranges: [Range<UInt64>] { reads.withLock { $0 } }

    /// What happens to a read, by how many were before it.
    func setFault(_ fault: (@Sendable (Int) -> Fault?)?) { self.fault.withLock { $0 = fault } }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(BlockStorageError) -> Int {
        let number = reads.withLock { reads in
            reads.append(offset..<offset + UInt64(buffer.count))
            return reads.count - 1
        }
        let fault = fault.withLock { $0 }
        switch fault?(number) {
        case .failure: throw BlockStorageError(reason: "no disk")
        case .shortRead where !buffer.isEmpty: return buffer.count - 1
        case .shortRead, nil: break
        }
        let start = min(Int(offset), bytes.count)
        let count = min(buffer.count, bytes.count - start)
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: .init(rebasing: $0[start..<start + count]))
        }
        return count
    }
}

extension State {
    /// The image of the state, which is the newest of its store.
    func image(
        on base: StoredImage? = nil, _ compression: ImageCompression = .quick
    ) throws -> (bytes: [UInt8], image: StoredImage, figures: ImageFigures) {
        var sink = MemoryBlocks()
        let written = try ImagePlan(self, base: base, compression: compression).write(to: &sink)
        return (sink.bytes, written.stored(in: MemorySource(sink.bytes)), written.figures)
    }
}
