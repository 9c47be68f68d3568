import Synchronization

/// The most memory for pages that a state loads from its image. It may change while states are read.
package final class PageMemoryLimit: Sendable {
    private let byteCount: Atomic<Int>

    package init(_ byteCount: Int) { self.byteCount = Atomic(byteCount) }

    package var bytes: Int { byteCount.load(ordering: .relaxed) }

    package func set(_ byteCount: Int) { self.byteCount.store(byteCount, ordering: .relaxed) }
}

/// What all generations of a state's pages share.
///
/// A generation is a view of an image's blocks in a ``BlockCache``. Once what it has read takes half of the limit, the next
/// generation replaces it, which has read nothing yet. So blocks that are used often stay, and others are evicted when the
/// cache needs their memory. An operation holds the state that it reads; the last one releases the generation. No operation
/// pins a block or counts itself.
///
///     cache        [block][block][block][block][block]
///     generation 6    *             *      *             full
///     generation 7    *      *                           has what is read now
///     base         pages that transactions have made behind the image
final class PageGenerations: Sendable {
    let cache: BlockCache
    let limit: PageMemoryLimit
    /// The pages that transactions have made after the image.
    let base: PageSnapshot
    /// The chunks that only such pages are in.
    fileprivate let chunks: [PageTable.Chunk]

    /// Nil if the snapshot has no image, or one that fits into memory: its blocks are not evicted. No other thread may change the
    /// store meanwhile.
    init?(of base: PageSnapshot, limit: PageMemoryLimit) {
        guard let loader = base.store.cold?.loader as? ImageLoader,
            !loader.cache.blocksAreInChunks
        else { return nil }
        cache = loader.cache
        self.limit = limit
        self.base = base
        chunks = base.store.chunksBesideImage
        cache.admitGenerations(limit)
    }

    deinit { cache.endGenerations() }
}

extension State {
    /// The state with pages that take no more memory than a limit, except for those of running operations; see ``isFull``.
    /// The state itself if it was not opened from an image with limited memory, or if all pages of the image take less than
    /// `byteCountMin`.
    ///
    /// Nothing may change the state's store meanwhile. Transactions begin with the state itself, not with this one.
    package func limited(to limit: PageMemoryLimit, from byteCountMin: Int) -> State {
        guard let snapshot, let generations = PageGenerations(of: snapshot, limit: limit),
            generations.cache.root.directory.totals.pageBytes >= byteCountMin
        else { return self }
        // Making the state has read blocks that the cache may need.
        store.evictBlocks(above: 0)
        return State(self, in: PageStore(generations))
    }

    /// Whether the loaded pages take half of the limit: then ``inNextGeneration()`` is to replace this state.
    package var isFull: Bool { store.cold?.loader.isFull ?? false }

    /// The memory of loaded pages of the image.
    var loadedBytes: Int { store.cold?.loadedBytes ?? 0 }

    /// The loaded pages of the image, with those that others have read; nil in a state that was not opened from one.
    package var cachedPages: CachedPages? { store.cold?.loader.cachedPages }

    /// The memory of all pages that the state could load; of a state that was not opened from an image, of all its pages.
    package var pageBytes: Int {
        let loader = store.cold?.loader as? ImageLoader
        return loader?.root.directory.totals.pageBytes ?? store.changedBytes
    }

    /// The memory of pages for each slot: in the image, or, where that has none, of all. Nothing may change the store meanwhile.
    package var pageBytesPerSlot: Int {
        let image = (store.cold?.loader as? ImageLoader)?.root
        let count = image?.state.tables.reduce(0) { $0 + $1.parts.rows.count } ?? 0
        return count > 0 ? pageBytes / count : store.changedBytes / max(slotCount, 1)
    }

    /// The state with pages of which none is read yet: those that it does not read either can be evicted.
    package func inNextGeneration() -> State {
        guard let loader = store.cold?.loader as? ImageLoader, let generations = loader.generations
        else { return self }
        return State(self, in: PageStore(generations))
    }

    private init(_ state: State, in store: PageStore) {
        self.init(
            store, store.firstSnapshot(), catalog: state.catalog, tables: state.tables,
            lastTransaction: state.lastTransaction, lastTime: state.lastTime,
            timeline: state.timeline, unknownEventCount: state.unknownEventCount,
            damage: state.damage)
    }
}

extension State {
    /// The bytes of a filled table, with its indexes, for each byte of its pages: 441 MB where a million users and posts with
    /// three indexes take 250.
    package static let filledBytesPerPageByte = 2
}

extension PageStore {
    fileprivate convenience init(_ generations: PageGenerations) {
        self.init(of: generations.base, sharing: generations.chunks) { pages in
            ImageLoader(of: generations, into: pages)
        }
    }
}
