/// A page in memory: a header of 16 bytes, and what the structure that owns it makes of the rest.
///
///     0   birth      the version whose transaction made this page; 0 in a free frame
///     8   units      of 64 bytes, of the frame; in a free frame the next free one of its size
///     12  count      of the structure's items
///
/// It is an address, valid as long as a snapshot or the open transaction can reach the page. Only
/// the transaction whose version is the page's birth may write to it.
struct Page: BitwiseCopyable {
    static let headerBytes = 16

    let address: UnsafeMutableRawPointer

    var birth: PageVersion {
        get { PageVersion(address.load(as: UInt64.self)) }
        nonmutating set { address.storeBytes(of: newValue.rawValue, as: UInt64.self) }
    }

    /// Of the frame.
    var byteCount: Int {
        get {
            Int(address.load(fromByteOffset: 8, as: UInt32.self)) &<< PageNumber.byteBits
        }
        nonmutating set {
            address.storeBytes(
                of: UInt32(truncatingIfNeeded: newValue &>> PageNumber.byteBits),
                toByteOffset: 8, as: UInt32.self)
        }
    }

    var count: Int {
        get { Int(address.load(fromByteOffset: 12, as: UInt32.self)) }
        nonmutating set {
            address.storeBytes(
                of: UInt32(truncatingIfNeeded: newValue), toByteOffset: 12, as: UInt32.self)
        }
    }

    // MARK: Free frames

    var isFree: Bool { birth == .none }

    /// The next free frame of the same size.
    var nextFree: PageNumber { address.load(fromByteOffset: 8, as: PageNumber.self) }

    func setFree(next: PageNumber) {
        birth = .none
        address.storeBytes(of: next, toByteOffset: 8, as: PageNumber.self)
    }

    // MARK: Content

    // Offsets are computed from counts that the structures keep within the frame. They are not
    // checked again: these are the loads and stores of every read and write. Frames are aligned to
    // 64 bytes, but fields within need not be aligned.

    @inline(__always)
    func load<Value: BitwiseCopyable>(_ offset: Int, as type: Value.Type = Value.self) -> Value {
        assert(offset >= 0 && offset + MemoryLayout<Value>.size <= byteCount)
        return address.loadUnaligned(fromByteOffset: offset, as: type)
    }

    @inline(__always)
    func store<Value: BitwiseCopyable>(_ value: Value, at offset: Int) {
        assert(offset >= 0 && offset + MemoryLayout<Value>.size <= byteCount)
        address.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }

    /// Bytes in the page.
    func bytes(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
        assert(offset >= 0 && count >= 0 && offset + count <= byteCount)
        return UnsafeRawBufferPointer(start: address + offset, count: count)
    }

    /// Copies bytes, which may overlap what they replace, to an offset.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        assert(offset >= 0 && offset + bytes.count <= byteCount)
        guard let source = bytes.baseAddress else { return }
        (address + offset).copyMemory(from: source, byteCount: bytes.count)
    }

    /// Moves bytes within the page; both places may overlap.
    func move(_ count: Int, from source: Int, to target: Int) {
        assert(count >= 0 && source + count <= byteCount && target + count <= byteCount)
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
