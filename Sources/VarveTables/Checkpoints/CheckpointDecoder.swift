package import VarveEvents

/// Decodes the pages of a checkpoint, any number of them at once, for a ``StateLoader``.
package struct CheckpointDecoder: Sendable {
    let contents: CheckpointContents
    let timeline: Timeline
    /// Of each type, the layouts of all its definitions, oldest first. Rows are in the last.
    let layouts: [[RowLayout]]
    private let parts: [CheckpointPart]

    /// Reads the pages that come before those of entities.
    package init<Failure: Error>(
        _ parts: [CheckpointPart], rawBytes: [UInt64], read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) {
        contents = try CheckpointContents(parts, rawBytes: rawBytes, read: read)
        timeline = try contents.readTimeline(read)
        let catalog = contents.catalog
        layouts = contents.types.map { type in
            catalog.revisions(of: type.layout.definition.number).map { RowLayout($0.definition) }
        }
        self.parts = parts
    }

    /// The pages that the loader takes, in this order.
    package var pages: [Int] {
        parts.indices.dropFirst(2).filter { page in
            switch parts[page].kind {
            case .rows, .links, .tombstoneLists: true
            case .catalog, .types, .migrations, .block, .imageRoot, .timeline, .triedTypes, .other:
                false
            }
        }
    }

    package func decode(
        _ bytes: PageBytes, ofPage page: Int
    ) throws(CheckpointContentError) -> DecodedPage {
        let part = parts[page]
        let type = Int(part.type.rawValue) - 1
        do throws(CodecError) {
            let content: DecodedPage.Content =
                switch part.kind {
                case .rows: .rows(try rows(bytes.bytes, part, of: layouts[type]))
                case .links: .links(part.relation, try lists(bytes.bytes, part, type))
                default: .tombstoneLists(try lists(bytes.bytes, part, type))
                }
            return DecodedPage(page: page, type: type, content: content, bytes: bytes)
        } catch {
            throw .malformed(page: page, error)
        }
    }

    private func rows(
        _ page: UnsafeRawBufferPointer, _ part: CheckpointPart, of layouts: [RowLayout]
    ) throws(CodecError) -> [LoadedRow] {
        let revision = layouts.count - 1
        var reader = try RowPageReader(
            page, count: Int(part.count), layout: layouts[revision],
            lastTransaction: contents.lastTransaction)
        var rows: [LoadedRow] = []
        rows.reserveCapacity(Int(part.count))
        try reader.forEach { index, entry throws(CodecError) in
            guard UInt32(exactly: entry.row.count) != nil, entry.id.count < Int32.max else {
                throw .valueOutOfRange(offset: index, typeName: "length of a row")
            }
            let stamps = entry.presence == .vacant ? RowMetadata.vacant.stamps : entry.stamps
            rows.append(
                LoadedRow(
                    id: entry.id, hash: KeyedHash.hash(entry.id), row: entry.row,
                    RowMetadata(
                        presence: entry.presence, stamps: stamps,
                        revision: UInt32(truncatingIfNeeded: revision))))
        }
        return rows
    }

    private func lists(
        _ page: UnsafeRawBufferPointer, _ part: CheckpointPart, _ type: Int
    ) throws(CodecError) -> LoadedLists {
        let ofTombstones = part.kind == .tombstoneLists
        var reader = ListPageReader(
            page, count: Int(part.count), holderCount: contents.types[type].count)
        var lists = LoadedLists()
        for _ in 0..<reader.count {
            let head = try reader.next(namesRelation: ofTombstones)
            let relation = ofTombstones ? head.relation : part.relation
            let targetCount = try contents.targetCount(of: relation, ofTypeAt: type)
            try lists.append(of: Slot(head.holder), relation) { targets throws(CodecError) in
                try reader.readTargets(of: head, below: targetCount, into: &targets)
            }
        }
        try reader.expectEnd()
        return lists
    }
}

/// What a page of a checkpoint holds.
///
/// `@unchecked Sendable`: rows point into bytes that do not change.
package struct DecodedPage: @unchecked Sendable {
    enum Content {
        case rows([LoadedRow])
        case links(RelationNumber, LoadedLists)
        case tombstoneLists(LoadedLists)
    }

    let page: Int
    let type: Int
    let content: Content
    /// Which rows point into.
    let bytes: PageBytes
}
