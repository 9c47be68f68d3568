import VarveEvents

extension State {
    /// Opens the state of an image. Reads the root, and where the blocks are with which structures begin. Blocks are read when their
    /// pages are.
    ///
    /// Indexes whose keys this program would make otherwise are left out: ``hasStaleIndexes`` says so, and the caller
    /// declares them again.
    ///
    /// - Parameter memory: what pages may take; nil for no limit.
    /// - Returns: the state, alone in a store of its own, and the image, which is the base of the next one.
    package static func open(
        _ source: any BlockSource, memory: ReplayMemory? = nil
    ) throws(ImageError) -> (state: State, image: StoredImage) {
        let root = try ImageRoot.read(from: source)
        let store: PageStore
        var cache: BlockCache?
        store = PageStore(
            root.directory.layout, version: root.version, memory: memory
        ) { pages in
            let bytesMax = root.directory.evictedAbove(memory)
            let made = BlockCache(root, from: source, bytesMax: bytesMax)
            cache = made
            return ImageLoader(of: made, into: pages)
        }
        if let cache { try root.checkRoots(cache) }
        let snapshot = store.firstSnapshot()
        let state = State(
            store, snapshot, catalog: root.state.catalog, tables: root.makeTables(),
            lastTransaction: root.state.lastTransaction, lastTime: root.state.lastTime,
            timeline: root.state.timeline, unknownEventCount: root.state.unknownEventCount)
        return (state, StoredImage(source, root, store.followDepartures()))
    }

    /// Where the image is read from which the state was opened; nil where it was not opened from one.
    package var source: (any BlockSource)? { store.imageSource }
}

extension StateTransaction {
    /// Where the image is read from which its store was opened; nil where it was not opened from one.
    package var source: (any BlockSource)? { transaction.store.imageSource }
}

extension BlockDirectory {
    /// What blocks may take before others are evicted; nil where all of them fit into memory.
    fileprivate func evictedAbove(_ memory: ReplayMemory?) -> Int? {
        memory.flatMap { $0.fits(totals.pageBytes) ? nil : $0.unchangedBytesMax }
    }
}

extension PageStore {
    fileprivate var imageSource: (any BlockSource)? { (cold?.loader as? ImageLoader)?.source }
}

extension ImageRoot {
    /// Throws unless each structure begins with a page of its kind, which no other one begins with, and the tables
    /// have as many leaves of rows as their slots need.
    fileprivate func checkRoots(_ cache: BlockCache) throws(ImageError) {
        var isSound = true
        var leafCount = 0
        for table in state.tables {
            leafCount += RowTree.leafCount(of: table.parts.rows.count)
            var roots: [(PageNumber, PageAnatomy.Expectation)] = []
            state.forEachRoot(of: table) { roots.append(($0, $1)) }
            for (number, expectation) in roots {
                try ImageError.reading { () throws(PageDamage) in
                    try directory.readChunk(of: number)
                }
                isSound = isSound && cache.claim(number, expectation)
            }
        }
        guard isSound else {
            throw .malformedRoot(reason: "a structure begins with a page that it cannot begin with")
        }
        let found = directory.totals.rowLeafCount
        guard found == leafCount else {
            throw .malformedRoot(reason: "\(leafCount) leaves of rows, \(found) in the blocks")
        }
    }

    fileprivate func makeTables() -> [Table] {
        zip(state.catalog.definitions, state.tables).map { definition, record in
            let revisions = state.catalog.revisions(of: definition.number)
            var table = Table(record.parts, layouts: revisions.map { RowLayout($0.definition) })
            table.staleTrees = record.staleTrees
            for stored in record.indexes {
                if var usable = FieldIndex(table.layout, stored.declaration),
                    usable.take(stored.tree, madeIn: stored.form)
                {
                    table.indexes.append(.init(declaration: stored.declaration, index: usable))
                } else if stored.tree.root != .none {
                    table.staleTrees.append(stored.tree)
                }
            }
            return table
        }
    }
}
