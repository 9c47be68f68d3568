public import Synchronization

/// The leaves of a ``PagedArray`` by their numbers, as plain words: found with one load, where the way
/// down the tree takes one for each level, and most of them from memory that is not in the cache.
///
/// It owns nothing and promises nothing. A word is the leaf's address, or null: then the tree is asked.
///
/// Copies of an array share it. *Invariant:* a word that is not null is right for every array that shares
/// the directory. So an array that takes another leaf writes it down only if no copy has the directory too, and
/// otherwise null, for all of them. Whoever reads meanwhile, in a copy that another thread has, finds the former
/// leaf, which his copy keeps alive, or null; a copy that is handed on afterwards comes with what was written.
/// Words are atomic for that, and nothing more is asked of their order.
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
    subscript(number: Int) -> UnsafeRawPointer? {
        get { words[number].load(ordering: .relaxed) }
        set { words[number].store(newValue, ordering: .relaxed) }
    }

    /// The leaf of a number in the directory at an address, which is neither retained nor released.
    @inlinable @inline(__always)
    static func leaf(_ number: UInt, in directory: UnsafeRawPointer) -> UnsafeRawPointer? {
        Unmanaged<LeafDirectory>.fromOpaque(directory)._withUnsafeGuaranteedRef {
            number < UInt(bitPattern: $0.capacity) ? $0[Int(bitPattern: number)] : nil
        }
    }

    func addMissing(_ count: Int) { missing.add(count, ordering: .relaxed) }

    /// Asks for no renewal before so many more leaves have come: one that was tried in vain is tried again
    /// only when the array has doubled, or a sparse one would be walked again and again.
    func deferRenewal(by count: Int) { missing.store(-count, ordering: .relaxed) }

    /// So many are found in the tree as quickly.
    private static var missingMax: Int { 64 }

    /// Whether another one is worth what it costs, which is a look at every leaf.
    var isRenewalDue: Bool {
        missing.load(ordering: .relaxed) > LeafDirectory.missingMax + capacity / 8
    }
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
