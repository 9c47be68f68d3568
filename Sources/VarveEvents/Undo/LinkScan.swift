/// Collects what transactions, taken in their order, have put into lists that was not in them before.
/// What was there, went, and came back, as an undo brings it, was there before.
///
/// An undo or a redo takes the step on top of its scope's stack: what that scope has written behind
/// it was undone, so those transactions cancel each other and are passed over. What they name would not
/// tell what was there before, once links were broken off and mended in several ways.
struct LinkScan {
    /// One relation of one entity.
    struct List: Hashable {
        let holder: EncodedEntity
        let relation: RelationNumber
    }

    fileprivate struct Content {
        /// The encoded ids of what was put in.
        var targets: Set<[UInt8]> = []
        /// What the transactions name: the first time tells whether it was there.
        var known: Set<[UInt8]> = []
    }

    /// The undo or redo that asks; nil for what reverts any transaction.
    private let mover: TransactionHeader?
    private var contents: [List: Content] = [:]
    private var holders: [UInt64: [EncodedEntity]] = [:]

    /// - Parameter running: the header of the transaction that takes something back.
    init(of lists: Set<List>, running: TransactionHeader?) {
        mover = running.flatMap { $0.isMove ? $0 : nil }
        for list in lists { contents[list] = Content() }
        for holder in Set(lists.map(\.holder)) {
            let hash = holder.id.withUnsafeBytes { KeyedHash.hash($0) }
            holders[hash, default: []].append(holder)
        }
    }

    /// The encoded ids of what was put into each list.
    var targets: [List: Set<[UInt8]>] { contents.mapValues(\.targets) }

    mutating func take(_ view: TransactionView) throws(EventError) {
        if let mover, view.header.scope == mover.scope, view.header.isOnStack { return }
        if view.header.isCompletion { return }
        var named: [EntityIndex: EncodedEntity] = [:]
        for (index, entity) in view.entities.enumerated() {
            guard let holder = holder(entity) else { continue }
            named[EntityIndex(UInt32(truncatingIfNeeded: index))] = holder
        }
        guard !named.isEmpty else { return }
        var events = view.events
        while let event = try events.next() {
            guard case .link(let link) = event, let holder = named[link.parent] else { continue }
            contents[List(holder: holder, relation: link.relation)]?.take(link, view)
        }
    }

    private func holder(_ entity: TransactionView.Entity) -> EncodedEntity? {
        holders[KeyedHash.hash(entity.id)]?.first { $0.isNamed(entity) }
    }
}

extension LinkScan.Content {
    fileprivate mutating func take(_ link: LinkEvent, _ view: TransactionView) {
        for removal in link.removals {
            known.insert([UInt8](view.entities[Int(removal.entity.rawValue)].id))
        }
        for insertion in link.insertions {
            let target = [UInt8](view.entities[Int(insertion.entity.rawValue)].id)
            if known.insert(target).inserted { targets.insert(target) }
        }
    }
}

extension TransactionHeader {
    /// Whether this moves along its scope's stacks, rather than being a step itself.
    var isMove: Bool {
        switch kind {
        case .undo: !isUndoable
        case .redo: true
        case .write, .schema, .purge: false
        }
    }

    /// Whether this only says of links that were there already what their other side lists: it writes nothing of its
    /// own, so no undo is in conflict with it.
    var isCompletion: Bool { !metadata.isEmpty && metadata[Timeline.Key.completion] != nil }

    /// Whether this is a step or moves along the steps; see ``Timeline/note(_:)``.
    var isOnStack: Bool { isMove || isUndoable }
}
