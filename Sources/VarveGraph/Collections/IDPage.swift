/// A leaf of an ``IDMap``: entries in the order of their tags. How many there are, its parent knows.
final class IDPage: ManagedBuffer<Int, UInt64> {
    static var firstCapacity: Int { 8 }
    /// Pages grow in small steps, because most of their life they are not full.
    static var step: Int { 8 }
    /// A fuller page is split.
    static var limit: Int32 { 128 }

    static func make(capacity: Int) -> IDPage {
        unsafeDowncast(
            IDPage.create(minimumCapacity: capacity) { _ in capacity }, to: IDPage.self)
    }

    /// Behind the object's two header words and the buffer's own.
    @inline(__always)
    static func entries(of page: UnsafeRawPointer) -> UnsafeMutablePointer<UInt64> {
        let header = (3 * MemoryLayout<Int>.stride + 7) & ~7
        return UnsafeMutableRawPointer(mutating: page + header)
            .assumingMemoryBound(to: UInt64.self)
    }

    /// A page of `count` entries from `source`, with some room.
    static func make(_ source: UnsafeMutablePointer<UInt64>, count: Int, prefix: Int32) -> IDChild {
        let page = make(capacity: (count / step + 1) * step)
        page.withUnsafeMutablePointerToElements { $0.initialize(from: source, count: count) }
        return IDChild(object: page, count: Int32(count), prefix: prefix)
    }

    /// The entries whose next bit is clear and those whose next bit is set, each in a page of
    /// their own. They are sorted, so the first are the former.
    static func split(_ page: IDChild) -> (low: IDChild, high: IDChild) {
        let count = Int(page.count)
        let mask: UInt32 = 1 &<< UInt32(31 - page.prefix)
        return unsafeDowncast(page.object, to: IDPage.self)
            .withUnsafeMutablePointerToElements { entries in
                var middle = 0
                while middle < count && IDEntry.tag(entries[middle]) & mask == 0 { middle += 1 }
                return (
                    make(entries, count: middle, prefix: page.prefix + 1),
                    make(entries + middle, count: count - middle, prefix: page.prefix + 1)
                )
            }
    }

    /// Inserts into the page at `reference`, which becomes unique and grows as needed. Returns how many entries it has
    /// with that tag now.
    static func insert(_ entry: UInt64, at reference: UnsafeMutablePointer<IDChild>) -> Int {
        let count = Int(reference.pointee.count)
        let prefix = reference.pointee.prefix
        if count == capacity(at: reference) || !IDChild.isUnique(reference) {
            reference.pointee = make(entries(at: reference), count: count, prefix: prefix)
        }
        let entries = entries(at: reference)
        let position = lowerBound(IDEntry.tag(entry), in: entries, count: count, prefix: prefix)
        var end = position
        while end < count, IDEntry.tag(entries[end]) == IDEntry.tag(entry) { end += 1 }
        (entries + position + 1).update(from: entries + position, count: count - position)
        entries[position] = entry
        reference.pointee.count += 1
        return end - position + 1
    }

    /// Removes an entry, which is there, from the page at `reference`, which becomes unique.
    static func remove(_ entry: UInt64, at reference: UnsafeMutablePointer<IDChild>) {
        let count = Int(reference.pointee.count)
        let prefix = reference.pointee.prefix
        let capacity = capacity(at: reference)
        if capacity > step && count < capacity / 2 || !IDChild.isUnique(reference) {
            reference.pointee = make(entries(at: reference), count: count, prefix: prefix)
        }
        let entries = entries(at: reference)
        var position = lowerBound(IDEntry.tag(entry), in: entries, count: count, prefix: prefix)
        while position < count, entries[position] != entry { position += 1 }
        precondition(position < count, "an entry that is removed is there")
        (entries + position).update(from: entries + position + 1, count: count - position - 1)
        reference.pointee.count -= 1
    }

    /// As words from their places: a reference to the page would make it look shared.
    private static func capacity(at reference: UnsafeMutablePointer<IDChild>) -> Int {
        UnsafeRawPointer(reference).load(as: UnsafeRawPointer.self)
            .load(fromByteOffset: 2 * MemoryLayout<Int>.stride, as: Int.self)
    }

    private static func entries(
        at reference: UnsafeMutablePointer<IDChild>
    ) -> UnsafeMutablePointer<UInt64> {
        entries(of: UnsafeRawPointer(reference).load(as: UnsafeRawPointer.self))
    }

    /// Asks for the entries around the place of a hash.
    @inline(__always)
    static func askToFind(_ hash: UInt64, in page: IDChild.Unowned) {
        let position = guess(IDEntry.tag(hash), count: Int(page.count), prefix: page.prefix)
        Prefetch.lines(
            at: entries(of: page.object) + max(position - 4, 0),
            byteCount: 8 * MemoryLayout<UInt64>.stride)
    }

    /// Asks for the page's header, and for its entries from the place of a hash on: an entry that is added there
    /// moves them.
    @inline(__always)
    static func ask(for hash: UInt64, in page: IDChild.Unowned) {
        let count = Int(page.count)
        let position = guess(IDEntry.tag(hash), count: count, prefix: page.prefix)
        Prefetch.lines(at: page.object, byteCount: 1)
        Prefetch.lines(
            at: entries(of: page.object) + position,
            byteCount: (count - position) * MemoryLayout<UInt64>.stride)
    }

    /// About where a tag stands among others that are spread evenly behind a common prefix.
    @inline(__always)
    private static func guess(_ tag: UInt32, count: Int, prefix: Int32) -> Int {
        let spread = tag &<< UInt32(truncatingIfNeeded: prefix)
        return Int(truncatingIfNeeded: (UInt64(spread) &* UInt64(count)) &>> 32)
    }

    /// The first position whose tag is not below `tag`.
    ///
    /// Tags are halves of hashes, so the place is guessed from the bits behind the common prefix
    /// and lies a few entries off.
    @inline(__always)
    static func lowerBound(
        _ tag: UInt32, in entries: UnsafeMutablePointer<UInt64>, count: Int, prefix: Int32
    ) -> Int {
        guard count > 0 else { return 0 }
        var position = guess(tag, count: count, prefix: prefix)
        if IDEntry.tag(entries[position]) < tag {
            repeat {
                position &+= 1
            } while position < count
                && IDEntry.tag(entries[position]) < tag
        } else {
            while position > 0 && IDEntry.tag(entries[position &- 1]) >= tag { position &-= 1 }
        }
        return position
    }
}
