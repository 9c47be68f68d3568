import Synchronization

/// How much memory the pages take at most that a state loads of its image. It may change while states are read.
package final class PageMemoryLimit: Sendable {
    private let byteCount: Atomic<Int>

    package init(_ byteCount: Int) { self.byteCount = Atomic(byteCount) }

    package var bytes: Int { byteCount.load(ordering: .relaxed) }

    package func set(_ byteCount: Int) { self.byteCount.store(byteCount, ordering: .relaxed) }
}

/// What the generations of a state's pages have in common.
///
/// A generation is a store of pages that loads the blocks of an image for a while. Once they take half of what they may,
/// the next one takes its place: it copies blocks from this one as long as it lives, and reads the others again. So what is
/// used often stays, and this one goes with the last operation that reads it. No operation waits for that, and none counts
/// itself in or out: it holds the state that it reads.
///
///     image        [block][block][block][block][block]
///     generation 6    *             *      *             was full: only copied from
///     generation 7    *      *                           loads what is read now
///     base         pages that transactions have made behind the image
final class PageGenerations: Sendable {
    let image: ImageRoot
    let source: any BlockSource
    let limit: PageMemoryLimit
    /// Keeps the pages that transactions have made behind the image.
    let base: PageSnapshot
    /// The chunks that only such pages are in.
    fileprivate let chunks: [PageTable.Chunk]
    /// The blocks with frames that such pages are in, or were free for them, ascending by position.
    let changedBlocks: [Int]

    /// Nil where the pages of the snapshot are not those of an image. The caller is the only one who may change the store
    /// meanwhile.
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
    /// The state with pages that take no more memory than a limit, beside those of one operation; see ``isFull``. The state
    /// itself where it was not opened from an image, or where all pages of the image take less than `byteCountMin`.
    ///
    /// Nothing may change the state's store meanwhile. Transactions begin with the state itself, not with this one.
    package func limited(to limit: PageMemoryLimit, from byteCountMin: Int) -> State {
        guard let snapshot, let generations = PageGenerations(of: snapshot, limit: limit),
            generations.image.directory.pageBytes >= byteCountMin
        else { return self }
        return State(self, in: PageStore(generations, former: nil))
    }

    /// Whether what was loaded takes half of the limit: then ``inNextGeneration()`` is to take the place of this state.
    package var isFull: Bool { store.cold?.loader.isFull ?? false }

    /// What is loaded of the image.
    var loadedBytes: Int { store.cold?.loadedBytes ?? 0 }

    /// What is loaded of the image, and what the generation before has of it.
    package var cachedBytes: Int { store.cold?.loader.cachedBytes ?? 0 }

    /// What all pages take that the state could load, or, of a state that was not opened from an image, take.
    package var pageBytes: Int {
        let loader = store.cold?.loader as? ImageLoader
        return loader?.root.directory.pageBytes ?? reservedBytes
    }

    /// The state with pages that are loaded anew, or copied from those of this one.
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
    /// What entities that are held as values take, with their indexes, for each byte of their pages: 441 MB where a million
    /// users and posts with three indexes take 250.
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
    /// What all pages take in memory.
    var pageBytes: Int { blocks.reduce(0) { $0 + $1.run.byteCount } }
}
