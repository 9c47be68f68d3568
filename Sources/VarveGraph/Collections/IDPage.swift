/// A leaf of an ``IDMap``: hashes' lower halves (tags), slots, and the hashes' upper halves, which
/// a split needs, as three arrays in one allocation.
@usableFromInline
final class IDPage: ManagedBuffer<IDPage.Header, UInt32> {
    @usableFromInline
    struct Header {
        @usableFromInline var count: Int32
        @usableFromInline var capacity: Int32
        /// How many bits of the parent node's five all entries share.
        var depth: Int
    }

    /// A multiple of the eight tags that one comparison covers.
    static var firstCapacity: Int { 8 }
    static var splitCapacity: Int { 64 }

    static func make(capacity: Int, depth: Int) -> IDPage {
        let page = unsafeDowncast(
            IDPage.create(minimumCapacity: capacity * 3) { _ in
                Header(count: 0, capacity: Int32(capacity), depth: depth)
            }, to: IDPage.self)
        page.withUnsafeMutablePointerToElements {
            $0.initialize(repeating: 0, count: capacity * 3)
        }
        return page
    }

    func copy(depth: Int, capacity: Int? = nil) -> IDPage {
        let old = Int(header.capacity)
        let capacity = capacity ?? old
        let copy = IDPage.make(capacity: capacity, depth: depth)
        copy.header.count = header.count
        let used = Int(header.count)
        withUnsafeMutablePointerToElements { source in
            copy.withUnsafeMutablePointerToElements { target in
                for part in 0..<3 {
                    (target + part * capacity).update(from: source + part * old, count: used)
                }
            }
        }
        return copy
    }

    /// Appends to the page at `reference`, copying it if shared and growing it if small.
    /// Answers false, with nothing changed, where the page is full.
    static func append(
        _ hash: UInt64, _ slot: Slot, at reference: UnsafeMutablePointer<AnyObject>,
        mayGrowBeyondLimit: Bool
    ) -> Bool {
        var page = unsafeDowncast(reference.pointee, to: IDPage.self)
        let capacity = Int(page.header.capacity)
        let isFull = page.header.count == page.header.capacity
        if isFull && capacity >= splitCapacity && !mayGrowBeyondLimit { return false }
        let isShared = !isUnique(reference)
        if isFull || isShared {
            page = page.copy(depth: page.header.depth, capacity: isFull ? capacity * 2 : capacity)
            reference.pointee = page
        }
        page.append(tag: UInt32(truncatingIfNeeded: hash), slot, path: UInt32(hash >> 32))
        return true
    }

    /// Asked in a function of its own, so that no local reference is counted.
    @inline(never)
    private static func isUnique(_ reference: UnsafeMutablePointer<AnyObject>) -> Bool {
        isKnownUniquelyReferenced(&reference.pointee)
    }

    func append(tag: UInt32, _ slot: Slot, path: UInt32) {
        withUnsafeMutablePointers { header, elements in
            let capacity = Int(header.pointee.capacity)
            let position = Int(header.pointee.count)
            elements[position] = tag
            elements[capacity + position] = slot.rawValue
            elements[2 * capacity + position] = path
            header.pointee.count += 1
        }
    }

    /// The position of the next entry with `tag`, at or after `start`.
    @usableFromInline
    static func position(of tag: UInt32, in page: UnsafeRawPointer, from start: Int) -> Int? {
        Unmanaged<IDPage>.fromOpaque(page)._withUnsafeGuaranteedRef { page in
            page.withUnsafeMutablePointers { header, tags in
                let count = Int(header.pointee.count)
                let wanted = SIMD8<UInt32>(repeating: tag)
                var block = start & ~7
                while block < count {
                    let found =
                        UnsafeRawPointer(tags + block)
                        .loadUnaligned(as: SIMD8<UInt32>.self) .== wanted
                    if any(found) {
                        for lane in 0..<8 where found[lane] {
                            let position = block + lane
                            if position >= start && position < count { return position }
                        }
                    }
                    block += 8
                }
                return nil
            }
        }
    }

    @usableFromInline
    static func slot(at position: Int, in page: UnsafeRawPointer) -> UInt32 {
        Unmanaged<IDPage>.fromOpaque(page)._withUnsafeGuaranteedRef { page in
            page.withUnsafeMutablePointers { header, elements in
                elements[Int(header.pointee.capacity) + position]
            }
        }
    }
}
