/// What a page of any kind names, and how it is checked: the one place that knows all structures.
enum PageAnatomy {
    /// The kind that a page must have which another one names.
    struct Expectation {
        let kind: PageKind
        /// A list's leaf does not say how deep the list is.
        let isOfAnyLevel: Bool
        /// Pages of a key tree have one size. 0 of others. Narrow, because many are kept (``PageClaims``).
        private let frameUnits: UInt32

        init(kind: PageKind, isOfAnyLevel: Bool = false, frameBytes: Int? = nil) {
            self.kind = kind
            self.isOfAnyLevel = isOfAnyLevel
            frameUnits = UInt32((frameBytes ?? 0) >> PageNumber.byteBits)
        }

        @inline(__always)
        func admits(_ span: PageSpan) -> Bool {
            let kindFits =
                isOfAnyLevel ? span.kind.structure == kind.structure : span.kind == kind
            return kindFits && (frameUnits == 0 || Int(frameUnits) == span.frameUnits)
        }
    }

    /// Whether what a page says of itself fits it, so that no read goes beyond it. Kind and size of the frame are
    /// those of its run.
    static func isSound(_ page: Page) -> Bool {
        switch page.kind.structure {
        case .rowNode, .linkNode: page.byteCount >= PageArray.nodeBytes && page.kind.level > 0
        case .idNode: page.byteCount >= IDMap.nodeBytes
        case .keyPage: KeyPage.isSound(page)
        case .listPage: ListPage.isSound(page)
        case .rowLeaf: RowLeaf.isSound(page)
        case .linkLeaf: LinkLeaf.isSound(page)
        case .idBucket: IDBucket.isSound(page)
        case .largeContent: LargeContent.isSound(page)
        case nil: false
        }
    }

    /// Whether pages of a kind can name others.
    static func canName(_ kind: PageKind) -> Bool {
        switch kind.structure {
        case .rowNode, .linkNode, .idNode, .rowLeaf, .linkLeaf: true
        case .keyPage, .listPage: kind.level > 0
        case .idBucket, .largeContent, nil: false
        }
    }

    /// Calls `body` with each page that a page names, and the kind that it must have.
    static func forEachReference(
        of page: Page, _ body: (PageNumber, Expectation) -> Void
    ) {
        let kind = page.kind
        switch kind.structure {
        case .rowNode, .linkNode:
            let expectation = Expectation(kind: child(of: kind))
            PageArray.forEachReference(page) { body(page.load($0), expectation) }
        case .idNode:
            IDMap.forEachReference(page) { number, isNode in
                let child = isNode ? kind.at(level: kind.level + 1) : PageKind(.idBucket)
                body(number, Expectation(kind: child))
            }
        case .keyPage where kind.level > 0:
            let expectation = Expectation(
                kind: kind.at(level: kind.level - 1), frameBytes: page.byteCount)
            KeyPage.forEachReference(page) { body(page.load($0), expectation) }
        case .listPage where kind.level > 0:
            let expectation = Expectation(kind: kind.at(level: kind.level - 1))
            ListPage.forEachReference(page) { body(page.load($0), expectation) }
        case .rowLeaf where RowLeaf.hasLargeContent(page):
            let expectation = Expectation(kind: PageKind(.largeContent))
            RowLeaf.forEachReference(page) { body(page.load($0), expectation) }
        case .linkLeaf:
            let expectation = Expectation(kind: PageKind(.listPage), isOfAnyLevel: true)
            LinkLeaf.forEachReference(page) { body(page.load($0), expectation) }
        case .keyPage, .listPage, .rowLeaf, .idBucket, .largeContent, nil: break
        }
    }

    /// Replaces each page that a page names by what `body` returns for it, called once for each.
    static func replaceReferences(of page: Page, _ body: (PageNumber) -> PageNumber) {
        func replace(_ offset: Int) { page.store(body(page.load(offset)), at: offset) }
        switch page.kind.structure {
        case .rowNode, .linkNode: PageArray.forEachReference(page, replace)
        case .idNode: IDMap.replaceReferences(page, body)
        case .keyPage: KeyPage.forEachReference(page, replace)
        case .listPage: ListPage.forEachReference(page, replace)
        case .rowLeaf: RowLeaf.forEachReference(page, replace)
        case .linkLeaf: LinkLeaf.forEachReference(page, replace)
        case .idBucket, .largeContent, nil: break
        }
    }

    private static func child(of node: PageKind) -> PageKind {
        if node.level > 1 { return node.at(level: node.level - 1) }
        return PageKind(node.structure == .rowNode ? .rowLeaf : .linkLeaf)
    }

    /// Fills what the structure does not use of a page's copy with zeros: nothing that was removed, and no memory of
    /// the process, gets into an image.
    static func clearUnused(_ page: Page) {
        switch page.kind.structure {
        case .rowNode, .linkNode: page.clear(from: PageArray.nodeBytes)
        case .idNode: page.clear(from: IDMap.nodeBytes)
        case .keyPage: KeyPage.clearUnused(page)
        case .listPage: ListPage.clearUnused(page)
        case .rowLeaf: RowLeaf.clearUnused(page)
        case .linkLeaf: LinkLeaf.clearUnused(page)
        case .idBucket: IDBucket.clearUnused(page)
        case .largeContent: LargeContent.clearUnused(page)
        case nil: break
        }
    }
}
