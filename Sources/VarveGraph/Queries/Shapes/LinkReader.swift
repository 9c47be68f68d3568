/// Reads the links of one relation, of one parent after another.
@usableFromInline
final class LinkReader {
    private let column: LinkColumn
    /// The table that the relation leads to.
    @usableFromInline let child: AnyTable

    @usableFromInline
    init(relation: Int, table position: Int, in context: Context) {
        let table = context.tables.tables[rows: position]
        column = table.linksForOneReader(relation: relation)
        child = context.tables.tables[rows: table.relations[relation].childTable]
    }

    /// Puts the linked slots in `slots`, live or not, in link order.
    @usableFromInline
    func read(_ parent: UInt32, into slots: inout ContiguousArray<UInt32>) {
        slots.removeAll(keepingCapacity: true)
        switch column[parent] {
        case .empty: break
        case .one(let slot): slots.append(slot)
        case .many(let node): node.forEachLeaf { slots.append(contentsOf: $0.slots) }
        }
    }

    /// Asks for the links of a parent, which are read soon.
    @usableFromInline
    func ask(for parent: UInt32) { column.ask(for: parent) }

    /// The links of a parent.
    func list(of parent: UInt32) -> SlotList { column[parent] }

    /// The first linked slot, live or not.
    @usableFromInline
    func first(of parent: UInt32) -> UInt32? { column[parent].first }

    /// Whether the entity of a slot without a row was deleted, rather than still to come.
    @usableFromInline
    func isDeleted(_ slot: UInt32) -> Bool { child.isGone(Slot(slot)) }
}
