import Synchronization

/// Pages in memory that name each other by number, in versions.
///
/// One transaction is open at a time. It copies each page that it changes, once, and changes its own
/// pages in place: that is the whole of copy-on-write. Publishing makes a version, which a
/// ``PageSnapshot`` keeps alive. Pages that a version replaced are freed when no snapshot reaches
/// them any more. Those of an image keep their places where memory is limited.
///
/// Invariants:
/// - a page is reached by the versions from its birth to the last one before it was replaced;
/// - a page that was replaced is on the dead list of the newest live version that reaches it, and on
///   no list, that is freed, where there is none.
///
/// The caller lets one thread at a time begin, change and publish. Snapshots may be read and
/// released by any thread.
// Sendable unchecked: what the writer changes belongs to the thread that the caller lets write, and
// what other threads share with it is the atomic stack and entries of the table that do not change.
package final class PageStore: @unchecked Sendable {
    package let pages: PageTable
    @exclusivity(unchecked) private var arena: FrameArena
    /// The versions that snapshots hold, ascending.
    @exclusivity(unchecked) private var live: [VersionRecord] = []
    private(set) var newest = PageVersion.none
    private var isChanging = false
    private let isGeneration: Bool
    /// Nil where nothing is evicted, and all changed pages stay in memory.
    let memory: ReplayMemory?
    /// The newest version that the image knows of which the store began with.
    private let imageVersion: PageVersion
    /// The runs of the image whose free frames were made available.
    @exclusivity(unchecked) private var reusedRuns: Set<PageNumber> = []

    /// Records whose snapshots are gone and that the writer has not processed: a stack, pushed to by
    /// any thread and taken as a whole by the writer. 0 is the empty stack, any other value an
    /// unmanaged reference that was retained.
    private let released = Atomic<UInt>(0)

    package static let blockBytesStandard = FrameArena.runBytesStandard

    /// What brings the pages of the image that the store began with; nil where it began empty.
    package let cold: ColdPages?
    /// Which pages go that images reach.
    @exclusivity(unchecked) private var departures: [WeakDepartures] = []

    /// - Parameter blockBytes: what an image of the pages reads at a time.
    package init(
        _ source: FrameSource = .hugeChunks, blockBytes: Int = PageStore.blockBytesStandard,
        memory: ReplayMemory? = nil
    ) {
        arena = FrameArena(source, runBytes: blockBytes, memory: memory)
        self.memory = memory
        pages = arena.pages
        cold = nil
        imageVersion = .none
        isGeneration = false
    }

    /// A store whose pages are those of an image, and come when they are read.
    init(
        _ layout: ImageLayout, version: PageVersion, memory: ReplayMemory?,
        loader: (PageTable) -> any PageLoader
    ) {
        let fits = memory?.fits(layout.pageBytes) ?? true
        arena = FrameArena(
            .hugeChunks,
            runBytes: fits ? FrameArena.runBytesStandard : FrameArena.runBytesOfLargeImages,
            memory: memory)
        self.memory = memory
        pages = arena.pages
        arena.adopt(layout)
        let cold = ColdPages(loader(pages))
        self.cold = cold
        pages.setCold(cold)
        newest = version
        imageVersion = version
        isGeneration = false
    }

    /// The pages of a snapshot of another store, which no transaction changes here. The stores share some chunks; other pages
    /// are loaded when they are read.
    init(
        of base: PageSnapshot, sharing chunks: [PageTable.Chunk],
        loader: (PageTable) -> any PageLoader
    ) {
        arena = FrameArena(.chunks)
        memory = nil
        pages = arena.pages
        for chunk in chunks { pages.setChunk(chunk.number, to: chunk.memory) }
        let cold = ColdPages(loader(pages))
        self.cold = cold
        pages.setCold(cold)
        newest = base.version
        imageVersion = base.store.imageVersion
        isGeneration = true
    }

    /// The first snapshot of a store of an image.
    func firstSnapshot() -> PageSnapshot {
        precondition(live.isEmpty && newest > .none, "An image has one version")
        let record = VersionRecord(newest)
        live.append(record)
        return PageSnapshot(self, record)
    }

    deinit {
        precondition(!isChanging, "A transaction holds its store")
        takeReleased { _ in }
    }

    /// The pages that are in use: of live versions and of the open transaction.
    package var pageCount: Int { arena.frameCount }

    /// The memory that pages take or took, in bytes.
    package var reservedBytes: Int { arena.reservedBytes + (cold?.loadedBytes ?? 0) }

    /// The number of versions that snapshots hold, as far as the writer knows.
    package var liveVersionCount: Int { live.count }

    // MARK: Transactions

    /// Begins to change the newest version. The caller publishes or rolls back.
    func begin() -> PageVersion {
        precondition(!isGeneration, "A transaction begins with the base of a generation")
        precondition(!isChanging, "One transaction is open at a time")
        isChanging = true
        reclaim()
        return newest.next
    }

    /// Ends the open transaction with a new version, which no longer reaches the replaced pages.
    func publish(replaced: consuming [PageNumber]) -> PageSnapshot {
        newest = newest.next
        if !departures.isEmpty { noteDepartures(replaced) }
        if let last = live.last {
            // What the newest live version before this one reaches waits for it.
            keep(replaced, for: last)
        } else {
            for number in replaced { free(number) }
        }
        let record = VersionRecord(newest)
        live.append(record)
        isChanging = false
        pageOut()
        return PageSnapshot(self, record)
    }

    private func keep(_ replaced: consuming [PageNumber], for record: VersionRecord) {
        // A version between the two, which no snapshot holds, may have made some of them.
        if record.version == PageVersion(newest.rawValue - 1), record.deadPages.isEmpty {
            record.deadPages = replaced
            return
        }
        for number in replaced { bury(number, for: record) }
    }

    /// Ends the open transaction as if it had not been. `born` are the pages that it made; those that
    /// it freed itself may be among them, and twice.
    func rollBack(born: [PageNumber]) {
        // A frame that had a chunk of its own may be gone with it.
        for number in born where pages.span(of: number) != .none {
            let page = pages.frame(number)
            if !page.isFree, page.birth > newest { free(number) }
        }
        isChanging = false
    }

    // MARK: Images

    /// Follows which pages go that the newest version reaches, from now on and as long as the object lives.
    func followDepartures() -> Departures {
        let followed = Departures(from: newest)
        departures.append(WeakDepartures(value: followed))
        return followed
    }

    private func noteDepartures(_ replaced: [PageNumber]) {
        departures.removeAll { $0.value == nil }
        for entry in departures {
            guard let followed = entry.value else { continue }
            // A page that is not in memory is one of an image, and as old as that.
            followed.add(
                replaced.filter {
                    pages.isUnread($0) || pages[$0].birth <= followed.base
                }, in: newest)
        }
    }

    /// Drops the blocks of the image where what this store has taken is more than a limit, so that they can be evicted. Where all
    /// of the image fits into memory it does nothing. Between two calls of the thread that changes the store; others read such blocks through
    /// generations of their own.
    func evictBlocks(above byteCount: Int) {
        if cold?.loader.evict(above: byteCount) == true { pageOut() }
    }

    /// Evicts what takes more memory than it may, under the same conditions.
    func evictBlocks() {
        if let memory { evictBlocks(above: memory.unchangedBytesMax) }
    }

    /// Takes changed pages that are spilled from the process's memory until they are touched again.
    func pageOut() { arena.pageOut() }

    /// The memory of pages that transactions have made, with what is in the spill file.
    var changedBytes: Int { arena.reservedBytes }

    /// What is in the spill file.
    var spilledBytes: Int { arena.spilledBytes }

    /// The chunks that no page of an image is in. No other thread may change the store meanwhile.
    var chunksBesideImage: [PageTable.Chunk] { arena.chunksBesideImage }

    // MARK: Pages

    /// A page of the open transaction, of undefined content but for its header.
    @inline(__always)
    func allocate(
        _ kind: PageKind, _ byteCount: Int, in version: PageVersion
    ) -> (PageNumber, Page) {
        let (number, page) = arena.allocate(kind, FrameSize.rounded(byteCount))
        page.birth = version
        page.count = 0
        return (number, page)
    }

    func free(_ number: PageNumber) {
        if cold != nil, !canFree(number) { return }
        arena.deallocate(number, pages[number])
    }

    /// Whether a page of an image, or one beside it, can be freed.
    ///
    /// Where memory is limited the place of an image's page is not used again: reading a block for that takes long, and a block
    /// with a page in such a place could not be evicted any more. Elsewhere the first page of a block makes the frames
    /// available that the block holds no page in: it is written anew in any case.
    private func canFree(_ number: PageNumber) -> Bool {
        let isOfImage = arena.isOfImage(number)
        // A page that was not read is as the image has it.
        if isOfImage, memory != nil, pages.isUnread(number) { return false }
        let page = pages[number]
        // What cannot be read keeps its place, and what two pages name is freed once.
        if page.isPlaceholder || page.isFree { return false }
        guard isOfImage, page.birth <= imageVersion else { return true }
        if memory != nil { return false }
        if let run = PageRun(of: number, pages.span(of: number)),
            reusedRuns.insert(run.first).inserted
        {
            arena.takeFreeFrames(of: run)
        }
        return true
    }

    // MARK: Versions

    /// Called by the last reference to a snapshot, on any thread.
    func release(_ record: VersionRecord) {
        let reference = UInt(bitPattern: Unmanaged.passRetained(record).toOpaque())
        var top = released.load(ordering: .relaxed)
        while true {
            record.nextReleased = top
            let (isDone, found) = released.weakCompareExchange(
                expected: top, desired: reference, successOrdering: .releasing,
                failureOrdering: .relaxed)
            if isDone { return }
            top = found
        }
    }

    /// Frees the pages of versions that no snapshot holds any more. Beginning a transaction does so.
    package func reclaim() {
        takeReleased { record in
            guard let index = live.firstIndex(where: { $0 === record }) else { return }
            live.remove(at: index)
            let older = index > 0 ? live[index - 1] : nil
            for number in record.deadPages {
                if let older { bury(number, for: older) } else { free(number) }
            }
        }
    }

    private func takeReleased(_ body: (VersionRecord) -> Void) {
        var top = released.exchange(0, ordering: .acquiring)
        while let pointer = UnsafeRawPointer(bitPattern: top) {
            // Retained when it was pushed; the stack was taken as a whole, so this is its only user.
            let record = Unmanaged<VersionRecord>.fromOpaque(pointer).takeRetainedValue()
            top = record.nextReleased
            body(record)
        }
    }

    /// Gives a page that versions after `record` do not reach to its dead list, or frees it where
    /// the record's version does not reach it either.
    private func bury(_ number: PageNumber, for record: VersionRecord) {
        // What is not in memory is as old as the image.
        if !pages.isUnread(number), pages[number].birth > record.version { return free(number) }
        record.deadPages.append(number)
    }
}
