/// One document that has a token: its slot, and how often it has the token.
struct Posting: Equatable, Sendable {
    var slot: UInt32
    var frequency: UInt32
}

/// Up to some four hundred postings, ascending by slot, packed into bytes.
///
/// A posting is the distance from the slot before it, doubled, plus one where the frequency is
/// greater than one and follows; both are LEB128. So a posting takes one byte in long lists, two
/// in most others. The first slot is in the header, and its distance is 0.
final class PostingChunk: ManagedBuffer<PostingChunk.Header, UInt8> {
    struct Header {
        var count: UInt16 = 0
        var byteCount: UInt16 = 0
        var capacity: UInt16 = 0
        var first: UInt32 = 0
        var last: UInt32 = 0
    }

    /// Long enough for few nodes above long lists, short enough for a copy of a few cache lines:
    /// twice as long as 216, a document behind a snapshot cost a third less.
    static let bytesMax = 456

    /// The capacities that fill what an allocator that rounds to 16 gives anyway.
    private static func capacity(for bytes: Int) -> Int {
        switch bytes {
        case ...8: 8
        case ...24: 24
        case ...56: 56
        case ...120: 120
        case ...216: 216
        default: bytesMax
        }
    }

    /// An empty chunk with room for at least `bytes`.
    private static func make(bytes: Int) -> PostingChunk {
        precondition(bytes <= bytesMax, "a chunk of postings that is too long")
        let capacity = capacity(for: bytes)
        let chunk = PostingChunk.create(minimumCapacity: capacity) { _ in
            Header(capacity: UInt16(capacity))
        }
        return unsafeDowncast(chunk, to: PostingChunk.self)
    }

    /// The postings, which are some and fit, in a chunk of their own.
    static func make(_ postings: some Collection<Posting>) -> PostingChunk {
        var previous = postings.first?.slot ?? 0
        var bytes = 0
        for posting in postings {
            bytes += posting.byteCount(behind: previous)
            previous = posting.slot
        }
        let chunk = make(bytes: bytes)
        let (header, elements) = parts(of: chunk)
        for posting in postings { write(posting, header, elements) }
        return chunk
    }

    /// Gives the chunk at `reference` room for `bytes`, at most ``bytesMax``, and makes it unique.
    @inline(__always)
    fileprivate static func reserve(_ bytes: Int, at reference: NodeReference) {
        let isUnique = isKnownUniquelyReferenced(&reference.pointee)
        let capacity = reference.parts(of: PostingChunk.self).header.pointee.capacity
        if isUnique && Self.capacity(for: bytes) == Int(capacity) { return }
        copy(at: reference, bytes: bytes)
    }

    @inline(never)
    private static func copy(at reference: NodeReference, bytes: Int) {
        let (header, elements) = reference.parts(of: PostingChunk.self)
        let used = Int(header.pointee.byteCount)
        let copy = make(bytes: max(bytes, used))
        let target = parts(of: copy)
        let capacity = target.header.pointee.capacity
        target.header.pointee = header.pointee
        target.header.pointee.capacity = capacity
        target.elements.update(from: elements, count: used)
        reference.pointee = copy
    }

    // MARK: - Bytes

    /// Writes a posting behind the others, into room that is there.
    @inline(__always)
    private static func write(
        _ posting: Posting, _ header: UnsafeMutablePointer<Header>,
        _ bytes: UnsafeMutablePointer<UInt8>
    ) {
        if header.pointee.count == 0 {
            header.pointee.first = posting.slot
            header.pointee.last = posting.slot
        }
        var position = bytes + Int(header.pointee.byteCount)
        write(posting, behind: header.pointee.last, at: &position)
        header.pointee.byteCount = UInt16(position - bytes)
        header.pointee.last = posting.slot
        header.pointee.count += 1
    }

    @inline(__always)
    fileprivate static func write(
        _ posting: Posting, behind previous: UInt32,
        at position: inout UnsafeMutablePointer<UInt8>
    ) {
        let isRepeated = posting.frequency > 1
        write(distance: posting.slot - previous, isRepeated: isRepeated, at: &position)
        if isRepeated { write(UInt64(posting.frequency), at: &position) }
    }

    @inline(__always)
    fileprivate static func write(
        distance: UInt32, isRepeated: Bool, at position: inout UnsafeMutablePointer<UInt8>
    ) {
        write(UInt64(distance) << 1 | (isRepeated ? 1 : 0), at: &position)
    }

    @inline(__always)
    private static func write(_ value: UInt64, at position: inout UnsafeMutablePointer<UInt8>) {
        var rest = value
        while rest >= 0x80 {
            position.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            position += 1
            rest >>= 7
        }
        position.pointee = UInt8(rest)
        position += 1
    }

    @inline(__always)
    fileprivate static func read(_ position: inout UnsafeMutablePointer<UInt8>) -> UInt64 {
        var byte = position.pointee
        position += 1
        if byte < 0x80 { return UInt64(byte) }
        var value = UInt64(byte & 0x7F)
        var shift: UInt64 = 7
        repeat {
            byte = position.pointee
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
        } while byte >= 0x80
        return value
    }

    /// Calls `body` with slot and frequency of each posting.
    @inline(__always)
    func forEach(_ body: (UInt32, UInt32) -> Void) {
        withUnsafeMutablePointers { header, bytes in
            var position = bytes
            let end = bytes + Int(header.pointee.byteCount)
            var slot = header.pointee.first
            while position < end {
                let value = Self.read(&position)
                slot += UInt32(value >> 1)
                body(slot, value & 1 == 0 ? 1 : UInt32(Self.read(&position)))
            }
        }
    }

    var postings: [Posting] {
        var postings: [Posting] = []
        forEach { postings.append(Posting(slot: $0, frequency: $1)) }
        return postings
    }
}

// MARK: - Changing

extension PostingChunk {
    /// Inserts a posting whose slot is not there into the chunk at `reference`.
    ///
    /// - Returns: a new chunk behind it, where one chunk is too small. Behind the last posting of the
    ///   list the full chunk stays full, because most slots come in ascending order.
    static func insert(
        _ posting: Posting, at reference: NodeReference, isLast: Bool
    ) -> PostingChunk? {
        let header = reference.parts(of: PostingChunk.self).header.pointee
        if posting.slot > header.last {
            let bytes = Int(header.byteCount) + posting.byteCount(behind: header.last)
            if bytes <= bytesMax {
                reserve(bytes, at: reference)
                let (header, elements) = reference.parts(of: PostingChunk.self)
                write(posting, header, elements)
                return nil
            }
            if isLast { return make([posting]) }
        }
        let place = Place(of: posting.slot, at: reference)
        precondition(place.next?.slot != posting.slot, "a document that has the token already")
        let previous = place.previous ?? posting.slot
        var splice = Splice(replacing: place.start..<(place.next?.distanceEnd ?? place.start))
        splice.write { Self.write(posting, behind: previous, at: &$0) }
        if let next = place.next {
            splice.write {
                write(distance: next.slot - posting.slot, isRepeated: next.isRepeated, at: &$0)
            }
        }
        guard Int(header.byteCount) + splice.growth <= bytesMax else {
            return split(at: reference, adding: posting)
        }
        splice.apply(to: reference) { header in
            header.count += 1
            header.first = min(header.first, posting.slot)
            header.last = max(header.last, posting.slot)
        }
        return nil
    }

    /// Halves by count fit: where one half took nearly all bytes, the other would hold few postings
    /// in few bytes, and so the first would hold as few.
    private static func split(
        at reference: NodeReference, adding posting: Posting
    ) -> PostingChunk {
        var postings = unsafeDowncast(reference.pointee!, to: PostingChunk.self).postings
        let position = postings.firstIndex { $0.slot > posting.slot } ?? postings.count
        postings.insert(posting, at: position)
        let half = postings.count / 2
        reference.pointee = make(postings[..<half])
        return make(postings[half...])
    }

    /// Removes a slot's posting, which is there; true where it was the last, and the chunk is to
    /// be dropped as it is.
    static func remove(_ slot: UInt32, at reference: NodeReference) -> Bool {
        let place = Place(of: slot, at: reference)
        guard let removed = place.next, removed.slot == slot else {
            preconditionFailure("a document that does not have the token")
        }
        let header = reference.parts(of: PostingChunk.self).header.pointee
        if header.count == 1 { return true }
        let following = Entry(at: removed.end, behind: slot, in: reference)
        var splice = Splice(replacing: place.start..<(following?.distanceEnd ?? removed.end))
        if let following {
            let previous = place.previous ?? following.slot
            splice.write {
                write(
                    distance: following.slot - previous, isRepeated: following.isRepeated,
                    at: &$0)
            }
        }
        splice.apply(to: reference) { header in
            header.count -= 1
            if place.previous == nil, let following { header.first = following.slot }
            if following == nil, let previous = place.previous { header.last = previous }
        }
        return false
    }

    /// A posting among the bytes of a chunk.
    private struct Entry {
        let slot: UInt32
        let isRepeated: Bool
        /// Where the distance ends and the frequency, if there is one, begins.
        let distanceEnd: Int
        let end: Int

        /// The posting at an offset, or nil at the end of the chunk.
        @inline(__always)
        init?(at offset: Int, behind previous: UInt32, in reference: NodeReference) {
            let (header, bytes) = reference.parts(of: PostingChunk.self)
            guard offset < Int(header.pointee.byteCount) else { return nil }
            var position = bytes + offset
            let value = PostingChunk.read(&position)
            slot = previous + UInt32(value >> 1)
            isRepeated = value & 1 != 0
            distanceEnd = position - bytes
            if isRepeated { _ = PostingChunk.read(&position) }
            end = position - bytes
        }
    }

    /// Where a slot's posting is or belongs.
    private struct Place {
        /// The slot before it, if there is one.
        private(set) var previous: UInt32?
        private(set) var start = 0
        /// The first posting that is not before it.
        private(set) var next: Entry?

        init(of slot: UInt32, at reference: NodeReference) {
            let first = reference.parts(of: PostingChunk.self).header.pointee.first
            next = Entry(at: 0, behind: first, in: reference)
            while let entry = next, entry.slot < slot {
                previous = entry.slot
                start = entry.end
                next = Entry(at: entry.end, behind: entry.slot, in: reference)
            }
        }
    }

    /// Bytes of a chunk, and up to 20 others that take their place.
    private struct Splice {
        private let range: Range<Int>
        private var bytes: (UInt64, UInt64, UInt64) = (0, 0, 0)
        private var count = 0

        init(replacing range: Range<Int>) { self.range = range }

        var growth: Int { count - range.count }

        mutating func write(_ body: (inout UnsafeMutablePointer<UInt8>) -> Void) {
            let used = count
            count = withUnsafeMutableBytes(of: &bytes) { bytes in
                let base = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
                var position = base + used
                body(&position)
                return position - base
            }
        }

        func apply(to reference: NodeReference, _ change: (inout Header) -> Void) {
            let size = Int(reference.parts(of: PostingChunk.self).header.pointee.byteCount)
            PostingChunk.reserve(size + growth, at: reference)
            let (header, elements) = reference.parts(of: PostingChunk.self)
            // A chunk that is to shrink has kept its room.
            (elements + range.lowerBound + count).update(
                from: elements + range.upperBound, count: size - range.upperBound)
            withUnsafeBytes(of: bytes) { source in
                for offset in 0..<count { elements[range.lowerBound + offset] = source[offset] }
            }
            header.pointee.byteCount = UInt16(size + growth)
            change(&header.pointee)
        }
    }
}

extension Posting {
    /// How many bytes it takes behind a posting of that slot.
    @inline(__always)
    fileprivate func byteCount(behind previous: UInt32) -> Int {
        let distance = UInt64(slot - previous) << 1
        return Self.byteCount(distance | 1)
            + (frequency > 1 ? Self.byteCount(UInt64(frequency)) : 0)
    }

    private static func byteCount(_ value: UInt64) -> Int {
        (64 - value.leadingZeroBitCount + 6) / 7
    }
}
