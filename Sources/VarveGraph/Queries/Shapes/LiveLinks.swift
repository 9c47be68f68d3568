/// Reads which linked entities exist, for one parent after another, where a table is scanned: leaves that it decodes are
/// not cached.
final class LiveLinks {
    private let links: LinkReader
    private let isWhole: Bool
    private var rows: RowCursor
    private var slots: ContiguousArray<UInt32> = []

    private init(_ links: LinkReader) {
        self.links = links
        rows = RowCursor(links.child)
        isWhole = links.child.liveCount == links.child.slotCount
    }

    /// Nil where neither table is scanned: then the tables are read directly.
    static func make(relation: Int, table position: Int, in context: Context) -> LiveLinks? {
        let tables = context.tables.tables.unfilled
        let child = tables[position].relations[relation].childTable
        guard !tables[position].isFilled || !tables[child].isFilled else { return nil }
        let links = LinkReader(relation: relation, table: position, in: context)
        let isScanned = links.child.isScanned || context.tables.tables[rows: position].isScanned
        return isScanned ? LiveLinks(links) : nil
    }

    /// The children that have rows, in order; see ``Context/liveChildren(of:relation:table:)``.
    func children(of parent: UInt32) -> ContiguousArray<UInt32> {
        links.read(parent, into: &slots)
        if !isWhole { slots.removeAll { !rows.hasRow(at: $0) } }
        return slots
    }
}
