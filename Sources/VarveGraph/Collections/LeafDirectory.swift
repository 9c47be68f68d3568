public import Synchronization

/// The leaves of a ``PageTree`` by their numbers, as plain words: found with one load, where the way
/// down the tree takes one for each level, and most of them from memory that is not in the cache.
///
/// It owns nothing and promises nothing. A word is the leaf's address, or null: then the tree is asked.
///
/// Copies of an array share it. *Invariant:* a word that is not null is right for every array that shares
/// the directory. So an array that takes another leaf writes it down only if no copy has the directory too, and
/// otherwise null, for all of them. Whoever reads meanwhile, in a copy that another thread has, finds the former
/// leaf, which his copy keeps alive, or null; a copy that is handed on afterwards comes with what was written.
/// Words are atomic for that. A packed leaf gives way to the elements that were made of it, which are right
/// wherever it is, and live as long.
@usableFromInline
final class LeafDirectory: Sendable {
    @usableFromInline typealias Word = Atomic<UnsafeRawPointer?>

    @usableFromInline let capacity: Int
    /// Never written but through its atomic words.
    @usableFromInline nonisolated(unsafe) let words: UnsafeMutablePointer<Word>
    /// Leaves that were not written down, as far as it is known: copies count together.
    private let missing = Atomic(0)

    @usableFromInline
    init(capacity: Int) {
        self.capacity = capacity
        words = .allocate(capacity: capacity)
        for number in 0..<capacity { (words + number).initialize(to: Word(nil)) }
    }

    deinit {
        words.deinitialize(count: capacity)
        words.deallocate()
    }

    @inlinable
    subscript(number: Int) -> LeafWord? {
        // With the leaf comes what another thread made of a packed one.
        get { words[number].load(ordering: .acquiring).map { LeafWord(word: $0) } }
        set { words[number].store(newValue?.word, ordering: .releasing) }
    }

    /// The leaf of a number in the directory at an address, which is neither retained nor released.
    @inlinable @inline(__always)
    static func word(_ number: UInt, in directory: UnsafeRawPointer) -> LeafWord? {
        Unmanaged<LeafDirectory>.fromOpaque(directory)._withUnsafeGuaranteedRef {
            number < UInt(bitPattern: $0.capacity) ? $0[Int(bitPattern: number)] : nil
        }
    }

    /// Leads to the elements that were made of a packed leaf instead of to that leaf, for all who share the
    /// directory, unless the leaf was replaced meanwhile.
    @inlinable
    static func replace(
        _ packed: UnsafeRawPointer, by leaf: UnsafeRawPointer, at number: Int,
        in directory: UnsafeRawPointer
    ) {
        Unmanaged<LeafDirectory>.fromOpaque(directory)._withUnsafeGuaranteedRef {
            // Asked first: a word that is not to be replaced is not written, which other processors would notice.
            guard number < $0.capacity, $0[number] == LeafWord(packed: packed) else { return }
            _ = $0.words[number].compareExchange(
                expected: LeafWord(packed: packed).word, desired: LeafWord(unpacked: leaf).word,
                ordering: .acquiringAndReleasing)
        }
    }

    func addMissing(_ count: Int) { missing.add(count, ordering: .relaxed) }

    /// Asks for no renewal before so many more leaves have come: one that was tried in vain is tried again
    /// only when the array has doubled, or a sparse one would be walked again and again.
    func deferRenewal(by count: Int) { missing.store(-count, ordering: .relaxed) }

    /// So many are found in the tree as quickly.
    private static var missingMax: Int { 64 }

    /// Whether another one is worth what it costs: a walk over the inner nodes, and a look at each missing leaf.
    var isRenewalDue: Bool {
        missing.load(ordering: .relaxed) > LeafDirectory.missingMax + capacity / 8
    }
}

/// The address of a leaf, and whether it is a packed one: known without a look at it.
@frozen
@usableFromInline
struct LeafWord: Equatable {
    @usableFromInline let word: UnsafeRawPointer

    @inlinable @inline(__always)
    init(word: UnsafeRawPointer) { self.word = word }

    @inlinable @inline(__always)
    init(unpacked node: UnsafeRawPointer) { word = node }

    @inlinable @inline(__always)
    init(packed node: UnsafeRawPointer) { word = node + 1 }

    /// Of any leaf, which is looked at.
    @inlinable @inline(__always)
    init(_ node: UnsafeRawPointer) { word = PackedLeaf.isPacked(node) ? node + 1 : node }

    @inlinable @inline(__always)
    var isPacked: Bool { UInt(bitPattern: word) & 1 != 0 }

    @inlinable @inline(__always)
    var node: UnsafeRawPointer { word - Int(bitPattern: UInt(bitPattern: word) & 1) }
}

/// The leaves below a root, as plain words, whatever their elements are: code that knew the elements' type
/// would look it up for every leaf where it is not specialised.
struct LeafNodes {
    let root: UnsafeRawPointer?
    let height: Int

    /// How many there are, and one more than the greatest number.
    var extent: (count: Int, end: Int) {
        var count = 0
        var end = 0
        forEach { number, _ in
            count += 1
            end = number + 1
        }
        return (count, end)
    }

    /// Calls `body` with the number and the address of each leaf, in order.
    func forEach(_ body: (Int, UnsafeRawPointer) -> Void) {
        guard let root else { return }
        LeafNodes.visit(root, height: height, number: 0, body)
    }

    private static func visit(
        _ node: UnsafeRawPointer, height: Int, number: Int,
        _ body: (Int, UnsafeRawPointer) -> Void
    ) {
        guard height > 0 else { return body(number, node) }
        for position in 0..<PagedInner.width {
            guard let child = PagedInner.child(of: node, at: position) else { continue }
            let first = number + position << (PagedInner.shift * (height - 1))
            visit(child, height: height - 1, number: first, body)
        }
    }
}
