import CVarve
import Synchronization

/// Memory for the blocks of an image that are read, evicted and read again: a block takes the buffer of one that was evicted.
///
///     block 7 evicted ---> [buffer of 32 KiB] ---> block 912 read
///
/// To return each block's memory to the system, and to touch other memory for the next one, took a third of reads by chance.
/// So some buffers that were returned are kept as they are. The memory of the others is released, and their addresses are used
/// again.
final class BlockBuffers: Sendable {
    /// Whole pages of the system, so that the memory of one buffer can be released.
    static let unitBytes = max(4 << 10, varve_page_bytes())
    fileprivate static let regionBytes = 4 << 20
    /// Longer ones are mapped one by one.
    fileprivate static let shelvedBytesMax = 256 << 10
    private static let touchedBytesLimits = 256 << 10...4 << 20

    /// The buffers of one length that are not in use, by their addresses.
    fileprivate struct Shelf {
        /// As they were left.
        var touched: [UInt] = []
        /// Zeros, which take no memory.
        var released: [UInt] = []
    }

    fileprivate struct Stock {
        let touchedBytesMax: Int
        /// By length, in units.
        var shelves: [Shelf]
        var touchedBytes = 0
        /// The addresses of the newest region that no buffer was cut from.
        var rest: Range<UInt> = 0..<0
        /// The lengths of what was mapped, by its address.
        var mapped: [UInt: Int] = [:]
    }

    private let stock: Mutex<Stock>
    /// The thread sanitizer does not see each order that a mutex gives.
    private let order = Atomic(0)

    /// - Parameter bytesMax: what blocks may take. Buffers that are kept as they were left take up to a sixteenth of it, between
    ///   256 KiB and 4 MiB, beside that.
    init(bytesMax: Int) {
        let limits = Self.touchedBytesLimits
        let touchedBytesMax = min(max(bytesMax / 16, limits.lowerBound), limits.upperBound)
        let count = Self.shelvedBytesMax / Self.unitBytes + 1
        stock = Mutex(
            Stock(
                touchedBytesMax: Self.keepsTouched ? touchedBytesMax : 0,
                shelves: Array(repeating: Shelf(), count: count)))
    }

    private func withStock<Result>(_ body: (inout Stock) -> Result) -> Result
    where Result: Sendable {
        stock.withLock { stock in
            _ = order.load(ordering: .acquiring)
            defer { order.wrappingAdd(1, ordering: .releasing) }
            return body(&stock)
        }
    }

    /// The last reads of a buffer end with a count of references. The thread sanitizer sees no order in that. It knows only that
    /// released memory is new, so no buffer is kept as it was left.
    private static var keepsTouched: Bool {
        #if VARVE_TSAN
            false
        #else
            true
        #endif
    }

    /// No buffer is in use any more.
    deinit {
        let mapped = withStock { $0.mapped }
        for (address, length) in mapped { Self.unmap(address, length) }
    }

    /// The memory of buffers that are in no use, and were kept as they were left.
    var touchedBytes: Int { withStock { $0.touchedBytes } }

    /// The addresses that were mapped, in bytes.
    var mappedBytes: Int { withStock { $0.mapped.values.reduce(0, +) } }

    /// What a buffer takes.
    static func length(_ byteCount: Int) -> Int {
        (byteCount + unitBytes - 1) / unitBytes * unitBytes
    }

    /// Zeros; nil where there are no addresses left. The caller returns them.
    func take(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let length = Self.length(byteCount)
        if length > Self.shelvedBytesMax { return map(length) }
        let (address, isTouched) = withStock { $0.take(length) }
        let buffer = UnsafeMutableRawPointer(bitPattern: address)
        if isTouched { buffer?.initializeMemory(as: UInt8.self, repeating: 0, count: length) }
        return buffer
    }

    private func map(_ length: Int) -> UnsafeMutableRawPointer? {
        guard let memory = varve_map_memory(length) else { return nil }
        let address = UInt(bitPattern: memory)
        withStock { $0.mapped[address] = length }
        return memory
    }

    /// - Parameter byteCount: what was taken.
    func give(_ buffer: UnsafeMutableRawPointer, _ byteCount: Int) {
        let length = Self.length(byteCount)
        let address = UInt(bitPattern: buffer)
        if length > Self.shelvedBytesMax {
            withStock { $0.mapped[address] = nil }
            return Self.unmap(address, length)
        }
        assert(Self.overwrite(buffer, length))
        let surplus = withStock { $0.give(address, length) }
        for (address, length) in surplus {
            guard let buffer = UnsafeMutableRawPointer(bitPattern: address) else { continue }
            varve_clear_memory(buffer, length)
            withStock { $0.shelves[length / Self.unitBytes].released.append(address) }
        }
    }

    /// In debug builds nothing is read from a block that was evicted without being noticed.
    private static func overwrite(_ buffer: UnsafeMutableRawPointer, _ length: Int) -> Bool {
        buffer.initializeMemory(as: UInt8.self, repeating: 0xDD, count: length)
        return true
    }

    private static func unmap(_ address: UInt, _ length: Int) {
        guard let memory = UnsafeMutableRawPointer(bitPattern: address) else { return }
        varve_unmap_memory(memory, length)
    }
}

extension BlockBuffers.Stock {
    /// The address 0 where there are none left.
    fileprivate mutating func take(_ length: Int) -> (address: UInt, isTouched: Bool) {
        let shelf = length / BlockBuffers.unitBytes
        if let address = shelves[shelf].touched.popLast() {
            touchedBytes -= length
            return (address, true)
        }
        return (shelves[shelf].released.popLast() ?? cut(length), false)
    }

    private mutating func cut(_ length: Int) -> UInt {
        if rest.count < length {
            guard let memory = varve_map_memory(BlockBuffers.regionBytes) else { return 0 }
            let start = UInt(bitPattern: memory)
            mapped[start] = BlockBuffers.regionBytes
            rest = start..<start + UInt(BlockBuffers.regionBytes)
        }
        let start = rest.lowerBound
        rest = start + UInt(length)..<rest.upperBound
        return start
    }

    /// Keeps a buffer as it is. Returns those that are to be released for it, or the buffer itself where there are no others.
    ///
    /// Buffers of other lengths go first: what is read next is mostly as long as what is evicted.
    fileprivate mutating func give(
        _ address: UInt, _ length: Int
    ) -> [(address: UInt, length: Int)] {
        var surplus: [(UInt, Int)] = []
        while touchedBytes + length > touchedBytesMax {
            let others = shelves.indices.first {
                $0 != length / BlockBuffers.unitBytes && !shelves[$0].touched.isEmpty
            }
            guard let other = others, let address = shelves[other].touched.popLast() else {
                surplus.append((address, length))
                return surplus
            }
            touchedBytes -= other * BlockBuffers.unitBytes
            surplus.append((address, other * BlockBuffers.unitBytes))
        }
        touchedBytes += length
        shelves[length / BlockBuffers.unitBytes].touched.append(address)
        return surplus
    }
}
