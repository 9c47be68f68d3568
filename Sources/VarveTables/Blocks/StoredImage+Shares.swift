package import VarveEvents

extension StoredImage {
    /// What the blocks of the image take for each type. A block in which several types have pages counts for each by
    /// how many those are.
    ///
    /// Reads the pages that may name others.
    ///
    /// - Parameter state: what was opened from the image.
    /// - Throws: where the directory cannot be read. Of pages that cannot be read, the state's health says so.
    package func storedBytes(
        ofTypesIn state: State
    ) throws(PageDamage) -> [TypeNumber: UInt64] {
        var walk = ShareWalk(try root.directory.allBlocks(), root.directory, state.pages)
        var bytes: [TypeNumber: UInt64] = [:]
        for (table, record) in zip(state.tables, root.state.tables) {
            root.state.forEachRoot(of: record) { number, _ in walk.visit(number) }
            bytes[table.definition.number] = walk.takeBytes()
        }
        return bytes
    }
}

/// Counts the pages of one table after the other by their blocks.
private struct ShareWalk {
    private let directory: BlockDirectory
    private let blocks: [BlockEntry]
    private let pages: PageTable
    private let structures: Set<PageKind.Structure>
    /// By position of the block.
    private var pageCounts: [Int: Int] = [:]

    /// - Parameter blocks: all of the directory.
    init(_ blocks: [BlockEntry], _ directory: BlockDirectory, _ pages: PageTable) {
        self.blocks = blocks
        self.directory = directory
        self.pages = pages
        structures = Set(blocks.compactMap { $0.run.kind.structure })
    }

    /// Recursion is as deep as a tree.
    mutating func visit(_ number: PageNumber) {
        guard let found = directory.readableFrame(of: number) else { return }
        pageCounts[found.block, default: 0] += 1
        guard mayName(found.entry.run.kind) else { return }
        PageAnatomy.forEachReference(of: pages[number]) { number, _ in visit(number) }
    }

    /// Whether pages of a kind name others. Most leaves name none, and are not read.
    private func mayName(_ kind: PageKind) -> Bool {
        switch kind.structure {
        case .rowLeaf: structures.contains(.largeContent)
        case .linkLeaf: structures.contains(.listPage)
        default: PageAnatomy.canName(kind)
        }
    }

    /// What the pages take that were visited since the last call.
    mutating func takeBytes() -> UInt64 {
        defer { pageCounts = [:] }
        return pageCounts.reduce(0) { bytes, share in
            let block = blocks[share.key]
            return bytes + UInt64(block.storedCount * share.value / block.liveFrames)
        }
    }
}
