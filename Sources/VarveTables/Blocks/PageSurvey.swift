/// Finds the pages that a version reaches and an older one does not.
///
/// A page is as old as its newest child at least: what is below an old page is old.
struct PageSurvey {
    private let pages: PageTable
    private let base: PageVersion
    /// Whether the places of an image's pages are not used for others.
    private let keepsPlaces: Bool
    /// The frames of the pages, by the first number of their run.
    private(set) var runs: [PageNumber: Found] = [:]

    struct Found {
        let run: PageRun
        var frames: [Int] = []
    }

    init(_ state: State, since base: PageVersion) {
        pages = state.pages
        self.base = base
        keepsPlaces = state.store.memory != nil
    }

    /// Takes in a page and all below it. Recursion is as deep as a tree.
    mutating func visit(_ number: PageNumber) {
        if base > .none, isOfImage(number) { return }
        let page = pages[number]
        guard page.birth > base else { return }
        add(number)
        PageAnatomy.forEachReference(of: page) { number, _ in visit(number) }
    }

    /// Whether a page is as old as the image that the store was opened from, without reading its block. Where places are kept all
    /// of its pages are, and the thread that changes the store may drop any of them meanwhile.
    private func isOfImage(_ number: PageNumber) -> Bool {
        keepsPlaces ? pages.isInBlock(number) : pages.isUnread(number)
    }

    private mutating func add(_ number: PageNumber) {
        let span = pages.span(of: number)
        guard let run = PageRun(of: number, span), let index = span.frameIndex(of: number) else {
            return pages.noteContradiction()
        }
        runs[run.first, default: Found(run: run)].frames.append(index)
    }
}
