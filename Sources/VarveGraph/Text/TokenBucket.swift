/// A token and its postings.
struct TokenEntry {
    let token: UInt64
    var list: PostingList
}

/// A leaf of a ``TokenMap``: up to sixteen tokens whose hashes begin alike, in no order.
final class TokenBucket: ManagedBuffer<TokenBucket.Header, TokenEntry> {
    struct Header {
        var count: Int32
        let capacity: Int32
    }

    static let entriesMax = 16

    deinit {
        _ = withUnsafeMutablePointers { header, entries in
            entries.deinitialize(count: Int(header.pointee.count))
        }
    }

    static func make(capacity: Int) -> TokenBucket {
        let bucket = TokenBucket.create(minimumCapacity: capacity) { _ in
            Header(count: 0, capacity: Int32(capacity))
        }
        return unsafeDowncast(bucket, to: TokenBucket.self)
    }

    static func count(at reference: NodeReference) -> Int {
        Int(reference.parts(of: TokenBucket.self).header.pointee.count)
    }

    @inline(__always)
    static func position(of token: UInt64, at reference: NodeReference) -> Int? {
        let (header, entries) = reference.parts(of: TokenBucket.self)
        for position in 0..<Int(header.pointee.count) where entries[position].token == token {
            return position
        }
        return nil
    }

    /// The entries of the bucket at `reference`, after making it unique; a copy keeps their
    /// positions.
    @inline(__always)
    static func unique(at reference: NodeReference) -> UnsafeMutablePointer<TokenEntry> {
        if !isKnownUniquelyReferenced(&reference.pointee) {
            let capacity = reference.parts(of: TokenBucket.self).header.pointee.capacity
            copy(at: reference, capacity: Int(capacity))
        }
        return reference.parts(of: TokenBucket.self).elements
    }

    @inline(never)
    private static func copy(at reference: NodeReference, capacity: Int) {
        let copy = make(capacity: capacity)
        let source = reference.parts(of: TokenBucket.self)
        let target = parts(of: copy)
        Prefetch.references(
            in: source.elements,
            byteCount: Int(source.header.pointee.count) * MemoryLayout<TokenEntry>.stride)
        for position in 0..<Int(source.header.pointee.count) {
            (target.elements + position).initialize(to: source.elements[position])
        }
        target.header.pointee.count = source.header.pointee.count
        reference.pointee = copy
    }

    /// Appends an entry to the bucket at `reference`, which is not full, and gives its address.
    @discardableResult
    static func append(
        _ entry: TokenEntry, at reference: NodeReference
    ) -> UnsafeMutablePointer<TokenEntry> {
        let header = reference.parts(of: TokenBucket.self).header.pointee
        if header.count == header.capacity {
            copy(at: reference, capacity: min(Int(header.capacity) * 2, entriesMax))
        }
        let added = unique(at: reference) + Int(header.count)
        added.initialize(to: entry)
        reference.parts(of: TokenBucket.self).header.pointee.count += 1
        return added
    }

    /// Removes the entry at a position. The bucket keeps its room until it is copied.
    static func remove(at position: Int, from reference: NodeReference) {
        let entries = unique(at: reference)
        let header = reference.parts(of: TokenBucket.self).header
        let last = Int(header.pointee.count) - 1
        if position != last { entries[position] = entries[last] }
        (entries + last).deinitialize(count: 1)
        header.pointee.count -= 1
    }
}
