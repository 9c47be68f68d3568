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
/// A generation is a cache of an image's blocks. Once they take half of the limit, the next generation replaces it. That one
/// copies blocks from this one on demand, as long as this one lives, and reads others from the image again. So blocks that
/// are used often stay, and others are evicted. An operation holds the state that it reads; the last one releases this
/// generation. No operation waits, pins a block or counts itself.
///
///     image        [block][block][block][block][block]
///     generation 6    *             *      *             full: only copied from
///     generation 7    *      *                           loads what is read now
///     base         pages that transactions have made behind the image
final class PageGenerations: Sendable {
    let image: ImageRoot
    let source: any BlockSource
    let limit: PageMemoryLimit
    /// The pages that transactions have made after the image.
    let base: PageSnapshot
    /// The chunks that only such pages are in.
    fileprivate let chunks: [PageTable.Chunk]
    /// The blocks with frames that such pages are in, or were free for them, ascending by position.
    let changedBlocks: [Int]

    /// Nil if the snapshot has no image. No other thread may change the store meanwhile.
    init?(of base: PageSnapshot, limit: PageMemoryLimit) {
        guard let loader = base.store.cold?.loader as? ImageLoader else { return nil }
        image = loader.root
        source = loader.source
        self.limit = limit
        self.base = base
        chunks = base.store.chunksBesideImage
        changedBlocks = base.store.reusedRuns
            .compactMap { loader.root.directory.blockPosition(of: $0) }.sorted()
    }

    /// A page of the base, in a chunk that the image has too.
    func basePage(_ number: PageNumber) -> Page { base.pages.frame(number) }
}

extension State {
    /// The state with pages that take no more memory than a limit, except for those of running operations; see ``isFull``.
    /// The state itself if it was not opened from an image, or if all pages of the image take less than `byteCountMin`.
    ///
    /// Nothing may change the state's store meanwhile. Transactions begin with the state itself, not with this one.
    ///
    /// - Parameter former: a limited state whose cache the new one copies blocks from, if its store is the same.
    package func limited(
        to limit: PageMemoryLimit, from byteCountMin: Int, following former: State? = nil
    ) -> State {
        guard let snapshot, let generations = PageGenerations(of: snapshot, limit: limit),
            generations.image.directory.pageBytes >= byteCountMin
        else { return self }
        let cache = former?.store.cold?.loader as? ImageLoader
        let isShared = cache?.generations?.base.store === store
        return State(self, in: PageStore(generations, former: isShared ? cache : nil))
    }

    /// Whether the loaded pages take half of the limit: then ``inNextGeneration()`` is to replace this state.
    package var isFull: Bool { store.cold?.loader.isFull ?? false }

    /// The memory of loaded pages of the image.
    var loadedBytes: Int { store.cold?.loadedBytes ?? 0 }

    /// The memory of loaded pages of the image, with those of the generation before.
    package var cachedBytes: Int { store.cold?.loader.cachedBytes ?? 0 }

    /// The memory of all pages that the state could load; of a state that was not opened from an image, of all its pages.
    package var pageBytes: Int {
        let loader = store.cold?.loader as? ImageLoader
        return loader?.root.directory.pageBytes ?? store.changedBytes
    }

    /// The memory of pages for each slot: in the image, or, where that has none, of all. Nothing may change the store meanwhile.
    package var pageBytesPerSlot: Int {
        let image = (store.cold?.loader as? ImageLoader)?.root
        let count = image?.state.tables.reduce(0) { $0 + $1.parts.rows.count } ?? 0
        return count > 0 ? pageBytes / count : store.changedBytes / max(slotCount, 1)
    }

    /// The state with an empty cache of pages, which copies blocks from this one on demand: the others are evicted.
    package func inNextGeneration() -> State {
        guard let loader = store.cold?.loader as? ImageLoader, let generations = loader.generations
        else { return self }
        return State(self, in: PageStore(generations, former: loader))
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
    /// - Parameter former: the generation before; nil for the first.
    fileprivate convenience init(_ generations: PageGenerations, former: ImageLoader?) {
        self.init(of: generations.base, sharing: generations.chunks) { pages in
            let loader = ImageLoader(
                generations.image, from: generations.source, into: pages, generations,
                former: former)
            // It did not throw when the image was opened.
            try? generations.image.checkRoots(loader)
            return loader
        }
    }
}

extension BlockDirectory {
    /// The memory of all pages.
    var pageBytes: Int { blocks.reduce(0) { $0 + $1.run.byteCount } }
}
