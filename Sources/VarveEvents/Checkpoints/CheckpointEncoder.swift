/// Why a checkpoint could not be written: a value, or whoever takes the pages.
package enum CheckpointFailure<Sink: Error>: Error {
    case codec(CodecError)
    case sink(Sink)
}

/// Turns a state into the pages of a checkpoint, one after the other. Needs memory for one page, and
/// sixteen bytes for each entity.
package final class CheckpointEncoder<Failure: Error> {
    package typealias Sink = (CheckpointPart, UnsafeRawBufferPointer) throws(Failure) -> Void

    /// A page is handed over when it holds this much. Pages are read in parallel, so a state of some
    /// size should have several.
    private static var pageBytes: Int { 256 << 10 }

    private let source: CheckpointSource
    private let sink: Sink
    private let numberings: [EntityNumbering]
    /// Hashes of ids, by type and number.
    private var hashes: [[UInt64]] = []
    private var digest = CheckpointDigest()
    private var rows = RowPageWriter()
    private var lists = ListPageWriter()
    private var output = ByteWriter(capacity: 300 << 10)

    package init(_ source: CheckpointSource, sink: @escaping Sink) throws(CodecError) {
        self.source = source
        self.sink = sink
        numberings = try source.numberEntities()
    }

    /// Hands all pages to the sink. Answers the digest of their content.
    package func run() throws(CheckpointFailure<Failure>) -> UInt64 {
        try writeCatalog()
        try writeTypes()
        for index in source.tables.indices { try writeRows(of: index) }
        for index in source.tables.indices { try writeLinks(of: index) }
        for index in source.tables.indices { try writeTombstoneLists(of: index) }
        try writeTimeline()
        return digest.value
    }

    // MARK: Definitions and counts

    private func writeCatalog() throws(CheckpointFailure<Failure>) {
        let revisions = source.catalog.revisions
        output.removeAll()
        output.writeCount(revisions.count)
        for revision in revisions {
            var bytes = ByteWriter(capacity: 512)
            try Self.coding { () throws(CodecError) in
                try revision.definition.encode(into: &bytes)
            }
            output.writeVarint(revision.since.rawValue)
            bytes.withBytes { output.writeLengthPrefixed($0) }
            bytes.withBytes { digest.add(definition: $0, since: revision.since) }
        }
        try send(CheckpointPart(.catalog, count: UInt32(truncatingIfNeeded: revisions.count)))
    }

    private func writeTypes() throws(CheckpointFailure<Failure>) {
        digest.add(lastTransaction: source.lastTransaction, lastTime: source.lastTime)
        output.removeAll()
        output.writeVarint(source.lastTransaction.rawValue)
        output.writeSigned(source.lastTime.microseconds)
        for index in source.tables.indices {
            let next = source.tables[index]?.nextOrdinal ?? 1
            output.writeVarint(next)
            output.writeCount(numberings[index].count)
            digest.add(
                type: Self.type(index), nextOrdinal: next, count: numberings[index].count)
        }
        try send(
            CheckpointPart(.types, count: UInt32(truncatingIfNeeded: source.tables.count)))
    }

    // MARK: Rows

    private func writeRows(of index: Int) throws(CheckpointFailure<Failure>) {
        let numbering = numberings[index]
        hashes.append([])
        guard let table = source.tables[index] else { return }
        hashes[index].reserveCapacity(numbering.count)
        var first: UInt32 = 0
        for slot in numbering.slots {
            try addEntity(slot, of: table, at: index)
            if rows.byteCount >= Self.pageBytes { try sendRows(index, &first) }
        }
        for id in numbering.extras {
            id.withUnsafeBytes { bytes in
                rows.addVacant { $0.write(bytes) }
                noteEntity(index, nil)
            }
        }
        try sendRows(index, &first)
    }

    private func addEntity(
        _ slot: UInt32, of table: any CheckpointTable, at index: Int
    ) throws(CheckpointFailure<Failure>) {
        let presence = table.presence(of: slot)
        guard presence != .vacant else {
            try Self.coding { () throws(CodecError) in
                try rows.addVacant { writer throws(CodecError) in
                    try table.writeID(of: slot, into: &writer)
                }
            }
            return noteEntity(index, nil)
        }
        let stamps = table.stamps(of: slot)
        guard presence.hasRow else {
            try Self.coding { () throws(CodecError) in
                try rows.addGone(stamps) { writer throws(CodecError) in
                    try table.writeID(of: slot, into: &writer)
                }
            }
            return noteEntity(index, (presence, stamps))
        }
        try Self.coding { () throws(CodecError) in
            try rows.add(
                presence, stamps,
                id: { writer throws(CodecError) in try table.writeID(of: slot, into: &writer) },
                row: { writer throws(CodecError) in try table.writeRow(of: slot, into: &writer) })
        }
        noteEntity(index, (presence, stamps))
    }

    /// Takes the entity that was added last into the digest.
    private func noteEntity(
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

    private func sendRows(
        _ index: Int, _ first: inout UInt32
    ) throws(CheckpointFailure<Failure>) {
        guard rows.count > 0 else { return }
        let count = UInt32(truncatingIfNeeded: rows.count)
        output.removeAll()
        rows.finish(into: &output)
        try send(CheckpointPart(.rows, type: Self.type(index), first: first, count: count))
        first += count
    }

    // MARK: Links

    private func writeLinks(of index: Int) throws(CheckpointFailure<Failure>) {
        guard let table = source.tables[index] else { return }
        for (position, relation) in table.definition.relations.enumerated() {
            let target = Int(relation.target.rawValue) - 1
            var part = CheckpointPart(
                .links, type: Self.type(index), relation: relation.number)
            try table.forEachList(of: position) {
                (holder, slots) throws(CheckpointFailure<Failure>) in
                let number = numberings[index].number(of: holder)
                let targets = slots.map { numberings[target].number(of: $0) }
                lists.add(holder: number, relation: nil, targets: targets)
                noteList(
                    index, number, relation.number, target, targets, keptByTombstone: false)
                if lists.byteCount >= Self.pageBytes { try sendLists(&part) }
            }
            try sendLists(&part)
        }
    }

    private func writeTombstoneLists(
        of index: Int
    ) throws(CheckpointFailure<Failure>) {
        guard let table = source.tables[index] else { return }
        var part = CheckpointPart(.tombstoneLists, type: Self.type(index))
        for slot in 0..<UInt32(truncatingIfNeeded: table.slotCount)
        where table.presence(of: slot) == .tombstone {
            let kept = try Self.coding { () throws(CodecError) in
                try table.tombstoneLists(of: slot)
            }
            let number = numberings[index].number(of: slot)
            for (relation, entities) in kept {
                guard let target = table.target(of: relation) else { continue }
                let targets = entities.map { numberings[target].number(of: $0) }
                lists.add(holder: number, relation: relation, targets: targets)
                noteList(index, number, relation, target, targets, keptByTombstone: true)
            }
            if lists.byteCount >= Self.pageBytes { try sendLists(&part) }
        }
        try sendLists(&part)
    }

    /// No part of the digest: readers that do not know the page must come to the same.
    private func writeTimeline() throws(CheckpointFailure<Failure>) {
        guard !source.timeline.isEmpty else { return }
        output.removeAll()
        source.timeline.encode(into: &output)
        try send(CheckpointPart(.timeline, count: 1))
    }

    private func noteList(
        _ index: Int, _ holder: UInt32, _ relation: RelationNumber, _ target: Int,
        _ targets: [UInt32], keptByTombstone: Bool
    ) {
        digest.beginList(
            of: Self.type(index), holder: hashes[index][Int(holder)], relation: relation,
            keptByTombstone: keptByTombstone)
        for number in targets { digest.addTarget(hashes[target][Int(number)]) }
        digest.endList()
    }

    private func sendLists(
        _ part: inout CheckpointPart
    ) throws(CheckpointFailure<Failure>) {
        guard lists.count > 0 else { return }
        part.count = UInt32(truncatingIfNeeded: lists.count)
        output.removeAll()
        lists.finish(into: &output)
        try send(part)
    }

    // MARK: Parts

    private static func type(_ index: Int) -> TypeNumber {
        TypeNumber(UInt32(truncatingIfNeeded: index + 1))
    }

    private func send(
        _ part: CheckpointPart
    ) throws(CheckpointFailure<Failure>) {
        try output.withBytes { bytes throws(CheckpointFailure<Failure>) in
            do throws(Failure) {
                try sink(part, bytes)
            } catch {
                throw .sink(error)
            }
        }
    }

    private static func coding<Result>(
        _ body: () throws(CodecError) -> Result
    ) throws(CheckpointFailure<Failure>) -> Result {
        do throws(CodecError) {
            return try body()
        } catch {
            throw .codec(error)
        }
    }
}
