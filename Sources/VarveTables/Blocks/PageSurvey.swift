/// Finds the pages that a version reaches and an older one does not.
///
/// A page is as old as its newest child at least: what is below an old page is old.
struct PageSurvey {
    private let pages: PageTable
    private let base: PageVersion
    /// The frames of the pages, by the first number of their run.
    private(set) var runs: [PageNumber: Found] = [:]

    struct Found {
        let run: PageRun
        var frames: [Int] = []
    }

    init(_ pages: PageTable, since base: PageVersion) {
        self.pages = pages
        self.base = base
    }

    /// Takes in a page and all below it. Recursion is as deep as a tree.
    mutating func visit(_ number: PageNumber) {
        // A page that was not read is one of an image: it is as old as that.
        if base > .none, pages.isUnread(number) { return }
        let page = pages[number]
        guard page.birth > base else { return }
        add(number)
        PageAnatomy.forEachReference(of: page) { number, _ in visit(number) }
    }

    private mutating func add(_ number: PageNumber) {
        let span = pages.span(of: number)
        guard let run = PageRun(of: number, span), let index = span.frameIndex(of: number) else {
            return pages.noteContradiction()
        }
        runs[run.first, default: Found(run: run)].frames.append(index)
    }
}
