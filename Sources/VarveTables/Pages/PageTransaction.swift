/// The open transaction of a ``PageStore``: the only way to change pages.
package final class PageTransaction {
    let store: PageStore
    package let pages: PageTable
    let version: PageVersion
    /// Keeps the version alive that a rollback leads back to.
    private var base: PageSnapshot?
    @exclusivity(unchecked) private var born: [PageNumber] = []
    @exclusivity(unchecked) private var replaced: [PageNumber] = []
    private var isOpen = true

    /// Begins to change the newest version of a store, which `base` is a snapshot of; nil where none
    /// was published yet.
    package init(_ store: PageStore, base: PageSnapshot?) {
        precondition(
            (base?.version ?? PageVersion(0)) == store.newest && (base?.store ?? store) === store,
            "A transaction begins with the newest version")
        self.store = store
        self.base = base
        pages = store.pages
        version = store.begin()
    }

    deinit { if isOpen { rollBack() } }

    package func publish() -> PageSnapshot {
        precondition(isOpen, "A transaction ends once")
        isOpen = false
        base = nil
        return store.publish(replaced: replaced)
    }

    package func rollBack() {
        precondition(isOpen, "A transaction ends once")
        isOpen = false
        base = nil
        store.rollBack(born: born)
    }

    /// A new page, of undefined content but for its header. Its frame may be larger than `byteCount`.
    @inline(__always)
    func allocate(_ kind: PageKind, _ byteCount: Int) -> (PageNumber, Page) {
        let (number, page) = store.allocate(kind, byteCount, in: version)
        born.append(number)
        return (number, page)
    }

    /// Whether a page may be changed in place.
    @inline(__always)
    func owns(_ page: Page) -> Bool { page.birth == version }

    /// Drops a page: at once where the transaction made it, else with the versions that reach it.
    @inline(__always)
    func release(_ number: PageNumber) {
        // A page of zeros, in the place of one that cannot be read, names none.
        if number == .none { return }
        // A page of the image that is not in memory is not the transaction's own: it is not read for that.
        if pages.isUnread(number) { return replaced.append(number) }
        if owns(pages[number]) { store.free(number) } else { replaced.append(number) }
    }

    /// The page with a number as one that may be changed: the page itself, or a copy, whose number
    /// `number` then is. The copy's frame is as large.
    @inline(__always)
    func mutable(_ number: inout PageNumber) -> Page {
        let page = pages[number]
        return owns(page) ? page : copy(page, &number)
    }

    @inline(never)
    private func copy(_ page: Page, _ number: inout PageNumber) -> Page {
        if page.isPlaceholder { return replaceUnread(&number) }
        replaced.append(number)
        let copy: Page
        (number, copy) = self.copy(page)
        return copy
    }

    /// A new page with the content of another one, which may be of another store. Its frame is as large.
    func copy(_ page: Page) -> (PageNumber, Page) {
        let (number, copy) = allocate(page.kind, page.byteCount)
        copy.count = page.count
        copy.write(
            page.bytes(Page.headerBytes, page.byteCount - Page.headerBytes), at: Page.headerBytes)
        return (number, copy)
    }

    /// An empty page in the place of one that cannot be read. Reading it was noted, so what the transaction
    /// makes is not used: the page only has to take what is written.
    private func replaceUnread(_ number: inout PageNumber) -> Page {
        let span = pages.span(of: number)
        let isThere = span.frameBytes > Page.headerBytes
        let (copyNumber, copy) = allocate(
            isThere ? span.kind : PageKind(.largeContent),
            isThere ? span.frameBytes : Page.emptyByteCount)
        copy.clear()
        number = copyNumber
        return copy
    }
}
