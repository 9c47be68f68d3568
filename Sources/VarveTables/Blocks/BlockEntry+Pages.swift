extension BlockEntry {
    /// Throws unless each frame holds a page that fits it, or none.
    ///
    /// - Parameter empty: called with each frame that holds none.
    func checkPages(
        _ start: UnsafeMutableRawPointer, through version: PageVersion, empty: (Page) -> Void
    ) throws(PageDamage) {
        var liveCount = 0
        for index in 0..<run.frameCount {
            let page = Page(address: start + index * run.frameBytes)
            if page.birth == .none {
                empty(page)
                continue
            }
            guard page.birth <= version, PageAnatomy.isSound(page) else {
                throw damaged("page \(index) contradicts itself")
            }
            liveCount += 1
        }
        guard liveCount == liveFrames else {
            throw damaged("\(liveCount) pages of \(liveFrames)")
        }
    }

    /// Makes the pages of the block in its frames, which are zeros.
    func readFrames(
        from source: any BlockSource, into start: UnsafeMutableRawPointer
    ) throws(PageDamage) {
        let stored = try read(from: source)
        defer { stored.deallocate() }
        try expand(UnsafeRawBufferPointer(stored), into: start)
    }
}
