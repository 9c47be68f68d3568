import CVarve

/// A page in memory: a header of 16 bytes, and what the structure that owns it makes of the rest.
///
///     0   birth      the version whose transaction made this page; with the highest bit set, the frame
///                    is free, and the lower half names the next free one like it
///     8   units      24 bits: units of 64 bytes, of the frame
///     11  kind       UInt8
///     12  count      of the structure's items
///
/// A page of zeros is an empty one of every kind.
///
/// It is an address, valid as long as a snapshot or the open transaction can reach the page. Only
/// the transaction whose version is the page's birth may write to it.
struct Page: BitwiseCopyable {
    static let headerBytes = 16
    static let unitsMax = 1 << 24 - 1
    /// The largest frame, in bytes.
    static let byteCountMax = unitsMax << PageNumber.byteBits
    private static let freeMark: UInt64 = 1 << 63

    let address: UnsafeMutableRawPointer

    var birth: PageVersion {
        get { PageVersion(address.load(as: UInt64.self)) }
        nonmutating set { address.storeBytes(of: newValue.rawValue, as: UInt64.self) }
    }

    /// Of the frame.
    var byteCount: Int {
        Int(address.load(fromByteOffset: 8, as: UInt32.self) & 0xFF_FFFF) &<< PageNumber.byteBits
    }

    var kind: PageKind {
        PageKind(rawValue: address.load(fromByteOffset: 11, as: UInt8.self))
    }

    func setKind(_ kind: PageKind, byteCount: Int) {
        let units = UInt32(truncatingIfNeeded: byteCount &>> PageNumber.byteBits)
        address.storeBytes(
            of: units | UInt32(kind.rawValue) &<< 24, toByteOffset: 8, as: UInt32.self)
    }

    var count: Int {
        get { Int(address.load(fromByteOffset: 12, as: UInt32.self)) }
        nonmutating set {
            address.storeBytes(
                of: UInt32(truncatingIfNeeded: newValue), toByteOffset: 12, as: UInt32.self)
        }
    }

    // MARK: Free frames

    var isFree: Bool { birth.rawValue & Self.freeMark != 0 }

    /// The next free frame of the same kind and size.
    var nextFree: PageNumber { address.load(as: PageNumber.self) }

    /// Marks the frame as free. Its kind and size stay.
    func setFree(next: PageNumber) {
        birth = PageVersion(Self.freeMark | UInt64(next.rawValue))
    }

    // MARK: The empty page

    /// What is read in the place of a page that cannot be had: zeros.
    // Nonisolated unchecked: they are never written to.
    nonisolated(unsafe) static let empty: Page = {
        // Never released: the process has one.
        guard let memory = varve_map_memory(emptyByteCount) else {
            preconditionFailure("There is no memory for a page")
        }
        return Page(address: memory)
    }()

    /// No page that is read with other offsets than its own counts give is larger.
    static let emptyByteCount = 64 << 10

    var isPlaceholder: Bool { kind.rawValue == 0 }

    // MARK: Content

    // Offsets are computed from counts that the structures keep within the frame. They are not
    // checked again: these are the loads and stores of every read and write. Frames are aligned to
    // 64 bytes, but fields within need not be aligned.

    private func contains(_ offset: Int, _ count: Int) -> Bool {
        offset >= 0 && count >= 0
            && offset + count <= (isPlaceholder ? Self.emptyByteCount : byteCount)
    }

    @inline(__always)
    func load<Value: BitwiseCopyable>(_ offset: Int, as type: Value.Type = Value.self) -> Value {
        assert(contains(offset, MemoryLayout<Value>.size))
        return address.loadUnaligned(fromByteOffset: offset, as: type)
    }

    @inline(__always)
    func store<Value: BitwiseCopyable>(_ value: Value, at offset: Int) {
        assert(!isPlaceholder && contains(offset, MemoryLayout<Value>.size))
        address.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }

    /// Bytes in the page.
    func bytes(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
        assert(contains(offset, count))
        return UnsafeRawBufferPointer(start: address + offset, count: count)
    }

    /// Copies bytes, which may overlap what they replace, to an offset.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        assert(!isPlaceholder && contains(offset, bytes.count))
        guard let source = bytes.baseAddress else { return }
        (address + offset).copyMemory(from: source, byteCount: bytes.count)
    }

    /// Moves bytes within the page; both places may overlap.
    func move(_ count: Int, from source: Int, to target: Int) {
        assert(!isPlaceholder && contains(source, count) && contains(target, count))
        if source == target || count == 0 { return }
        (address + target).copyMemory(from: address + source, byteCount: count)
    }

    /// Fills everything behind the header with zeros, from an offset on.
    func clear(from offset: Int = Page.headerBytes) { clear(offset..<byteCount) }

    /// Fills a part with zeros.
    func clear(_ range: Range<Int>) {
        assert(range.lowerBound >= 0 && range.upperBound <= byteCount)
        (address + range.lowerBound).initializeMemory(
            as: UInt8.self, repeating: 0, count: range.count)
    }
}
