/// Reads a checkpoint page by page, in order, and compares what is in it with its digest. Needs
/// memory for one page, and eight bytes for each entity.
package enum CheckpointVerifier {
    /// - Parameters:
    ///   - digest: what the writer derived from the state.
    ///   - read: reads a page.
    package static func verify<Failure: Error>(
        _ parts: [CheckpointPart], rawBytes: [UInt64], digest: UInt64,
        read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) {
        let contents = try CheckpointContents(parts, rawBytes: rawBytes, read: read)
        var check = CheckpointCheck(contents)
        for (page, part) in parts.enumerated().dropFirst(2) where !part.kind.isIgnorable {
            let bytes = try CheckpointReadFailure.reading { () throws(Failure) in
                try read(page)
            }
            do throws(CodecError) {
                try check.take(part, bytes.bytes)
            } catch {
                throw .content(.malformed(page: page, error))
            }
        }
        guard check.digest.value == digest else { throw .content(.digestDiffers) }
    }
}

private struct CheckpointCheck: ~Copyable {
    private let contents: CheckpointContents
    /// By type and number.
    private var hashes: [[UInt64]]
    private(set) var digest = CheckpointDigest()
    private var pace = BackgroundPace()

    init(_ contents: CheckpointContents) {
        self.contents = contents
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

    mutating func take(
        _ part: CheckpointPart, _ page: UnsafeRawBufferPointer
    ) throws(CodecError) {
        let index = Int(part.type.rawValue) - 1
        switch part.kind {
        case .rows: try takeRows(part, page, index)
        case .links: try takeLists(part, page, index, relation: part.relation)
        case .tombstoneLists: try takeLists(part, page, index, relation: nil)
        case .timeline: _ = try Timeline(page, through: contents.lastTransaction)
        case .catalog, .types, .other: break
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
            pace.step()
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
            pace.step(by: 1 + targets.count)
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
