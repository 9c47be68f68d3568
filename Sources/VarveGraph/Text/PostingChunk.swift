/// One document that has a token: its slot, and how often the token stands in it.
struct Posting: Equatable, Sendable {
    var slot: UInt32
    var frequency: UInt32
}

/// Up to some two hundred postings, ascending by slot, packed into bytes.
///
/// A posting is the distance from the slot before it, doubled, plus one where the frequency is
/// greater than one and follows; both are LEB128. So a posting takes one byte in long lists, two
/// in most others. The first slot stands in the header, and its distance is 0.
final class PostingChunk: ManagedBuffer<PostingChunk.Header, UInt8> {
    struct Header {
        var count: UInt16 = 0
        var byteCount: UInt16 = 0
        var capacity: UInt16 = 0
        var first: UInt32 = 0
        var last: UInt32 = 0
    }

    static let bytesMax = 216

    /// An empty chunk with room for at least `bytes`. The capacities fill what an allocator that
    /// rounds to 16 gives anyway.
    private static func make(bytes: Int) -> PostingChunk {
        precondition(bytes <= bytesMax, "a chunk of postings that is too long")
        let capacity = bytes <= 8 ? 8 : bytes <= 24 ? 24 : bytes <= 56 ? 56 : bytesMax
        let chunk = PostingChunk.create(minimumCapacity: capacity) { _ in
            Header(capacity: UInt16(capacity))
        }
        return unsafeDowncast(chunk, to: PostingChunk.self)
    }

    /// The postings, which are some and fit, in a chunk of their own.
    static func make(_ postings: some Collection<Posting>) -> PostingChunk {
        let chunk = make(bytes: byteCount(of: postings))
        for posting in postings { chunk.write(posting) }
        return chunk
    }

    /// The postings, which are some, in one chunk, or in two where one is too small for them after
    /// one more has joined a full chunk.
    ///
    /// Halves by count fit: where one took nearly all bytes, the other would hold few postings in
    /// few bytes, and so the first would hold as few.
    static func chunks(_ postings: [Posting]) -> (first: PostingChunk, second: PostingChunk?) {
        if byteCount(of: postings) <= bytesMax { return (make(postings), nil) }
        let half = postings.count / 2
        return (make(postings[..<half]), make(postings[half...]))
    }

    private static func byteCount(of postings: some Collection<Posting>) -> Int {
        var previous = postings.first?.slot ?? 0
        var bytes = 0
        for posting in postings {
            bytes += posting.byteCount(behind: previous)
            previous = posting.slot
        }
        return bytes
    }

    /// Appends a posting to the chunk at `reference`, which is copied where it is shared or has no
    /// room; false where not even a greater chunk has room.
    static func append(
        _ posting: Posting, at reference: UnsafeMutablePointer<AnyObject?>
    ) -> Bool {
        let isUnique = isKnownUniquelyReferenced(&reference.pointee)
        let chunk = unsafeDowncast(reference.pointee!, to: PostingChunk.self)
        let needed = Int(chunk.header.byteCount) + posting.byteCount(behind: chunk.header.last)
        if isUnique && needed <= chunk.header.capacity {
            chunk.write(posting)
            return true
        }
        guard needed <= bytesMax else { return false }
        let copy = make(bytes: needed)
        copy.take(chunk)
        copy.write(posting)
        reference.pointee = copy
        return true
    }

    private func take(_ other: PostingChunk) {
        let capacity = header.capacity
        header = other.header
        header.capacity = capacity
        withUnsafeMutablePointerToElements { target in
            other.withUnsafeMutablePointerToElements {
                target.update(from: $0, count: Int(other.header.byteCount))
            }
        }
    }

    /// Writes a posting behind the others, into room that is there.
    private func write(_ posting: Posting) {
        withUnsafeMutablePointers { header, bytes in
            if header.pointee.count == 0 {
                header.pointee.first = posting.slot
                header.pointee.last = posting.slot
            }
            var position = bytes + Int(header.pointee.byteCount)
            let distance = UInt64(posting.slot - header.pointee.last)
            let isRepeated = posting.frequency > 1
            Self.write(distance << 1 | (isRepeated ? 1 : 0), at: &position)
            if isRepeated { Self.write(UInt64(posting.frequency), at: &position) }
            header.pointee.byteCount = UInt16(position - bytes)
            header.pointee.last = posting.slot
            header.pointee.count += 1
        }
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
    private static func read(_ position: inout UnsafeMutablePointer<UInt8>) -> UInt64 {
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
        postings.reserveCapacity(Int(header.count) + 1)
        forEach { postings.append(Posting(slot: $0, frequency: $1)) }
        return postings
    }
}

extension Posting {
    /// How many bytes it takes behind a posting of that slot.
    fileprivate func byteCount(behind previous: UInt32) -> Int {
        let distance = UInt64(slot - previous) << 1
        return Self.byteCount(distance | 1)
            + (frequency > 1 ? Self.byteCount(UInt64(frequency)) : 0)
    }

    private static func byteCount(_ value: UInt64) -> Int {
        (64 - value.leadingZeroBitCount + 6) / 7
    }
}
