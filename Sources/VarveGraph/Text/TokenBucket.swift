/// A token and its postings.
struct TokenEntry {
    let token: UInt64
    var list: PostingList
}

/// A leaf of a ``TokenMap``: up to sixteen tokens whose hashes begin alike, in no order.
final class TokenBucket: ManagedBuffer<TokenBucket.Header, TokenEntry> {
    struct Header {
        var count: Int32
        var capacity: Int32
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

    static func bucket(at reference: UnsafeMutablePointer<AnyObject?>) -> TokenBucket {
        unsafeDowncast(reference.pointee!, to: TokenBucket.self)
    }

    var count: Int { Int(header.count) }

    func position(of token: UInt64) -> Int? {
        withUnsafeMutablePointers { header, entries in
            for position in 0..<Int(header.pointee.count)
            where entries[position].token == token {
                return position
            }
            return nil
        }
    }

    /// The address of an entry, valid until the bucket is changed or released.
    func entry(at position: Int) -> UnsafeMutablePointer<TokenEntry> {
        withUnsafeMutablePointerToElements { $0 + position }
    }

    /// Makes the bucket at `reference` unique, with room for one more where that is asked for and
    /// it is not full.
    static func makeUnique(
        at reference: UnsafeMutablePointer<AnyObject?>, addingOne: Bool
    ) -> TokenBucket {
        let isUnique = isKnownUniquelyReferenced(&reference.pointee)
        let bucket = bucket(at: reference)
        let needsRoom = addingOne && bucket.header.count == bucket.header.capacity
        if isUnique && !needsRoom { return bucket }
        let capacity = Int(bucket.header.capacity)
        let copy = make(capacity: needsRoom ? min(capacity * 2, entriesMax) : capacity)
        bucket.withUnsafeMutablePointerToElements { entries in
            for position in 0..<bucket.count { copy.append(entries[position]) }
        }
        reference.pointee = copy
        return copy
    }

    /// Appends an entry to a unique bucket with room.
    @discardableResult
    func append(_ entry: TokenEntry) -> UnsafeMutablePointer<TokenEntry> {
        withUnsafeMutablePointers { header, entries in
            let position = Int(header.pointee.count)
            (entries + position).initialize(to: entry)
            header.pointee.count += 1
            return entries + position
        }
    }

    /// Removes an entry from a unique bucket that has it.
    func remove(_ token: UInt64) {
        guard let position = position(of: token) else { preconditionFailure("no such token") }
        withUnsafeMutablePointers { header, entries in
            let last = Int(header.pointee.count) - 1
            if position != last { entries[position] = entries[last] }
            (entries + last).deinitialize(count: 1)
            header.pointee.count -= 1
        }
    }
}
