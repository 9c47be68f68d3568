internal import VarveTables

/// The making of the transactions of an import, over encoded rows.
///
/// Lines are taken in their order; links are made when all ids are known.
final class ImportWork {
    /// How much one transaction holds, where an import may be several.
    private static let rowsMax = 20_000
    private static let bytesMax = 8 << 20

    /// Open over the whole import.
    let state: StateTransaction
    var draft: StateDraft
    var types: [String: ImportedType] = [:]
    var report = ImportReport()
    /// By table and relation.
    var links: [[ImportedLinks]] = []
    /// Rows of the files of relations, which may come in any order.
    var linkRows: [LinkRow] = []
    /// Ids of which a line says that no entity has them.
    var declared: Set<EntityPlace> = []
    var seen: Set<EntityPlace> = []
    /// Entities that stay as they are, unless their links do not.
    var unchanged: Set<EntityPlace> = []
    private let writer: ImportWriter
    let assets: ImportedAssets
    /// Whether nothing is written.
    let isDryRun: Bool
    private var pending = (rows: 0, bytes: 0)
    private(set) var file: UInt32 = 0
    private(set) var fileName = ""

    /// One link of a relation's file.
    struct LinkRow {
        let holder: EntityPlace
        let relation: Int
        let position: Int
        let target: UInt32
        let isOfTombstone: Bool
        let origin: ImportOrigin
    }

    init(
        _ state: StateTransaction, _ writer: ImportWriter, _ assets: ImportedAssets, isDryRun: Bool
    ) {
        self.isDryRun = isDryRun
        self.state = state
        self.writer = writer
        self.assets = assets
        draft = writer.draft(of: state)
        for definition in state.catalog.definitions {
            types[definition.name] = ImportedType(definition)
            links.append(definition.relations.map { _ in ImportedLinks() })
        }
    }

    func begin(file name: String) {
        if !fileName.isEmpty { file += 1 }
        fileName = name
        fileNames.append(name)
    }

    private var fileNames: [String] = []

    // MARK: Problems

    func refuse(_ problem: ExchangeProblem, at origin: ImportOrigin) {
        report.refuse(
            ImportReport.Refusal(
                file: fileNames[Int(origin.file)], line: Int(origin.line),
                column: Int(origin.column), reason: problem.reason))
    }

    /// - Parameter columnOf: the column of an offset in the line.
    func refuse(_ problem: ExchangeProblem, line: Int, columnOf: (Int) -> Int) {
        refuse(problem, at: origin(line, columnOf(problem.offset)))
    }

    func origin(_ line: Int, _ column: Int) -> ImportOrigin {
        ImportOrigin(
            file: file, line: UInt32(clamping: line), column: UInt32(clamping: column))
    }

    // MARK: Lines

    /// - Parameter columnOf: the column of an offset in the line.
    func take(
        _ line: ImportedLine, number: Int, columnOf: (Int) -> Int
    ) throws(ExchangeError) {
        do throws(ExchangeProblem) {
            try take(line) { self.origin(number, columnOf($0)) }
        } catch {
            refuse(error, line: number, columnOf: columnOf)
        }
        try flush()
    }

    private func take(
        _ line: ImportedLine, _ origin: (Int) -> ImportOrigin
    ) throws(ExchangeProblem) {
        guard let type = types[line.type] else {
            throw ExchangeProblem(
                "there is no type '\(line.type)'; there is "
                    + state.catalog.definitions.map(\.name).joined(separator: ", "), at: 0)
        }
        let place = try place(of: line.id, type.definition, isLive: line.state == .live)
        switch line.state {
        case .live, .deleted:
            guard seen.insert(place).inserted,
                line.state == .deleted || !declared.contains(place)
            else { throw ExchangeProblem("the id was there before", at: line.id.offset) }
            try takeRow(line, type, place, origin)
        case .gone, .awaited:
            guard !seen.contains(place) || draft.presence(of: place) != .live else {
                throw ExchangeProblem("the id was there before", at: line.id.offset)
            }
            if line.state == .gone {
                switch draft.presence(of: place) {
                case .live:
                    throw ExchangeProblem("the store has this entity", at: line.id.offset)
                case .vacant: try clear(place)
                case .tombstone, .gone: break
                }
            }
            declared.insert(place)
            try takeLinks(line, type, place, origin)
        }
    }

    private func clear(_ place: EntityPlace) throws(ExchangeProblem) {
        do throws(CodecError) {
            try draft.clear(place, as: .goes)
        } catch {
            throw ExchangeProblem("\(error)", at: 0)
        }
    }

    /// The place of an id, which may be new.
    ///
    /// - Parameter isLive: whether an entity comes there: its id must not be the one that means none.
    func place(
        of id: ImportedCell, _ definition: TypeDefinition, isLive: Bool = false
    ) throws(ExchangeProblem) -> EntityPlace {
        if case .text(nil, let number) = id, !SQLValue.isNullable(definition.idType) {
            throw ExchangeProblem("the id is missing", at: number)
        }
        var writer = ByteWriter()
        try id.write(as: definition.idType, into: &writer)
        if isLive, definition.numbersIDs,
            writer.withBytes({ definition.idType.number(ofID: $0) }) == 0
        {
            throw ExchangeProblem(
                "the store gives the ids of \(definition.name) from 1 on, and 0 is none: "
                    + "give the entity another id", at: id.offset)
        }
        do throws(CodecError) {
            let place = try writer.withBytes { bytes throws(CodecError) in
                try draft.place(of: definition.number, bytes)
            }
            if let place { return place }
        } catch {
            throw ExchangeProblem("\(error)", at: id.offset)
        }
        throw ExchangeProblem("there is no such type", at: id.offset)
    }

    private func takeRow(
        _ line: ImportedLine, _ type: ImportedType, _ place: EntityPlace,
        _ origin: (Int) -> ImportOrigin
    ) throws(ExchangeProblem) {
        let presence = draft.presence(of: place)
        if line.state == .deleted, presence == .live {
            throw ExchangeProblem("the store has this entity, not deleted", at: line.id.offset)
        }
        let old = presence.hasRow ? try oldRow(place) : nil
        let row = try row(of: line, type, old, origin)
        let lists = line.state == .deleted ? try keptLists(of: line, type) : []
        let isSame =
            row == old && (presence == .live) == (line.state == .live)
            && (line.state == .live || isSame(lists, type, place))
        report.inserted += presence.hasRow ? 0 : 1
        report.unchanged += isSame ? 1 : 0
        report.updated += presence.hasRow && !isSame ? 1 : 0
        if isSame {
            unchanged.insert(place)
        } else {
            let ordinal =
                presence.hasRow
                ? draft.stamps(of: place).ordinal
                : state.nextOrdinal(of: type.definition.number).rawValue
            try set(place, row, ordinal, line.state == .deleted ? lists : nil)
        }
        if line.state == .live { try takeLinks(line, type, place, origin) }
    }

    private func oldRow(_ place: EntityPlace) throws(ExchangeProblem) -> [UInt8] {
        do throws(CodecError) {
            var writer = ByteWriter()
            try draft.writeRow(of: place, into: &writer)
            return writer.copyBytes()
        } catch {
            throw ExchangeProblem("the stored entity cannot be read: \(error)", at: 0)
        }
    }

    /// - Parameter lists: of a tombstone; nil of an entity.
    func set(
        _ place: EntityPlace, _ row: [UInt8], _ ordinal: UInt64,
        _ lists: [(relation: Int, entities: [EntityPlace])]?
    ) throws(ExchangeProblem) {
        pending.rows += 1
        pending.bytes += row.count
        do throws(CodecError) {
            try row.withReader { reader throws(CodecError) in
                if let lists {
                    try draft.setTombstone(
                        of: place, row: reader.rest, ordinal: ordinal, lists: lists, version: nil)
                } else {
                    try draft.setRow(of: place, to: reader.rest, ordinal: ordinal, version: nil)
                }
            }
        } catch {
            throw ExchangeProblem("\(error)", at: 0)
        }
    }

    // MARK: Rows

    /// The given values; what is not given stays as it was, or takes its default.
    private func row(
        of line: ImportedLine, _ type: ImportedType, _ old: [UInt8]?,
        _ origin: (Int) -> ImportOrigin
    ) throws(ExchangeProblem) -> [UInt8] {
        var given: [Int: ImportedCell] = [:]
        for (name, cell) in line.values {
            if let position = type.field(name) {
                given[position] = cell
            } else if type.relation(name) == nil {
                throw type.problem(name, at: cell.offset)
            }
        }
        var writer = ByteWriter()
        let oldParts = try old.map { old throws(ExchangeProblem) in try parts(of: old, type) }
        for (position, field) in type.definition.fields.enumerated() {
            if let cell = given[position] {
                do throws(ExchangeProblem) {
                    let start = writer.count
                    try cell.write(as: field.type, into: &writer)
                    if type.holdsAssets[position] {
                        try admitAssets(
                            in: writer, from: start, field.type, unlike: oldParts?[position],
                            cell.offset, origin)
                    }
                } catch {
                    throw ExchangeProblem("'\(field.name)': \(error.reason)", at: error.offset)
                }
            } else if let oldParts {
                writer.write(oldParts[position])
            } else if let fill = field.fill ?? field.type.absentBytes {
                writer.write(fill)
            } else {
                throw ExchangeProblem("'\(field.name)' is missing", at: line.id.offset)
            }
        }
        return writer.copyBytes()
    }

    /// What a store names already, it may go on naming, whatever has become of the file.
    private func admitAssets(
        in row: borrowing ByteWriter, from start: Int, _ type: StoredType, unlike old: [UInt8]?,
        _ offset: Int, _ origin: (Int) -> ImportOrigin
    ) throws(ExchangeProblem) {
        let reason: String?
        do throws(CodecError) {
            reason = try row.withBytes { bytes throws(CodecError) in
                let value = UnsafeRawBufferPointer(rebasing: bytes[start...])
                if let old, value.elementsEqual(old) { return nil }
                return try assets.admit(value, type, at: origin(offset))
            }
        } catch {
            reason = "\(error)"
        }
        if let reason { throw ExchangeProblem(reason, at: offset) }
    }

    private func parts(
        of row: [UInt8], _ type: ImportedType
    ) throws(ExchangeProblem) -> [[UInt8]] {
        do throws(CodecError) {
            return try row.withReader { reader throws(CodecError) in
                var (reader, parts): (ByteReader, [[UInt8]]) = (reader, [])
                for position in 0..<type.layout.fieldCount {
                    let start = reader.position
                    try type.layout.skip(position, in: &reader)
                    parts.append([UInt8](reader.slice(from: start, to: reader.position)))
                }
                return parts
            }
        } catch {
            throw ExchangeProblem("the stored entity cannot be read: \(error)", at: 0)
        }
    }

    // MARK: Transactions

    /// Writes what there is, where the import may be several transactions and it is enough for one.
    func flush(isLast: Bool = false) throws(ExchangeError) {
        let isFull = pending.rows >= Self.rowsMax || pending.bytes >= Self.bytesMax
        guard isLast || (isFull && writer.writesInParts && report.refusedCount == 0) else { return }
        guard report.refusedCount == 0 else { return }
        pending = (0, 0)
        try writer.write(draft)
        draft = writer.draft(of: state)
    }

    func noteList() { pending.rows += 1 }
}
