/// Fills a replayed state from the pages of a checkpoint.
///
/// The work comes in units that several threads may perform at once, in any order: each page of
/// entities, each relation, the lists of each type's tombstones. Rows are not copied: the state
/// keeps the pages that they stand in.
///
/// `@unchecked Sendable`: a unit writes to places that are its own alone, the records of its page
/// and its result; everything else is only read until `finish`, which comes after all units.
package final class CheckpointLoader: @unchecked Sendable {
    private enum Unit {
        case rows(type: Int, page: Int)
        case links(type: Int, relation: Int)
        case tombstoneLists(type: Int)
    }

    private enum Outcome {
        case none
        case rows(LoadedRows)
        case links(LinkColumn)
        case tombstoneLists([UInt32: ReplayTable.DeletedLists])
    }

    private let contents: CheckpointContents
    private let parts: [CheckpointPart]
    private let timeline: Timeline
    private let tables: [ReplayTable]
    private let units: [Unit]
    private let outcomes: UnsafeMutableBufferPointer<Outcome>

    /// Reads the first two pages and takes memory for the records of all entities.
    package init<Failure: Error>(
        _ parts: [CheckpointPart], rawBytes: [UInt64],
        read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) {
        contents = try CheckpointContents(parts, rawBytes: rawBytes, read: read)
        self.parts = parts
        timeline = try contents.readTimeline(read)
        tables = contents.types.map { ReplayTable(loading: $0.layout, count: $0.count) }
        var units: [(unit: Unit, bytes: UInt64)] = []
        for (index, type) in contents.types.enumerated() {
            for page in type.rows {
                units.append((.rows(type: index, page: page), rawBytes[page]))
            }
            for (relation, pages) in type.links.enumerated() where !pages.isEmpty {
                // They grow when they are unpacked, which takes longer than their bytes tell.
                let bytes = pages.reduce(0) { $0 &+ rawBytes[$1] } &* 2
                units.append((.links(type: index, relation: relation), bytes))
            }
            if !type.tombstoneLists.isEmpty {
                let bytes = type.tombstoneLists.reduce(0) { $0 &+ rawBytes[$1] }
                units.append((.tombstoneLists(type: index), bytes))
            }
        }
        // The largest first, so that no thread is left with it alone at the end.
        self.units = units.sorted { $0.bytes > $1.bytes }.map(\.unit)
        outcomes = .allocate(capacity: units.count)
        outcomes.initialize(repeating: .none)
    }

    deinit {
        outcomes.deinitialize()
        outcomes.deallocate()
    }

    /// The definitions alone: reads the first two pages.
    package static func catalog<Failure: Error>(
        _ parts: [CheckpointPart], rawBytes: [UInt64],
        read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) -> Catalog {
        try CheckpointContents(parts, rawBytes: rawBytes, read: read).catalog
    }

    package var unitCount: Int { units.count }

    /// Performs one unit, once.
    package func perform<Failure: Error>(
        _ unit: Int, read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) {
        switch units[unit] {
        case .rows(let type, let page):
            outcomes[unit] = .rows(try loadRows(type, page, read))
        case .links(let type, let relation):
            outcomes[unit] = .links(try loadLinks(type, relation, read))
        case .tombstoneLists(let type):
            outcomes[unit] = .tombstoneLists(try loadTombstoneLists(type, read))
        }
    }

    /// The state, after all units were performed without an error.
    package func finish() -> ReplayState {
        for (unit, outcome) in zip(units, outcomes) {
            switch (unit, outcome) {
            case (.rows(let type, _), .rows(let loaded)): tables[type].adopt(loaded)
            case (.links(let type, let relation), .links(let column)):
                tables[type].modifyLinks(relation) { $0 = column }
            case (.tombstoneLists(let type), .tombstoneLists(let lists)):
                for (slot, kept) in lists { tables[type].setDeletedLists(slot, to: kept) }
            default: preconditionFailure("a checkpoint is loaded when all its units are")
            }
        }
        for (table, type) in zip(tables, contents.types) {
            table.raiseNextOrdinal(to: type.nextOrdinal)
            table.raiseLastNumber(to: type.lastNumber)
        }
        return ReplayState(
            catalog: contents.catalog, lastTransaction: contents.lastTransaction,
            lastTime: contents.lastTime, tables: tables, timeline: timeline)
    }

    // MARK: Units

    private func loadRows<Failure: Error>(
        _ type: Int, _ page: Int, _ read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) -> LoadedRows {
        let bytes = try CheckpointReadFailure.reading { () throws(Failure) in try read(page) }
        do throws(CodecError) {
            return try tables[type].loadRows(
                bytes, first: Int(parts[page].first), count: Int(parts[page].count),
                lastTransaction: contents.lastTransaction)
        } catch {
            throw .content(.malformed(page: page, error))
        }
    }

    private func loadLinks<Failure: Error>(
        _ type: Int, _ relation: Int, _ read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) -> LinkColumn {
        let definition = contents.types[type].layout.definition.relations[relation]
        let targetCount = contents.types[Int(definition.target.rawValue) - 1].count
        var column = LinkColumn(
            loading: definition, holderCount: contents.types[type].count)
        var nextHolder: UInt32 = 0
        for page in contents.types[type].links[relation] {
            let bytes = try CheckpointReadFailure.reading { () throws(Failure) in
                try read(page)
            }
            do throws(CodecError) {
                var reader = ListPageReader(
                    bytes.bytes, count: Int(parts[page].count),
                    holderCount: contents.types[type].count)
                for _ in 0..<reader.count {
                    let head = try reader.next(namesRelation: false)
                    guard head.holder >= nextHolder,
                        try column.load(
                            of: head.holder, count: head.count,
                            { (targets: inout [UInt32]) throws(CodecError) in
                                try reader.readTargets(
                                    of: head, below: targetCount, into: &targets)
                            })
                    else { throw .notAscending(offset: Int(head.holder)) }
                    nextHolder = head.holder + 1
                }
                try reader.expectEnd()
            } catch {
                throw .content(.malformed(page: page, error))
            }
        }
        return column
    }

    private func loadTombstoneLists<Failure: Error>(
        _ type: Int, _ read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) -> [UInt32: ReplayTable.DeletedLists] {
        var lists: [UInt32: ReplayTable.DeletedLists] = [:]
        for page in contents.types[type].tombstoneLists {
            let bytes = try CheckpointReadFailure.reading { () throws(Failure) in
                try read(page)
            }
            do throws(CodecError) {
                var reader = ListPageReader(
                    bytes.bytes, count: Int(parts[page].count),
                    holderCount: contents.types[type].count)
                for _ in 0..<reader.count {
                    let head = try reader.next(namesRelation: true)
                    // Each list has memory of its own, no larger than itself.
                    var targets: [UInt32] = []
                    targets.reserveCapacity(head.count)
                    try reader.readTargets(
                        of: head,
                        below: try contents.targetCount(of: head.relation, ofTypeAt: type),
                        into: &targets)
                    lists[head.holder, default: []].append((head.relation, targets))
                }
                try reader.expectEnd()
            } catch {
                throw .content(.malformed(page: page, error))
            }
        }
        return lists
    }
}
