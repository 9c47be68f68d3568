/// A page with the id and the row of one slot, where both together are large.
///
///     16   total    UInt64   bytes of id and row
///     24   the id's bytes, then the row's
///
/// The count of the page is that of the id's bytes.
struct LargeContent: BitwiseCopyable {
    static let body = Page.headerBytes + 8

    private let page: Page

    init(_ page: Page) { self.page = page }

    var id: UnsafeRawBufferPointer { page.bytes(Self.body, page.count) }

    var row: UnsafeRawBufferPointer {
        let total = Int(page.load(Page.headerBytes, as: UInt64.self))
        return page.bytes(Self.body + page.count, total - page.count)
    }

    /// Whether the counts of a page that was read fit it.
    static func isSound(_ page: Page) -> Bool {
        let total = page.load(Page.headerBytes, as: UInt64.self)
        return total <= UInt64(page.byteCount - body) && UInt64(page.count) <= total
    }

    static func clearUnused(_ page: Page) {
        page.clear(from: body + Int(page.load(Page.headerBytes, as: UInt64.self)))
    }

    /// A new page with this content.
    static func make(
        id: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer, in transaction: PageTransaction
    ) -> PageNumber {
        let (number, page) = transaction.allocate(
            PageKind(.largeContent), body + id.count + row.count)
        page.count = id.count
        page.store(UInt64(id.count + row.count), at: Page.headerBytes)
        page.write(id, at: body)
        page.write(row, at: body + id.count)
        return number
    }
}
