/// Compares what is in a checkpoint with its digest, page by page, in order. Needs memory for one page,
/// and eight bytes for each entity.
package struct CheckpointVerifier: ~Copyable {
    private let parts: [CheckpointPart]
    private let contents: CheckpointContents
    /// By type and number.
    private var hashes: [[UInt64]]
    private var digest = CheckpointDigest()

    /// Reads the first two pages, by `read`.
    package init<Failure: Error>(
        _ parts: [CheckpointPart], rawBytes: [UInt64], read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) {
        self.parts = parts
        contents = try CheckpointContents(parts, rawBytes: rawBytes, read: read)
        hashes = contents.types.map { _ in [] }
        for revision in contents.catalog.revisions {
            var bytes = ByteWriter(capacity: 512)
            // It was decoded a moment ago; one that cannot be encoded makes the digest differ.
            if (try? revision.definition.encode(into: &bytes)) == nil { bytes.removeAll() }
            bytes.withBytes { digest.add(definition: $0, since: revision.since) }
        }
        digest.add(lastTransaction: contents.lastTransaction, lastTime: contents.lastTime)
        for type in contents.types {
            digest.add(
                type: type.layout.definition.number, nextOrdinal: type.nextOrdinal,
                count: type.count)
        }
    }

    /// The pages that are taken, in this order, before ``finish(_:)``.
    package var pages: [Int] { parts.indices.dropFirst(2).filter { !parts[$0].kind.isIgnorable } }

    package mutating func take(
        _ bytes: UnsafeRawBufferPointer, ofPage page: Int
    ) throws(CheckpointContentError) {
        do throws(CodecError) {
            try take(parts[page], bytes)
        } catch {
            throw .malformed(page: page, error)
        }
    }

    /// - Parameter digest: what the writer derived from the state.
    package func finish(_ digest: UInt64) throws(CheckpointContentError) {
        guard self.digest.value == digest else { throw .digestDiffers }
    }

    private mutating func take(
        _ part: CheckpointPart, _ page: UnsafeRawBufferPointer
    ) throws(CodecError) {
        let index = Int(part.type.rawValue) - 1
        switch part.kind {
        case .rows: try takeRows(part, page, index)
        case .links: try takeLists(part, page, index, relation: part.relation)
        case .tombstoneLists: try takeLists(part, page, index, relation: nil)
        case .timeline: _ = try Timeline(page, through: contents.lastTransaction)
        case .migrations:
            var timeline = Timeline()
            try timeline.readMigrations(
                page, count: part.count, through: contents.lastTransaction)
        case .catalog, .types, .block, .imageRoot, .triedTypes, .other: break
        }
    }

    private mutating func takeRows(
        _ part: CheckpointPart, _ page: UnsafeRawBufferPointer, _ index: Int
    ) throws(CodecError) {
        var reader = try RowPageReader(
            page, count: Int(part.count), layout: contents.types[index].layout,
            lastTransaction: contents.lastTransaction)
        try reader.forEach { _, entry in
            digest.add(
                type: part.type, id: entry.id, row: entry.row, presence: entry.presence,
                stamps: entry.presence == .vacant ? nil : entry.stamps)
            hashes[index].append(CheckpointDigest.hash(ofID: entry.id))
        }
    }

    /// Lists come behind all entities; those that do not make the digest differ.
    private mutating func takeLists(
        _ part: CheckpointPart, _ page: UnsafeRawBufferPointer, _ index: Int,
        relation named: RelationNumber?
    ) throws(CodecError) {
        var targets: [UInt32] = []
        var reader = ListPageReader(
            page, count: Int(part.count), holderCount: hashes[index].count)
        for _ in 0..<reader.count {
            let head = try reader.next(namesRelation: named == nil)
            let relation = named ?? head.relation
            let known = try targetHashes(relation, index)
            targets.removeAll(keepingCapacity: true)
            try reader.readTargets(of: head, below: known.count, into: &targets)
            digest.beginList(
                of: part.type, holder: hashes[index][Int(head.holder)], relation: relation,
                keptByTombstone: named == nil)
            for number in targets { digest.addTarget(known[Int(number)]) }
            digest.endList()
        }
        try reader.expectEnd()
    }

    private func targetHashes(
        _ relation: RelationNumber, _ index: Int
    ) throws(CodecError) -> [UInt64] {
        _ = try contents.targetCount(of: relation, ofTypeAt: index)
        let definition = contents.types[index].layout.definition
        guard let position = definition.position(of: relation) else { return [] }
        return hashes[Int(definition.relations[position].target.rawValue) - 1]
    }
}
