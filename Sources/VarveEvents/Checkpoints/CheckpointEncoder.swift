/// Turns a state into the pages of a checkpoint, one after the other. Needs memory for one page, and
/// seventeen bytes for each entity.
///
/// Whoever writes the checkpoint asks for the pages: nothing here knows where they go, and so nothing that
/// is done for each entity depends on how that can fail.
package struct CheckpointEncoder: ~Copyable {
    /// A page is handed over when it holds this much. Pages are read in parallel, so a state of some
    /// size should have several.
    private static var pageBytes: Int { 256 << 10 }

    /// What the next page holds.
    private enum Place {
        case numbering, catalog, types
        /// Entities of a type, from a number on.
        case rows(type: Int, number: Int)
        /// Lists of a relation of a type, from a slot on.
        case links(type: Int, relation: Int, slot: UInt32)
        /// Lists of the tombstones of a type, from one of them on.
        case tombstoneLists(type: Int, position: Int)
        case migrations, timeline, end
    }

    private let source: CheckpointSource
    private var numberings: CheckpointNumbering
    /// Hashes of ids, by type and number.
    private var hashes: [[UInt64]]
    private var digest = CheckpointDigest()
    private var rows = RowPageWriter()
    private var lists = ListPageWriter()
    private var output = ByteWriter(capacity: 300 << 10)
    private var place = Place.numbering

    package init(_ source: CheckpointSource) {
        self.source = source
        numberings = CheckpointNumbering(of: source)
        hashes = source.tables.map { _ in [] }
    }

    /// The digest of the content of all pages so far.
    package var contentDigest: UInt64 { digest.value }

    /// The bytes of the page that ``next()`` told of last.
    package borrowing func withPage<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try output.withBytes(body)
    }

    /// Does a part of what must be known before the first page; false when nothing of it is left. What
    /// is left, ``next()`` does.
    package mutating func prepare() throws(CodecError) -> Bool {
        guard case .numbering = place else { return false }
        if try numberings.advance(source) { return true }
        place = .catalog
        return false
    }

    /// Puts the next page together; nil behind the last.
    package mutating func next() throws(CodecError) -> CheckpointPart? {
        while true {
            output.removeAll()
            let part: CheckpointPart?
            switch place {
            case .numbering:
                while try prepare() {}
                part = nil
            case .catalog: part = try catalog()
            case .types: part = try types()
            case .rows(let type, let number): part = try rows(of: type, from: number)
            case .links(let type, let relation, let slot):
                part = links(of: type, relation, from: slot)
            case .tombstoneLists(let type, let position):
                part = try tombstoneLists(of: type, from: position)
            case .migrations: part = migrations()
            case .timeline: part = timeline()
            case .end: return nil
            }
            if let part { return part }
        }
    }

    // MARK: Definitions and counts

    private mutating func catalog() throws(CodecError) -> CheckpointPart {
        let revisions = source.catalog.revisions
        output.writeCount(revisions.count)
        for revision in revisions {
            var bytes = ByteWriter(capacity: 512)
            try revision.definition.encode(into: &bytes)
            output.writeVarint(revision.since.rawValue)
            bytes.withBytes { output.writeLengthPrefixed($0) }
            bytes.withBytes { digest.add(definition: $0, since: revision.since) }
        }
        place = .types
        return CheckpointPart(.catalog, count: UInt32(truncatingIfNeeded: revisions.count))
    }

    private mutating func types() throws(CodecError) -> CheckpointPart {
        digest.add(lastTransaction: source.lastTransaction, lastTime: source.lastTime)
        output.writeVarint(source.lastTransaction.rawValue)
        output.writeSigned(source.lastTime.microseconds)
        let definitions = source.catalog.definitions
        for index in source.tables.indices {
            let next = source.tables[index]?.nextOrdinal ?? 1
            output.writeVarint(next)
            output.writeCount(numberings.types[index].count)
            // No part of the digest: numbers that came to nothing are in no log.
            if definitions[index].numbersIDs {
                let last = try source.tables[index]?.lastNumber
                output.writeVarint(last ?? 0)
            }
            digest.add(
                type: Self.type(index), nextOrdinal: next, count: numberings.types[index].count)
        }
        place = .rows(type: 0, number: 0)
        return CheckpointPart(.types, count: UInt32(truncatingIfNeeded: source.tables.count))
    }

    private mutating func migrations() -> CheckpointPart? {
        place = .timeline
        let count = source.timeline.migrations.count
        guard count > 0 else { return nil }
        source.timeline.encodeMigrations(into: &output)
        return CheckpointPart(.migrations, count: UInt32(truncatingIfNeeded: count))
    }

    /// No part of the digest: readers that do not know the page must come to the same.
    private mutating func timeline() -> CheckpointPart? {
        place = .end
        guard !source.timeline.isEmpty else { return nil }
        source.timeline.encode(into: &output)
        return CheckpointPart(.timeline, count: 1)
    }

    private static func type(_ index: Int) -> TypeNumber {
        TypeNumber(UInt32(truncatingIfNeeded: index + 1))
    }

    // MARK: Rows

    private mutating func rows(
        of index: Int, from first: Int
    ) throws(CodecError) -> CheckpointPart? {
        guard index < source.tables.count else {
            place = .links(type: 0, relation: 0, slot: 0)
            return nil
        }
        var number = first
        if let table = source.tables[index] {
            let numbering = numberings.types[index]
            if first == 0 { hashes[index].reserveCapacity(numbering.count) }
            while number < numbering.count, rows.byteCount < Self.pageBytes {
                try addEntity(number, numbering, of: table, at: index)
                number += 1
            }
        }
        let isEnd = number == numberings.types[index].count || source.tables[index] == nil
        place = isEnd ? .rows(type: index + 1, number: 0) : .rows(type: index, number: number)
        guard rows.count > 0 else { return nil }
        let count = UInt32(truncatingIfNeeded: rows.count)
        rows.finish(into: &output)
        return CheckpointPart(
            .rows, type: Self.type(index), first: UInt32(truncatingIfNeeded: first), count: count)
    }

    private mutating func addEntity(
        _ number: Int, _ numbering: EntityNumbering, of table: any CheckpointTable, at index: Int
    ) throws(CodecError) {
        guard number < numbering.slotCount else {
            let id = numbering.extras[number - numbering.slotCount]
            id.withUnsafeBytes { bytes in rows.addVacant { $0.write(bytes) } }
            return noteEntity(index, nil)
        }
        let slot = numbering.slot(at: number)
        let presence = numbering.presences[Int(slot)]
        guard presence != .vacant else {
            try rows.addVacant { writer throws(CodecError) in
                try table.writeID(of: slot, into: &writer)
            }
            return noteEntity(index, nil)
        }
        let stamps = table.stamps(of: slot)
        if presence.hasRow {
            try rows.add(
                presence, stamps,
                id: { writer throws(CodecError) in try table.writeID(of: slot, into: &writer) },
                row: { writer throws(CodecError) in
                    try table.writeRow(of: slot, presence, into: &writer)
                })
        } else {
            try rows.addGone(stamps) { writer throws(CodecError) in
                try table.writeID(of: slot, into: &writer)
            }
        }
        noteEntity(index, (presence, stamps))
    }

    /// Takes the entity that was added last into the digest.
    private mutating func noteEntity(
        _ index: Int, _ state: (presence: EntityPresence, stamps: EntityStamps)?
    ) {
        let hash = rows.withLast { id, row in
            digest.add(
                type: Self.type(index), id: id, row: row, presence: state?.presence ?? .vacant,
                stamps: state?.stamps)
            return CheckpointDigest.hash(ofID: id)
        }
        hashes[index].append(hash)
    }

    // MARK: Links

    private mutating func links(
        of index: Int, _ position: Int, from first: UInt32
    ) -> CheckpointPart? {
        guard index < source.tables.count else {
            place = .tombstoneLists(type: 0, position: 0)
            return nil
        }
        guard let table = source.tables[index], position < table.definition.relations.count else {
            place = .links(type: index + 1, relation: 0, slot: 0)
            return nil
        }
        let relation = table.definition.relations[position]
        let next = addLists(of: table, at: index, position, relation, from: first)
        place =
            next.map { .links(type: index, relation: position, slot: $0) }
            ?? .links(type: index, relation: position + 1, slot: 0)
        return finishLists(
            CheckpointPart(.links, type: Self.type(index), relation: relation.number))
    }

    /// Returns the slot to go on with where the page is full before the last.
    private mutating func addLists(
        of table: any CheckpointTable, at index: Int, _ position: Int,
        _ relation: RelationDefinition, from first: UInt32
    ) -> UInt32? {
        let target = Int(relation.target.rawValue) - 1
        var targets: [UInt32] = []
        var next: UInt32?
        table.forEachList(of: position, from: first) { holder, list in
            guard lists.byteCount < Self.pageBytes else {
                next = holder
                return false
            }
            let number = numberings.types[index].number(of: holder)
            targets.removeAll(keepingCapacity: true)
            for slot in list { targets.append(numberings.types[target].number(of: slot)) }
            lists.add(holder: number, relation: nil, targets: targets)
            noteList(index, number, relation.number, target, targets, keptByTombstone: false)
            return true
        }
        return next
    }

    private mutating func tombstoneLists(
        of index: Int, from first: Int
    ) throws(CodecError) -> CheckpointPart? {
        guard index < source.tables.count else {
            place = .migrations
            return nil
        }
        let tombstones = numberings.types[index].tombstones
        var position = first
        if let table = source.tables[index] {
            while position < tombstones.count, lists.byteCount < Self.pageBytes {
                try addTombstoneLists(of: tombstones[position], table, at: index)
                position += 1
            }
        }
        place =
            position == tombstones.count
            ? .tombstoneLists(type: index + 1, position: 0)
            : .tombstoneLists(type: index, position: position)
        return finishLists(CheckpointPart(.tombstoneLists, type: Self.type(index)))
    }

    private mutating func addTombstoneLists(
        of slot: UInt32, _ table: any CheckpointTable, at index: Int
    ) throws(CodecError) {
        let number = numberings.types[index].number(of: slot)
        for (relation, entities) in try table.tombstoneLists(of: slot) {
            guard let target = table.target(of: relation) else { continue }
            let targets = entities.map { numberings.types[target].number(of: $0) }
            lists.add(holder: number, relation: relation, targets: targets)
            noteList(index, number, relation, target, targets, keptByTombstone: true)
        }
    }

    private mutating func noteList(
        _ index: Int, _ holder: UInt32, _ relation: RelationNumber, _ target: Int,
        _ targets: [UInt32], keptByTombstone: Bool
    ) {
        digest.beginList(
            of: Self.type(index), holder: hashes[index][Int(holder)], relation: relation,
            keptByTombstone: keptByTombstone)
        for number in targets { digest.addTarget(hashes[target][Int(number)]) }
        digest.endList()
    }

    private mutating func finishLists(_ part: CheckpointPart) -> CheckpointPart? {
        guard lists.count > 0 else { return nil }
        var part = part
        part.count = UInt32(truncatingIfNeeded: lists.count)
        lists.finish(into: &output)
        return part
    }
}
