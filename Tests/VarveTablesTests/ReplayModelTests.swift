import Testing
import VarveEvents
import VarveTables
import VarveTestSupport

@Suite("Replay against a model")
struct ReplayModelTests {
    @Test("Every transaction of random workloads can be described", arguments: 61...70)
    func descriptions(seed: Int) throws {
        var model = ReplayModel(seed: UInt64(seed))
        var state = State()
        var transactions: [[UInt8]] = []
        for _ in 0..<60 {
            transactions.append(try model.transaction())
            state = try state.applying(transactions[transactions.count - 1])
        }
        for transaction in transactions {
            try transaction.withUnsafeBytes { bytes in
                let view = try TransactionView(bytes)
                let description = try TransactionDescription(view, catalog: state.catalog)
                #expect(description.events.count == view.eventCount, "seed \(seed)")
            }
        }
    }

    @Test("Updates and links with both sides swapped lead back", arguments: 71...90)
    func inverses(seed: Int) throws {
        var model = ReplayModel(seed: UInt64(seed))
        var state = State()
        for _ in 0..<40 { state = try state.applying(try model.transaction()) }
        model.isGentle = true
        let before = try rowsAndLinks(state)
        var transactions: [[UInt8]] = []
        for _ in 0..<5 {
            transactions.append(try model.transaction())
            state = try state.applying(transactions[transactions.count - 1])
        }
        for bytes in transactions.reversed() {
            state = try state.applying(inverse(of: bytes, as: state.nextTransaction, state))
        }
        #expect(try rowsAndLinks(state) == before, "seed \(seed)")
    }

    private func rowsAndLinks(_ state: State) throws -> [String] {
        var texts: [String] = []
        for type in state.catalog.definitions {
            guard var reader = state.reader(of: type.number),
                var cursor = state.entries(of: type.number)
            else { continue }
            while let entry = cursor.nextEntry() {
                let id = Hex.text([UInt8](entry.id))
                let row = try reader.read(entry.slot) {
                    "\($0.isDeleted) \(Hex.text([UInt8]($0.row)))"
                }
                let links = type.relations.indices.map {
                    "\(state.targets(of: type.number, at: entry.slot, relation: $0))"
                }
                guard row != nil || links.contains(where: { $0 != "[]" }) else { continue }
                texts.append("\(type.name) \(id): \(row ?? "") \(links)")
            }
        }
        return texts.sorted()
    }

    /// The inverse of a transaction of updates and links, made from its own bytes and the rows
    /// that long texts are spliced into.
    private func inverse(
        of bytes: [UInt8], as id: TransactionID, _ state: State
    ) throws -> [UInt8] {
        try bytes.withUnsafeBytes { bytes in
            let view = try TransactionView(bytes)
            var encoder = TransactionEncoder()
            let header = TransactionHeader(id: id, time: view.header.time, kind: .undo(of: view.id))
            encoder.begin(id: id, time: header.time)
            let entities = view.entities.map { encoder.entity($0.type, $0.id) }
            var events: [TransactionEvent] = []
            var iterator = view.events
            while let event = try iterator.next() { events.append(event) }
            for event in events.reversed() {
                switch event {
                case .link(let event):
                    encoder.link(
                        entities[Int(event.parent.rawValue)], relation: event.relation,
                        oldCount: event.newCount, removals: Array(event.insertions),
                        insertions: Array(event.removals))
                case .update(let event):
                    let entity = view.entities[Int(event.entity.rawValue)]
                    let (version, fields, values) = try current(entity, state)
                    var changes = FieldChanges()
                    for (position, change) in event.changes {
                        let old = Self.oldValue(of: change, new: values[position])
                        try changes.append(
                            position,
                            old: { writer throws(CodecError) in writer.write(values[position]) },
                            new: { writer throws(CodecError) in writer.write(old) })
                    }
                    encoder.update(
                        entities[Int(event.entity.rawValue)], previous: version, changes: changes,
                        fields: fields)
                default: Issue.record("Only updates and links were made")
                }
            }
            var writer = ByteWriter()
            encoder.finish(header, into: &writer)
            return writer.copyBytes()
        }
    }

    private static func oldValue(of change: FieldChangeSequence.Change, new: [UInt8]) -> [UInt8] {
        switch change {
        case .values(let old, let logged):
            #expect([UInt8](logged) == new)
            return [UInt8](old)
        case .splice(let splice):
            var writer = ByteWriter()
            let isInverted = withBytes(new) { splice.apply(.toOld, to: $0, into: &writer) }
            #expect(isInverted)
            return writer.copyBytes()
        }
    }

    /// The version of an entity, its type's fields and their values.
    private func current(
        _ entity: TransactionView.Entity, _ state: State
    ) throws -> (PreviousVersion, [FieldDefinition], [[UInt8]]) {
        let definition = try #require(state.catalog.definition(of: entity.type))
        let slot = try #require(state.slot(of: entity.type, id: entity.id))
        var values: [[UInt8]] = []
        var version = PreviousVersion(transaction: 0, updatedAt: Timestamp(microseconds: 0))
        if var reader = state.reader(of: entity.type) {
            _ = try reader.read(slot) { entity throws(CodecError) in
                version = PreviousVersion(
                    transaction: entity.transaction, updatedAt: entity.updatedAt)
                try RowLayout(definition).forEachField(of: entity.row) {
                    values.append([UInt8]($1))
                }
            }
        }
        return (version, definition.fields, values)
    }
}
