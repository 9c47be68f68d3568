internal import Foundation
internal import Synchronization

/// A cache of leaves of a ``PageTree`` that are decoded from a file when they are first read.
///
/// All copies of a tree share the cache. A cached leaf is never replaced, so any number of threads may read: the first
/// thread that decodes a leaf publishes it. What a copy changes is in leaves of its own, which readers look up first.
package final class StoredLeaves: Sendable {
    /// Makes the leaf of a number; nil for one in which every element is absent.
    package typealias Maker = @Sendable (Int) -> AnyObject?

    /// Leaves from this number on are not stored.
    let count: Int
    private let make: Maker
    private let size: LeafSize?
    private let made = Atomic(0)
    /// The addresses of leaves that were made, each retained; ``absent`` for one that is not there, and null for one that
    /// nothing has looked at.
    private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>
    /// The pinned leaves of one reader; nil for the shared cache. Unchecked: no other thread has this object.
    private nonisolated(unsafe) let window: LeafWindow?

    private static var absent: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: 1) }

    /// - Parameter size: the size of a leaf; nil where leaves are not counted.
    package init(count: Int, size: LeafSize? = nil, make: @escaping Maker) {
        self.count = count
        self.size = size
        self.make = make
        // Zeros are null addresses. Of memory that the system gives as zeros nothing is touched before a leaf is made.
        guard let memory = calloc(max(count, 1), MemoryLayout<UnsafeRawPointer?>.stride) else {
            preconditionFailure("no memory for the addresses of leaves")
        }
        words = memory.bindMemory(to: Atomic<UnsafeRawPointer?>.self, capacity: count)
        window = nil
    }

    /// The leaves for one reader. A leaf that is decoded for it is pinned until it has read some more, and is not published.
    private init(for reader: LeafWindow) {
        count = reader.leaves.count
        size = nil
        make = reader.leaves.make
        words = reader.leaves.words
        window = reader
    }

    deinit {
        guard window == nil else { return }
        for number in 0..<count {
            guard let leaf = words[number].load(ordering: .relaxed), leaf != Self.absent else {
                continue
            }
            Unmanaged<AnyObject>.fromOpaque(leaf).release()
        }
        free(words)
        size?.memory.remove(cachedBytes)
    }

    /// An estimate of the bytes of cached leaves.
    var cachedBytes: Int { cachedCount * (size?.bytes ?? 0) }

    /// These leaves, with an empty cache.
    func withEmptyCache() -> StoredLeaves { StoredLeaves(count: count, size: size, make: make) }

    /// The leaf of a number, which is decoded now unless it is cached. It lives as long as this object.
    func node(_ number: Int) -> UnsafeRawPointer? {
        guard number >= 0, number < count else { return nil }
        if let window { return window.node(number) }
        let known = words[number].load(ordering: .acquiring)
        guard let leaf = known ?? publish(make(number), at: number) else { return nil }
        return leaf == Self.absent ? nil : leaf
    }

    /// Whether there is a stored leaf of a number that no thread has looked at.
    func isUnread(_ number: Int) -> Bool {
        number >= 0 && number < count && words[number].load(ordering: .relaxed) == nil
    }

    // MARK: - One reader

    /// These leaves for one reader; see ``LeafWindow``.
    func forOneReader() -> StoredLeaves {
        StoredLeaves(for: LeafWindow(of: window?.leaves ?? self))
    }

    /// The leaf of a number for one reader: the cached one, else one that `owner` pins.
    func node(_ number: Int, pinnedBy owner: inout AnyObject?) -> UnsafeRawPointer? {
        guard number >= 0, number < count else { return nil }
        if let known = words[number].load(ordering: .acquiring) {
            return known == Self.absent ? nil : known
        }
        owner = make(number)
        return owner.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
    }

    /// How many leaves are cached, without absent ones.
    var cachedCount: Int { made.load(ordering: .relaxed) }

    /// Publishes a leaf for all threads, unless another one was faster.
    private func publish(_ leaf: AnyObject?, at number: Int) -> UnsafeRawPointer? {
        let word =
            leaf.map { UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque()) } ?? Self.absent
        let (isFirst, other) = words[number].compareExchange(
            expected: nil, desired: word, ordering: .acquiringAndReleasing)
        guard !isFirst else {
            guard leaf != nil else { return word }
            made.wrappingAdd(1, ordering: .relaxed)
            if let size { size.memory.add(size.bytes) }
            return word
        }
        if let word, word != Self.absent { Unmanaged<AnyObject>.fromOpaque(word).release() }
        return other
    }

    /// The leaf of the element at an index in the object at an address, which is neither retained nor released.
    static func word(_ number: Int, in stored: UnsafeRawPointer) -> LeafWord? {
        Unmanaged<StoredLeaves>.fromOpaque(stored)._withUnsafeGuaranteedRef { $0.node(number) }
            .map { LeafWord($0) }
    }
}
