/// A persistent map from a 64-bit hash to slots: extendible hashing in radix form.
///
/// It stores a 32-bit tag and a slot for each key, never the key itself: the caller compares
/// candidates with the id that the slot's row holds. Inner nodes consume five bits of the hash's
/// upper half and name each distinct page once, through a directory of bytes, so that reference
/// counts tell the truth about sharing. Copying is O(1); finding and inserting are O(log n).
///
/// Entries are never removed: a slot, once given to an id, keeps it.
@usableFromInline
struct IDMap {
    private var root: AnyObject
    private var rootIsPage = true
    private(set) var count = 0

    @usableFromInline
    init() { root = IDPage.make(capacity: IDPage.firstCapacity, depth: 0) }

    /// The first slot under `hash` that `matches` accepts. O(log n) and a comparison per candidate.
    @inlinable
    func find(_ hash: UInt64, matches: (Slot) -> Bool) -> Slot? {
        withExtendedLifetime(self) {
            let page = page(for: hash)
            let tag = UInt32(truncatingIfNeeded: hash)
            var position = 0
            while let found = IDPage.position(of: tag, in: page, from: position) {
                let slot = Slot(IDPage.slot(at: found, in: page))
                if matches(slot) { return slot }
                position = found + 1
            }
            return nil
        }
    }

    /// Adds an entry. The caller has made sure that no equal key is there.
    @usableFromInline
    mutating func insert(_ hash: UInt64, _ slot: Slot) {
        count += 1
        if rootIsPage {
            if IDPage.append(hash, slot, at: &root, mayGrowBeyondLimit: false) { return }
            root = IDNode.make(holding: root)
            rootIsPage = false
        }
        IDMap.insert(hash, slot, below: &root, consumed: 0)
    }

    /// Descends to the page of `hash`, splitting full pages on the way.
    ///
    /// A page that is still full after all path bits are consumed grows instead: equal hashes
    /// cannot be told apart by more bits.
    private static func insert(
        _ hash: UInt64, _ slot: Slot, below reference: UnsafeMutablePointer<AnyObject>,
        consumed: Int
    ) {
        let node = IDNode.unique(at: reference)
        let path = IDNode.pathBits(hash, consumed: consumed)
        let isLastLevel = consumed + IDNode.bits >= IDNode.pathBitCount
        while true {
            let position = Int(node.header.directory[path])
            let child = node.withUnsafeMutablePointerToElements { $0 + position }
            guard node.header.isPage(position) else {
                return insert(hash, slot, below: child, consumed: consumed + IDNode.bits)
            }
            let depth = unsafeDowncast(child.pointee, to: IDPage.self).header.depth
            let cannotSplit = isLastLevel && depth == IDNode.bits
            if IDPage.append(hash, slot, at: child, mayGrowBeyondLimit: cannotSplit) { return }
            if depth == IDNode.bits {
                let page = unsafeDowncast(child.pointee, to: IDPage.self)
                child.pointee = IDNode.make(holding: page.copy(depth: 0))
                node.header.pageMask &= ~(1 << UInt32(position))
            } else {
                node.splitPage(at: position, consumed: consumed)
            }
        }
    }

    @usableFromInline
    func page(for hash: UInt64) -> UnsafeRawPointer {
        var object = UnsafeRawPointer(Unmanaged.passUnretained(root).toOpaque())
        var isPage = rootIsPage
        var consumed = 0
        while !isPage {
            Unmanaged<IDNode>.fromOpaque(object)._withUnsafeGuaranteedRef { node in
                node.withUnsafeMutablePointers { header, children in
                    let path = IDNode.pathBits(hash, consumed: consumed)
                    let position = Int(header.pointee.directory[path])
                    isPage = header.pointee.isPage(position)
                    object = UnsafeRawPointer(children + position).load(as: UnsafeRawPointer.self)
                }
            }
            consumed += IDNode.bits
        }
        return object
    }

    // MARK: - Invariants

    /// Every page is reached by exactly the hashes that its place in the directory says. O(n).
    func checkInvariants() {
        let entries =
            rootIsPage
            ? Int(unsafeDowncast(root, to: IDPage.self).header.count)
            : unsafeDowncast(root, to: IDNode.self).checkedEntryCount(consumed: 0)
        precondition(entries == count, "an id map's count differs from its entries")
    }
}

// Pages and nodes are mutated only while uniquely referenced, so shared ones are immutable.
extension IDMap: @unchecked Sendable {}
