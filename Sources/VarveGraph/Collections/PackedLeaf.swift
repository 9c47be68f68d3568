public import Synchronization

/// A leaf of a ``PageTree`` whose elements are still bytes, as a checkpoint or a log has them.
///
/// It stands in the tree where a ``PagedLeaf`` would. Whoever wants the address of an element has all of them
/// made, once for all who share the leaf; whoever only passes by reads the bytes. An element that is changed is
/// changed in a ``PagedLeaf`` of the changed array's own.
///
/// Immutable but for ``unpacked(of:)``, which goes from null to what all threads then see, and back only where one
/// array has the leaf, which is then changing, so that nobody looks.
@usableFromInline
final class PackedLeaf: ManagedBuffer<Int, UInt64> {
    /// Eight, as rows have; see ``PageTree/rowLeafShift``.
    @inlinable static var width: Int { 8 }

    /// Leaves with more bytes are not packed: who reads a row of it by value would copy all that.
    @inlinable static var byteCountMax: Int { 4096 }

    // The layout, from the object's address. A negative header tells a packed leaf from all others, whose
    // header is a count.
    @inlinable static var headerOffset: Int { 2 * MemoryLayout<Int>.stride }
    @inlinable static var unpackedOffset: Int { headerOffset + 8 }
    @inlinable static var copiesOffset: Int { unpackedOffset + 8 }
    @inlinable static var endsOffset: Int { copiesOffset + 8 }
    @inlinable static var idCountsOffset: Int { endsOffset + width * 2 }
    @inlinable static var metadataOffset: Int { idCountsOffset + width * 2 }

    /// The metadata of all elements is that of the first, with ordinals that follow one another.
    @inlinable static var sharesMetadata: Int { 1 }

    deinit {
        let object = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        if let made = PackedLeaf.unpacked(of: object) {
            Unmanaged<AnyObject>.fromOpaque(made).release()
        }
    }

    /// Makes a leaf of elements whose bytes, at least one of each, are to be written by `fill`, one element's behind
    /// the other's: its id, then the rest.
    ///
    /// - Parameter byteCounts: how many bytes the id of an element takes, and both together.
    @inlinable
    static func make(
        count: Int, byteCounts: (Int) -> (id: Int, total: Int), metadata: (Int) -> RowMetadata,
        fill: (UnsafeMutableRawPointer) -> Void
    ) -> PackedLeaf {
        let total = (0..<count).reduce(0) { $0 + byteCounts($1).total }
        precondition(count > 0 && total <= byteCountMax, "elements that are not to be packed")
        let isShared = isShared(count: count, metadata)
        let kept = isShared ? 1 : count
        let size =
            metadataOffset - unpackedOffset + kept * MemoryLayout<RowMetadata>.stride + total
        let leaf = unsafeDowncast(
            PackedLeaf.create(minimumCapacity: (size + 7) / 8) { _ in
                Int.min | (isShared ? sharesMetadata : 0)
            }, to: PackedLeaf.self)
        let object = Unmanaged.passUnretained(leaf).toOpaque()
        leaf.withUnsafeMutablePointerToElements {
            let isInPlace = UnsafeMutableRawPointer($0) == object + unpackedOffset
            // The lowest bits of the address serve others; see `ElementPlace`.
            precondition(
                isInPlace && UInt(bitPattern: object) & 15 == 0, "the layout of a buffer")
        }
        (object + unpackedOffset).bindMemory(to: Atomic<UnsafeRawPointer?>.self, capacity: 1)
            .initialize(to: Atomic(nil))
        (object + copiesOffset).bindMemory(to: Atomic<Int>.self, capacity: 1)
            .initialize(to: Atomic(0))
        var end: UInt16 = 0
        for position in 0..<width {
            let (id, total) = position < count ? byteCounts(position) : (0, 0)
            end += UInt16(total)
            (object + endsOffset).storeBytes(of: end, toByteOffset: position * 2, as: UInt16.self)
            (object + idCountsOffset).storeBytes(
                of: UInt16(id), toByteOffset: position * 2, as: UInt16.self)
        }
        let place = (object + metadataOffset).bindMemory(to: RowMetadata.self, capacity: kept)
        for position in 0..<kept { (place + position).initialize(to: metadata(position)) }
        fill(UnsafeMutableRawPointer(place + kept))
        return leaf
    }

    @inlinable
    static func isShared(count: Int, _ metadata: (Int) -> RowMetadata) -> Bool {
        var expected = metadata(0)
        for position in 0..<count {
            guard metadata(position) == expected else { return false }
            expected.ordinal &+= 1
        }
        return true
    }

    // MARK: - Reading, given the address of a leaf

    @inlinable @inline(__always)
    static func isPacked(_ node: UnsafeRawPointer) -> Bool {
        (node + headerOffset).load(as: Int.self) < 0
    }

    /// Asks the processor for the line in which a leaf says where its elements stand, and for those in which one of
    /// them probably does: they come together. Most elements take 48 to 104 bytes, and most leaves share metadata.
    @usableFromInline
    static func ask(for position: Int, of node: UnsafeRawPointer) {
        let start = metadataOffset &+ MemoryLayout<RowMetadata>.stride
        let first = start &+ position &* 48
        let end = start &+ (position &+ 1) &* 104
        Prefetch.lines(at: node, byteCount: metadataOffset)
        Prefetch.lines(at: node + first, byteCount: end &- first)
    }

    /// The bytes of an element; none where there is no element.
    @inlinable @inline(__always)
    static func bytes(at position: Int, of node: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        let ends = node + endsOffset
        let end = Int(ends.load(fromByteOffset: position &* 2, as: UInt16.self))
        let start =
            position == 0 ? 0 : Int(ends.load(fromByteOffset: position &* 2 &- 2, as: UInt16.self))
        let isShared = (node + headerOffset).load(as: Int.self) & sharesMetadata != 0
        let kept = isShared ? 1 : elementCount(of: node)
        let first = metadataOffset &+ kept &* MemoryLayout<RowMetadata>.stride
        return UnsafeRawBufferPointer(start: node + (first &+ start), count: end &- start)
    }

    /// The bytes of an element that is there: its id's, and the others.
    @inlinable @inline(__always)
    static func parts(
        at position: Int, of node: UnsafeRawPointer
    ) -> (id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer) {
        let bytes = bytes(at: position, of: node)
        let count = Int(
            (node + idCountsOffset).load(fromByteOffset: position &* 2, as: UInt16.self))
        return (
            UnsafeRawBufferPointer(rebasing: bytes[..<count]),
            UnsafeRawBufferPointer(rebasing: bytes[count...])
        )
    }

    /// Elements stand at the beginning: one that is missing has none behind it.
    @inlinable
    static func elementCount(of node: UnsafeRawPointer) -> Int {
        let ends = node + endsOffset
        var count = width
        while count > 1,
            ends.load(fromByteOffset: count &* 2 &- 2, as: UInt16.self)
                == ends.load(fromByteOffset: count &* 2 &- 4, as: UInt16.self)
        {
            count &-= 1
        }
        return count
    }

    /// The metadata of an element that is there.
    @inlinable
    static func metadata(at position: Int, of node: UnsafeRawPointer) -> RowMetadata {
        let place = (node + metadataOffset).assumingMemoryBound(to: RowMetadata.self)
        guard (node + headerOffset).load(as: Int.self) & sharesMetadata != 0 else {
            return place[position]
        }
        var metadata = place.pointee
        metadata.ordinal &+= UInt64(position)
        return metadata
    }

    // MARK: - Unpacking

    @inlinable @inline(__always)
    static func unpackedWord(
        of node: UnsafeRawPointer
    ) -> UnsafeMutablePointer<Atomic<UnsafeRawPointer?>> {
        UnsafeMutableRawPointer(mutating: node + unpackedOffset)
            .assumingMemoryBound(to: Atomic<UnsafeRawPointer?>.self)
    }

    @inlinable @inline(__always)
    static func copies(of node: UnsafeRawPointer) -> UnsafeMutablePointer<Atomic<Int>> {
        UnsafeMutableRawPointer(mutating: node + copiesOffset)
            .assumingMemoryBound(to: Atomic<Int>.self)
    }

    /// To be asked when an element is made of bytes for the moment: whether that was done as often by now as there
    /// are elements. Then making all of them would have cost no more, and what is read so often will be read again.
    @inlinable @inline(__always)
    static func isWorthUnpacking(_ node: UnsafeRawPointer) -> Bool {
        noteCopies(1, of: node) &+ 1 >= width
    }

    /// Whether single elements were decoded eight times as often as there are elements.
    @inlinable @inline(__always)
    static func isOftenCopied(_ node: UnsafeRawPointer) -> Bool {
        noteCopies(1, of: node) &+ 1 >= 8 &* width
    }

    /// Whether decoding all elements pays off for a pass over them: the first time it is not worth the
    /// memory.
    @inlinable @inline(__always)
    static func isWorthUnpackingWhole(_ node: UnsafeRawPointer) -> Bool {
        noteCopies(width, of: node) >= width
    }

    /// Returns how many were noted before. Two threads may count one copy: nothing depends on it.
    @inlinable @inline(__always)
    static func noteCopies(_ count: Int, of node: UnsafeRawPointer) -> Int {
        let before = copies(of: node).pointee.load(ordering: .relaxed)
        copies(of: node).pointee.store(before &+ count, ordering: .relaxed)
        return before
    }

    /// The leaf of elements that was made of this one, if one was. It lives as long as this one, at least.
    @inlinable @inline(__always)
    static func unpacked(of node: UnsafeRawPointer) -> UnsafeRawPointer? {
        unpackedWord(of: node).pointee.load(ordering: .acquiring)
    }

    /// The leaf of the elements, made now unless it is there.
    static func unpacked(
        of node: UnsafeRawPointer, _ make: PageTree.LeafMaker
    ) -> UnsafeRawPointer {
        if let made = unpacked(of: node) { return made }
        let made = Unmanaged.passRetained(make(node, width))
        let leaf = UnsafeRawPointer(made.toOpaque())
        let (isFirst, other) = unpackedWord(of: node).pointee.compareExchange(
            expected: nil, desired: leaf, ordering: .acquiringAndReleasing)
        guard !isFirst, let other else { return leaf }
        // Another thread was faster: all have to look at the same elements.
        made.release()
        return other
    }

    /// Puts a leaf of the same elements, which can be changed, in the place of a packed one.
    static func unpack(
        at reference: UnsafeMutablePointer<AnyObject?>, _ make: PageTree.LeafMaker
    ) {
        guard let node = PagedInner.node(at: reference) else { return }
        guard let made = unpacked(of: node) else {
            reference.pointee = make(node, width)
            return
        }
        guard isKnownUniquelyReferenced(&reference.pointee),
            unpackedWord(of: node).pointee.exchange(nil, ordering: .acquiringAndReleasing) != nil
        else {
            // What all see who share the leaf is copied, as any leaf that is shared.
            reference.pointee = make(made, width)
            return
        }
        // No other array has the packed leaf, so none has what was made of it.
        reference.pointee = Unmanaged<AnyObject>.fromOpaque(made).takeRetainedValue()
    }
}

/// Where an element stands: its address, or the packed leaf that has its bytes and its number there.
///
/// One word, because look-ups hand it on: objects are aligned to 16 bytes, which leaves room for the number.
@frozen
@usableFromInline
struct ElementPlace {
    @usableFromInline let word: UInt

    @inlinable @inline(__always)
    init(element: UnsafeRawPointer) { word = UInt(bitPattern: element) }

    @inlinable @inline(__always)
    init(packedIn node: UnsafeRawPointer, at position: Int) {
        word = UInt(bitPattern: node) | UInt(bitPattern: position &<< 1) | 1
    }

    @inlinable @inline(__always)
    var isPacked: Bool { word & 1 != 0 }

    /// Of one that is not packed.
    @inlinable @inline(__always)
    var element: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(bitPattern: word).unsafelyUnwrapped
    }

    /// Of a packed one.
    @inlinable @inline(__always)
    var node: UnsafeRawPointer { UnsafeRawPointer(bitPattern: word & ~15).unsafelyUnwrapped }

    @inlinable @inline(__always)
    var position: Int { Int(bitPattern: (word & 15) &>> 1) }
}
