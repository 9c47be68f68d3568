import VarveEvents

/// Applies one transaction, event by event, and makes to fit what does not.
///
/// As long as everything fits nothing is written. The first event that does not starts a copy of the
/// transaction with the same entities, so that events that fit are copied as they are.
final class EventFitting {
    let view: TransactionView
    let state: StateTransaction
    var encoder = TransactionEncoder()
    private let bytes: UnsafeRawBufferPointer
    private let definitionProblem: CatalogError?
    private var isCopying = false
    private var changes: [String] = []
    private var count = 0
    private static let changesMax = 20

    init(_ view: TransactionView, _ bytes: UnsafeRawBufferPointer, _ state: StateTransaction) {
        self.view = view
        self.bytes = bytes
        self.state = state
        definitionProblem = state.catalog.problem(view.definitions, in: view.id)
    }

    /// The state is that behind the transaction afterwards. Events were checked to be readable.
    func run() throws(EventError) {
        let start = view.events.offset
        var events = view.events
        var applied = 0
        var hasDefinitions = false
        while true {
            let offset = events.offset
            guard let event = try events.next() else { break }
            if case .define = event { hasDefinitions = true }
            do throws(ReplayError) {
                try check(event)
                try state.apply(event, of: view)
                if isCopying { encoder.copy(slice(offset, events.offset), count: 1) }
                applied += 1
            } catch {
                if !isCopying { beginCopy(slice(start, offset), count: applied) }
                note(error, isLeftOut: !fit(event))
            }
        }
        if hasDefinitions { noteNumbers() }
        if isCopying { try alignSides() }
    }

    /// Counts ids that no event names, of types that the transaction defines.
    private func noteNumbers() {
        for index in view.entities.indices {
            do throws(ReplayError) {
                try state.noteNumber(ofEntity: index, of: view)
            } catch {
                // The id cannot be one, so there is no number of it. What names it was left out.
                continue
            }
        }
    }

    var outcome: SalvageReplay.Outcome {
        guard isCopying else { return .whole }
        var writer = ByteWriter(capacity: 1_024)
        encoder.finish(view.header, into: &writer)
        return .adjusted(writer.copyBytes(), changes: changes, count: count)
    }

    private func slice(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    private func beginCopy(_ events: UnsafeRawBufferPointer, count: Int) {
        isCopying = true
        encoder.begin(id: view.id, time: view.header.time)
        for entity in view.entities { encoder.append(entity) }
        encoder.copy(events, count: count)
    }

    private func note(_ error: ReplayError, isLeftOut: Bool) {
        count += 1
        guard changes.count < Self.changesMax else { return }
        let text =
            switch error {
            case .entity(_, let type, let id, let fault): "\(type) \(id): \(fault)"
            case .unknownType(_, let type): "type \(type) is not defined"
            case .event(_, let error): "\(error)"
            case .definition(_, let error): "\(error)"
            case .outOfOrder: "\(error)"
            }
        changes.append(text + (isLeftOut ? "; left out" : "; made to fit"))
    }

    /// What `StateTransaction.apply` does not look at: the transaction's definitions as a whole.
    private func check(_ event: TransactionEvent) throws(ReplayError) {
        guard case .define = event, let definitionProblem else { return }
        throw .definition(view.id, definitionProblem)
    }

    private func hasTombstone(_ entity: EntityIndex) throws(ReplayError) -> Bool {
        let (type, slot) = try place(of: entity)
        return state.entry(type, slot).presence == .tombstone
    }

    /// The position of the entity's table, and its slot.
    func place(of entity: EntityIndex) throws(ReplayError) -> (Int, Slot) {
        let type = try state.table(of: view.entities[Int(entity.rawValue)], in: view.id)
        return (type, try state.slot(entity, in: type, of: view))
    }

    /// What carries the transaction that is applied.
    var version: PreviousVersion { StateTransaction.version(of: view) }

    /// Takes of an event what can be taken; false where that is nothing.
    private func fit(_ event: TransactionEvent) -> Bool {
        // What cannot be made to fit either is left out.
        do {
            switch event {
            case .define, .unknown, .former, .withdraw, .depart: return false
            case .insert(let event): return try fit(event)
            case .update(let event): return try fit(event)
            case .delete(let event): return try fit(event)
            case .link(let event): return try fit(event)
            case .purge(let event): return try fit(event)
            case .saveOrder(let event): return fit(event)
            }
        } catch {
            return false
        }
    }

    private func fit(_ event: PurgeEvent) throws -> Bool {
        var purged: [EntityIndex] = []
        for entity in event.entities where try hasTombstone(entity) {
            let (type, slot) = try place(of: entity)
            try state.clearRow(of: type, slot, at: version)
            purged.append(entity)
        }
        if !purged.isEmpty { encoder.purge(purged) }
        return !purged.isEmpty
    }
}

extension Catalog {
    /// Why these definitions cannot be taken together, if they cannot.
    fileprivate func problem(
        _ definitions: [TypeDefinition], in id: TransactionID
    ) -> CatalogError? {
        guard !definitions.isEmpty else { return nil }
        var catalog = self
        do throws(CatalogError) {
            for definition in definitions { _ = try catalog.define(definition, in: id) }
            try catalog.checkReferences()
            return nil
        } catch {
            return error
        }
    }
}
