import VarveEvents

/// How much work the blocks of an image are worth. What it leads to is read in the same way, and as fast.
package enum ImageCompression: Sendable {
    /// For what is written beside the app's work. Unchanged blocks of the image before are copied as they are.
    case quick
    /// For what the app has asked for. Unchanged blocks that were compressed quickly are made anew.
    case thorough
}

/// What an image of a state will hold. Made by the thread that may change the store, at the newest state; written by
/// any, while the store changes.
package struct ImagePlan: Sendable {
    package let state: State
    package let base: StoredImage?
    let departures: Departures
    let firstBlock: UInt64
    package let compression: ImageCompression

    /// - Parameter base: the last image of the store, whose unchanged blocks are copied.
    package init(
        _ state: State, base: StoredImage? = nil, compression: ImageCompression = .quick
    ) {
        precondition(
            state.snapshot?.version ?? .none == state.store.newest,
            "An image is planned at the newest state")
        self.state = state
        self.base = base
        self.compression = compression
        firstBlock = base?.root.nextBlock ?? 0
        departures = state.store.followDepartures()
    }

    /// Writes the image to the end of a sink, which has nothing before it.
    ///
    /// - Throws: ``ImageError/damaged(_:)`` where a page cannot be read, or a block of the image before is not what was
    ///   written; ``ImageError/storage(_:)``.
    package func write(to sink: inout some BlockSink) throws(ImageError) -> WrittenImage {
        var writing = ImageWriting(self)
        while try writing.advance(to: &sink) {}
        return try writing.finish(to: &sink)
    }
}

/// An image whose bytes a sink has.
package struct WrittenImage: Sendable {
    let root: ImageRoot
    let departures: Departures
    package let figures: ImageFigures

    /// The image as the next one's base, to be read where its bytes are now.
    package func stored(in source: any BlockSource) -> StoredImage {
        StoredImage(source, root, departures)
    }
}

extension State {
    var version: PageVersion { snapshot?.version ?? .none }
}

extension StateRecord {
    /// Calls `body` with the page at the top of each structure.
    func forEachRoot(_ body: (PageNumber) -> Void) {
        for table in tables {
            forEachRoot(of: table) { number, _ in body(number) }
        }
    }

    /// Calls `body` with the page at the top of each structure of a table, and what it must be.
    func forEachRoot(
        of table: TableRecord, _ body: (PageNumber, PageAnatomy.Expectation) -> Void
    ) {
        func visit(_ root: PageArray.Root, _ structure: PageKind.Structure) {
            guard root.page != .none else { return }
            body(root.page, .init(kind: PageKind(structure, level: root.height)))
        }
        visit(table.parts.rows.root, .rowNode)
        for map in table.parts.links { visit(map.root, .linkNode) }
        for kept in table.parts.keptLists { visit(kept.lists.root, .linkNode) }
        let ids = table.parts.ids.root
        if ids != .none { body(ids, .init(kind: PageKind(.idNode))) }
        for tree in table.indexes.map(\.tree) + table.staleTrees where tree.root != .none {
            body(
                tree.root,
                .init(
                    kind: PageKind(.keyPage, level: tree.height), frameBytes: tree.pageBytes))
        }
    }
}
