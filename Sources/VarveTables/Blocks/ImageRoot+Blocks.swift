/// Reading a block, and what is checked before any of its pages is seen.
extension ImageRoot {
    /// Makes the pages of a block in their place, and checks all but what they name.
    ///
    /// - Parameter start: memory of zeros.
    func readBlock(
        _ entry: BlockEntry, from source: any BlockSource, into start: UnsafeMutableRawPointer
    ) throws(PageDamage) {
        try entry.readFrames(from: source, into: start)
        let run = entry.run
        try entry.checkPages(start, through: version) { $0.setEmpty(run) }
        if run.kind == PageKind(.rowLeaf) { try checkStamps(of: entry, start) }
    }

    private func checkStamps(
        of entry: BlockEntry, _ start: UnsafeMutableRawPointer
    ) throws(PageDamage) {
        for index in 0..<entry.storedFrames {
            let page = Page(address: start + index * entry.run.frameBytes)
            guard page.isFree || RowLeaf.hasSoundStamps(page, through: state.lastTransaction)
            else {
                throw entry.damaged(
                    "a row of page \(index) has an ordinal or a transaction that none can have")
            }
        }
    }

    /// - Parameter admits: whether a page may name another one.
    func checkReferences(
        of entry: BlockEntry, _ start: UnsafeMutableRawPointer,
        _ admits: (PageNumber, PageAnatomy.Expectation) -> Bool
    ) throws(PageDamage) {
        guard PageAnatomy.canName(entry.run.kind) else { return }
        for index in 0..<entry.storedFrames {
            let page = Page(address: start + index * entry.run.frameBytes)
            if page.isFree { continue }
            var isSound = true
            PageAnatomy.forEachReference(of: page) { number, expectation in
                isSound = isSound && admits(number, expectation)
            }
            guard isSound else { throw entry.damaged("page \(index) names what it cannot") }
        }
    }
}

extension Page {
    /// Makes a free frame of one that holds no page: it reads as an empty page.
    fileprivate func setEmpty(_ run: PageRun) {
        setKind(run.kind, byteCount: run.frameBytes)
        count = 0
        clear()
        setFree(next: .none)
    }
}
