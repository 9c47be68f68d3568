/// Collects what transactions have put into one list.
package struct LinkScan {
    private let type: TypeNumber
    private let holder: [UInt8]
    private let relation: RelationNumber
    /// The encoded ids of what was put in.
    package private(set) var targets: Set<[UInt8]> = []

    package init(of type: TypeNumber, holder: [UInt8], relation: RelationNumber) {
        self.type = type
        self.holder = holder
        self.relation = relation
    }

    package mutating func take(_ view: TransactionView) throws(EventError) {
        guard view.entities.contains(where: { isHolder($0) }) else { return }
        var events = view.events
        while let event = try events.next() {
            guard case .link(let link) = event, link.relation == relation,
                isHolder(view.entities[Int(link.parent.rawValue)])
            else { continue }
            for insertion in link.insertions {
                targets.insert([UInt8](view.entities[Int(insertion.entity.rawValue)].id))
            }
        }
    }

    private func isHolder(_ entity: TransactionView.Entity) -> Bool {
        entity.type == type && entity.id.elementsEqual(holder)
    }
}
