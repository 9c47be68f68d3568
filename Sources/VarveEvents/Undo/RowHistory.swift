/// Walks the versions of one entity, newest first, along the chain that its events name.
package struct RowHistory {
    /// What happened to an entity.
    package enum Change: Sendable {
        case inserted
        case updated
        case deleted
        /// By a delete rule of another: its type and id.
        case deletedWith(type: String, id: String)
        /// By a unique constraint: the type and id of what took the value.
        case replaced(byType: String, id: String)
        case purged
    }

    package struct Version {
        package let header: TransactionHeader
        package let change: Change
        package let changedFields: [String]
        /// In the layout of the definition that was asked for; nil where nothing is left.
        package let row: [UInt8]?
    }

    /// Lets a body look at one transaction.
    package typealias Reading = (
        _ transaction: TransactionID, _ body: (TransactionView) throws -> Void
    ) throws -> Void

    private let catalog: Catalog
    private let floor: TransactionID
    private let reading: Reading
    private let definition: TypeDefinition
    private let id: [UInt8]
    private let layouts = LayoutCache()
    package private(set) var versions: [Version] = []
    /// The transaction that made the newest of the versions that are no longer kept; nil where all are there.
    package private(set) var dropped: TransactionID?
    /// The transaction that is looked at, or was when an error was thrown.
    package private(set) var transaction = TransactionID(0)

    /// - Parameter floor: the oldest transaction that can be read.
    package init(
        of definition: TypeDefinition, id: [UInt8], catalog: Catalog, floor: TransactionID,
        reading: @escaping Reading
    ) {
        self.catalog = catalog
        self.floor = floor
        self.reading = reading
        self.definition = definition
        self.id = id
    }

    /// Where a walk is: the transaction that made the version, and the version's row.
    private struct Step {
        var transaction: TransactionID
        var row: [UInt8]?
    }

    /// - Parameters:
    ///   - newest: the transaction that last touched the entity.
    ///   - row: the entity's row, or its tombstone's.
    package mutating func walk(from newest: TransactionID, row: [UInt8]?) throws {
        var next: Step? = Step(transaction: newest, row: row)
        while let step = next, step.transaction.rawValue > 0 {
            guard step.transaction >= floor else {
                dropped = step.transaction
                return
            }
            next = nil
            transaction = step.transaction
            try reading(step.transaction) { view in next = try read(view, step) }
        }
    }

    /// Notes what a transaction made of the entity. Returns the version before.
    private mutating func read(_ view: TransactionView, _ step: Step) throws -> Step? {
        let entity = view.entities.indices.first { index in
            view.entities[index].type == definition.number
                && view.entities[index].id.elementsEqual(id)
        }
        guard let entity else {
            throw ReversalError.inconsistent("\(view.id) does not mention what it changed")
        }
        let index = EntityIndex(UInt32(truncatingIfNeeded: entity))
        let layout = try VersionLayout(definition, catalog, after: view.id, layouts)
        var found: [TransactionEvent] = []
        var former: FormerEvent?
        var events = view.events
        while let event = try events.next() {
            if case .former(let event) = event, event.entity == index { former = event }
            if event.changesRow(of: index) { found.append(event) }
        }
        var step = step
        var previous: PreviousVersion?
        for event in found.reversed() {
            let version = try self.version(of: event, view, layout, step.row)
            versions.append(version.version)
            previous = version.previous ?? former?.previous
            step.row =
                try version.row
                ?? former?.tombstone.map { try converted($0.row, layout) }
        }
        // An update and a deletion of one transaction are two versions of it.
        guard let previous, previous.transaction < view.id else { return nil }
        return Step(transaction: previous.transaction, row: step.row)
    }

    private func version(
        of event: TransactionEvent, _ view: TransactionView, _ layout: VersionLayout,
        _ row: [UInt8]?
    ) throws -> (version: Version, previous: PreviousVersion?, row: [UInt8]?) {
        func version(_ change: Change, _ fields: [String]) -> Version {
            Version(header: view.header, change: change, changedFields: fields, row: row)
        }
        switch event {
        case .insert(let event):
            return (version(.inserted, definition.fields.map(\.name)), event.previous, nil)
        case .update(let event):
            let names = event.changes.compactMap { layout.name(ofSource: $0.position) }
            let before = try row.map { try restored(event.changes, in: $0, layout) }
            return (version(.updated, names), event.previous, before)
        case .delete(let event):
            let change: Change =
                switch event.cause {
                case .direct: .deleted
                case .cascade(let other):
                    .deletedWith(type: name(other, view).type, id: name(other, view).id)
                case .upsert(let other):
                    .replaced(byType: name(other, view).type, id: name(other, view).id)
                }
            let before = event.isRowless ? nil : try converted(event.row, layout)
            return (version(change, []), event.previous, before)
        default: return (version(.purged, []), nil, nil)
        }
    }

    private func converted(
        _ row: UnsafeRawBufferPointer, _ layout: VersionLayout
    ) throws(ReversalError) -> [UInt8] {
        do throws(CodecError) {
            return try layout.convert(row)
        } catch {
            throw .unreadable(type: definition.name, id: idText, error)
        }
    }

    private func restored(
        _ changes: FieldChangeSequence, in row: [UInt8], _ layout: VersionLayout
    ) throws(ReversalError) -> [UInt8] {
        do throws(CodecError) {
            if let row = try layout.restore(changes, in: row) { return row }
        } catch {
            throw .unreadable(type: definition.name, id: idText, error)
        }
        throw .inconsistent("\(definition.name) \(idText) is not as the transaction left it")
    }

    private var idText: String {
        id.withUnsafeBytes { definition.idType.text(of: $0) }
    }

    private func name(
        _ entity: EntityIndex, _ view: TransactionView
    ) -> (type: String, id: String) {
        let entity = view.entities[Int(entity.rawValue)]
        guard let definition = catalog.definition(of: entity.type) else { return ("", "") }
        return (definition.name, definition.idType.text(of: entity.id))
    }
}

extension TransactionEvent {
    /// Whether it makes another version of the entity.
    func changesRow(of entity: EntityIndex) -> Bool {
        switch self {
        case .insert(let event): event.entity == entity
        case .update(let event): event.entity == entity
        case .delete(let event): event.entity == entity
        case .purge(let event): event.entities.contains(entity)
        case .depart(let event): event.entity == entity
        case .define, .link, .former, .withdraw, .saveOrder, .unknown: false
        }
    }
}
