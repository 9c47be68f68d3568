internal import VarveEvents
internal import VarveGraph

/// Compares entities in two states, of which one came from the other.
struct StateComparison {
    /// An entity by the position of its table in `named`, and its encoded id.
    struct Subject: Hashable {
        let table: Int
        let id: [UInt8]
    }

    let before: StoreState
    let after: StoreState
    /// One of the two, or another state of the same types, by whose tables subjects are named.
    let named: StoreState

    /// Those of the entities that differ, by type. Only they are kept: how they differ is found out again when
    /// it is asked for, so that a large comparison takes little memory.
    func changed(_ subjects: [Subject]) throws(CodecError) -> [Subject] {
        var changed: [Subject] = []
        for subject in subjects where try isChanged(subject) { changed.append(subject) }
        return changed.enumerated().sorted {
            ($0.element.table, $0.offset) < ($1.element.table, $1.offset)
        }.map(\.element)
    }

    /// Whether one of the entities differs.
    func isAnyChanged(_ subjects: [Subject]) throws(CodecError) -> Bool {
        for subject in subjects where try isChanged(subject) { return true }
        return false
    }

    func typeName(of subject: Subject) -> String { descriptor(of: subject).name }

    private func descriptor(of subject: Subject) -> EntityDescriptor {
        named.context.tables.tables.unfilled[subject.table].descriptor
    }

    private func definition(of descriptor: EntityDescriptor) -> TypeDefinition? {
        for state in [after, before] {
            guard let position = state.context.tables.position(of: descriptor),
                let definition = state.schema.definition(atTable: position)
            else { continue }
            return definition
        }
        return nil
    }

    private func isChanged(_ subject: Subject) throws(CodecError) -> Bool {
        let descriptor = descriptor(of: subject)
        guard descriptor.tombstoneOwner == nil, definition(of: descriptor) != nil else {
            return false
        }
        let old = try side(before, subject, descriptor)
        let new = try side(after, subject, descriptor)
        let isLive = new?.isLive == true
        guard (old?.isLive == true) == isLive else { return true }
        guard isLive else { return false }
        if try encodedRow(old) != encodedRow(new) { return true }
        for relation in descriptor.relations.indices
        where try links(old, new, relation, descriptor) != nil { return true }
        return false
    }

    /// The encoded row of a live entity.
    private func encodedRow(_ side: Side?) throws(CodecError) -> [UInt8]? {
        guard let side, let slot = side.slot, side.isLive else { return nil }
        if let withheld = side.withheld {
            return try knownPart(of: withheld, side.table.descriptor)
        }
        var row = ByteWriter()
        try side.table.storeRow(at: slot, into: &row)
        return row.copyBytes()
    }

    /// The bytes of the fields that the app knows, of a row that its type cannot read.
    private func knownPart(
        of row: WithheldRows.Row, _ descriptor: EntityDescriptor
    ) throws(CodecError) -> [UInt8] {
        guard let definition = definition(of: descriptor) else { return row.bytes }
        return try row.bytes.withReader { reader throws(CodecError) in
            let start = reader.position
            for field in definition.fields.prefix(descriptor.fields.count) {
                try field.type.skip(&reader)
            }
            return [UInt8](reader.slice(from: start, to: reader.position))
        }
    }

    /// One side of a comparison.
    private struct Side {
        let table: AnyTable
        let slot: Slot?
        /// The row, where the app's type cannot read it.
        let withheld: WithheldRows.Row?
        var isLive: Bool {
            withheld?.presence == .live || (slot.map { table.isLive($0) } ?? false)
        }
    }

    private func side(
        _ state: StoreState, _ subject: Subject, _ descriptor: EntityDescriptor
    ) throws(CodecError) -> Side? {
        guard let position = state.context.tables.position(of: descriptor) else { return nil }
        let table = state.context.tables.tables[rows: position]
        let slot = try subject.id.withReader { reader throws(CodecError) in
            try descriptor.operations.find(table, reader.rest)
        }
        let withheld = slot.flatMap { state.schema.withheldRows[position]?[$0.rawValue] }
        return Side(table: table, slot: slot, withheld: withheld)
    }

    /// How an entity differs; nil where it does not.
    func change(of subject: Subject) throws(CodecError) -> EntityChange? {
        let descriptor = descriptor(of: subject)
        guard descriptor.tombstoneOwner == nil, let definition = definition(of: descriptor)
        else { return nil }
        let old = try side(before, subject, descriptor)
        let new = try side(after, subject, descriptor)
        let wasLive = old?.isLive == true
        let isLive = new?.isLive == true
        guard wasLive || isLive else { return nil }
        let fields = try self.fields(old, new, definition)
        var links: [EntityChange.Links] = []
        for relation in descriptor.relations.indices {
            if let changed = try self.links(old, new, relation, descriptor) {
                links.append(changed)
            }
        }
        guard wasLive != isLive || !fields.isEmpty || !links.isEmpty else { return nil }
        return EntityChange(
            type: descriptor.name,
            id: new.flatMap { side in side.slot.map { side.table.idText(of: $0) } }
                ?? old.flatMap { side in side.slot.map { side.table.idText(of: $0) } } ?? "",
            kind: wasLive ? (isLive ? .updated : .deleted) : .inserted, fields: fields,
            links: links, encodedID: subject.id)
    }

    private func fields(
        _ old: Side?, _ new: Side?, _ definition: TypeDefinition
    ) throws(CodecError) -> [EntityChange.Field] {
        let before = try values(old, definition)
        let after = try values(new, definition)
        return (before ?? after ?? []).indices.compactMap { index in
            let (old, new) = (before?[index], after?[index])
            guard before == nil || after == nil || old != new else { return nil }
            return EntityChange.Field(
                name: definition.fields[index].name, before: old?.text, after: new?.text)
        }
    }

    private struct Value: Equatable {
        let bytes: [UInt8]
        let text: String
        static func == (first: Value, second: Value) -> Bool { first.bytes == second.bytes }
    }

    /// The fields of a live row that the app knows.
    private func values(
        _ side: Side?, _ definition: TypeDefinition
    ) throws(CodecError) -> [Value]? {
        guard let side, let row = try encodedRow(side) else { return nil }
        let count = side.table.descriptor.fields.count
        return try row.withReader { reader throws(CodecError) in
            var values: [Value] = []
            for field in definition.fields.prefix(count) {
                let slice = try field.type.readSlice(&reader)
                let value = try StoredValue(field.type, bytes: slice)
                values.append(Value(bytes: [UInt8](slice), text: value.json))
            }
            return values
        }
    }

    private func links(
        _ old: Side?, _ new: Side?, _ relation: Int, _ descriptor: EntityDescriptor
    ) throws(CodecError) -> EntityChange.Links? {
        let before = try targets(old, relation, before)
        let after = try targets(new, relation, after)
        guard before.map(\.id) != after.map(\.id) else { return nil }
        let had = Set(before.map(\.id))
        let has = Set(after.map(\.id))
        let kept = (
            before.filter { has.contains($0.id) }.map(\.id),
            after.filter { had.contains($0.id) }.map(\.id)
        )
        return EntityChange.Links(
            relation: descriptor.relations[relation].name,
            removed: before.filter { !has.contains($0.id) }.map(\.text),
            added: after.filter { !had.contains($0.id) }.map(\.text),
            isReordered: kept.0 != kept.1)
    }

    /// What a relation leads to, live or not.
    private func targets(
        _ side: Side?, _ relation: Int, _ state: StoreState
    ) throws(CodecError) -> [(id: [UInt8], text: String)] {
        guard let side, let slot = side.slot, side.isLive else { return [] }
        let child = state.context.tables.tables[rows: side.table.relations[relation].childTable]
        var targets: [(id: [UInt8], text: String)] = []
        for slot in side.table.linkList(relation: relation, of: slot.rawValue).slots {
            var id = ByteWriter()
            try child.descriptor.operations.storeID(child, Slot(slot), &id)
            targets.append((id.copyBytes(), child.idText(of: Slot(slot))))
        }
        return targets
    }
}

extension ChangedRows {
    /// The entities whose rows or links were touched, by the tables of a context that the change led to.
    func subjects(in context: Context) throws(CodecError) -> [StateComparison.Subject] {
        var subjects: [StateComparison.Subject] = []
        for (position, slots) in tables.sorted(by: { $0.key < $1.key }) {
            let table = context.tables.tables[rows: position]
            var seen: Set<UInt32> = []
            for slot in slots.rows + slots.holders where seen.insert(slot).inserted {
                var id = ByteWriter()
                try table.descriptor.operations.storeID(table, Slot(slot), &id)
                subjects.append(StateComparison.Subject(table: position, id: id.copyBytes()))
            }
        }
        return subjects
    }
}
