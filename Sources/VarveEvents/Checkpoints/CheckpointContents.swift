internal import VarveText

/// What the first two pages of a checkpoint say, and where the others belong: checked against each
/// other before memory is taken for any entity.
package struct CheckpointContents: Sendable {
    package let catalog: Catalog
    package let lastTransaction: TransactionID
    package let lastTime: Timestamp
    /// By type number - 1.
    package let types: [TypeContents]
    /// The page of undo stacks, if there is one.
    let timelinePage: Int?
    /// The page of migrations, if there is one, and how many it has.
    let migrationsPage: Int?
    let migrationCount: UInt32

    package struct TypeContents: Sendable {
        package let layout: RowLayout
        package let nextOrdinal: UInt64
        /// The greatest id that was given, of a type whose ids the store gives.
        package let lastNumber: UInt64
        package let count: Int
        var rows: [Int] = []
        /// By position of the relation in the definition.
        package fileprivate(set) var links: [[Int]]
        var tombstoneLists: [Int] = []
    }

    /// - Parameters:
    ///   - parts: all pages, in the order of the file.
    ///   - rawBytes: how large each is.
    ///   - read: reads a page.
    package init<Failure: Error>(
        _ parts: [CheckpointPart], rawBytes: [UInt64],
        read: (Int) throws(Failure) -> PageBytes
    ) throws(CheckpointReadFailure<Failure>) {
        guard parts.count >= 2, parts[0].kind == .catalog, parts[1].kind == .types else {
            throw .content(.structure(page: 0, reason: "definitions and counts come first"))
        }
        let timelines = parts.indices.filter { parts[$0].kind == .timeline }
        guard timelines.count <= 1 else {
            throw .content(.structure(page: timelines[1], reason: "undo stacks stand on one page"))
        }
        timelinePage = timelines.first
        let migrations = parts.indices.filter { parts[$0].kind == .migrations }
        guard migrations.count <= 1 else {
            throw .content(.structure(page: migrations[1], reason: "migrations are on one page"))
        }
        migrationsPage = migrations.first
        migrationCount = migrations.first.map { parts[$0].count } ?? 0
        let pages = (
            try CheckpointReadFailure.reading { () throws(Failure) in try read(0) },
            try CheckpointReadFailure.reading { () throws(Failure) in try read(1) }
        )
        do throws(CheckpointContentError) {
            catalog = try Self.decodeCatalog(pages.0.bytes, count: parts[0].count)
            var reader = TypesPageReader(pages.1.bytes, catalog: catalog, count: parts[1].count)
            (lastTransaction, lastTime, types) = try reader.read(parts, rawBytes)
            try Self.check(catalog, through: lastTransaction)
        } catch {
            throw .content(error)
        }
    }

    private static func decodeCatalog(
        _ page: UnsafeRawBufferPointer, count: UInt32
    ) throws(CheckpointContentError) -> Catalog {
        var catalog = Catalog()
        var reader = ByteReader(page)
        func malformed(_ error: CodecError) -> CheckpointContentError {
            .malformed(page: 0, error)
        }
        var revisions: [(TypeDefinition, TransactionID)] = []
        do throws(CodecError) {
            guard try reader.readCount() == Int(count) else {
                throw .invalidValue(offset: 0, typeName: "count of definitions")
            }
            for _ in 0..<count {
                let since = TransactionID(try reader.readVarint())
                var inner = ByteReader(try reader.readLengthPrefixed())
                revisions.append((try TypeDefinition.decode(from: &inner), since))
                try inner.expectEnd()
            }
            try reader.expectEnd()
        } catch {
            throw malformed(error)
        }
        do throws(CatalogError) {
            for (definition, since) in revisions {
                _ = try catalog.define(definition, in: since)
            }
            try catalog.checkReferences()
        } catch {
            throw .definition(page: 0, error)
        }
        return catalog
    }

    private static func check(
        _ catalog: Catalog, through last: TransactionID
    ) throws(CheckpointContentError) {
        guard catalog.revisions.allSatisfy({ $0.since <= last }) else {
            throw .structure(page: 0, reason: "a definition from after transaction \(last)")
        }
    }
}

/// Reads the page of counts and assigns the other pages.
private struct TypesPageReader {
    private var reader: ByteReader
    private let definitions: [TypeDefinition]
    private let count: UInt32
    /// A type has fewer entities: their numbers are indices on 32-bit platforms too.
    private static let slotLimit = UInt64(Int32.max)

    init(_ page: UnsafeRawBufferPointer, catalog: Catalog, count: UInt32) {
        reader = ByteReader(page)
        definitions = catalog.definitions
        self.count = count
    }

    mutating func read(
        _ parts: [CheckpointPart], _ rawBytes: [UInt64]
    ) throws(CheckpointContentError) -> (
        TransactionID, Timestamp, [CheckpointContents.TypeContents]
    ) {
        guard Int(count) == definitions.count else {
            throw .structure(
                page: 1, reason: "\(count.counted("type")), \(definitions.count) defined")
        }
        let last: TransactionID
        let time: Timestamp
        var types: [CheckpointContents.TypeContents] = []
        do throws(CodecError) {
            last = TransactionID(try reader.readVarint())
            guard last < TransactionID.limit else {
                throw CodecError.valueOutOfRange(offset: 0, typeName: "TransactionID")
            }
            time = Timestamp(microseconds: try reader.readSigned())
            for definition in definitions { types.append(try readType(definition)) }
            try reader.expectEnd()
        } catch {
            throw .malformed(page: 1, error)
        }
        try assign(parts, rawBytes, to: &types)
        return (last, time, types)
    }

    private mutating func readType(
        _ definition: TypeDefinition
    ) throws(CodecError) -> CheckpointContents.TypeContents {
        let start = reader.position
        let nextOrdinal = try reader.readVarint()
        let count = try reader.readVarint()
        guard nextOrdinal > 0, nextOrdinal <= Ordinal.limit, count < Self.slotLimit
        else { throw .valueOutOfRange(offset: start, typeName: "count of a type") }
        return CheckpointContents.TypeContents(
            layout: RowLayout(definition), nextOrdinal: nextOrdinal,
            lastNumber: definition.numbersIDs ? try reader.readVarint() : 0, count: Int(count),
            links: Array(repeating: [], count: definition.relations.count))
    }

    /// The counts of a type's pages of entities add up to its own, and each page is at least as
    /// long as its count: so what is allocated for a type is bounded by what its pages hold.
    private func assign(
        _ parts: [CheckpointPart], _ rawBytes: [UInt64],
        to types: inout [CheckpointContents.TypeContents]
    ) throws(CheckpointContentError) {
        var found = types.map { _ in UInt64(0) }
        for (page, part) in parts.enumerated().dropFirst(2) where !part.kind.isIgnorable {
            if part.kind == .timeline || part.kind == .migrations { continue }
            let index = Int(part.type.rawValue) - 1
            guard types.indices.contains(index) else {
                throw .structure(page: page, reason: "type \(part.type) is not defined")
            }
            switch part.kind {
            case .rows:
                guard UInt64(part.first) == found[index], part.count > 0,
                    UInt64(part.count) <= rawBytes[page]
                else { throw .structure(page: page, reason: "entities are missing before it") }
                found[index] += UInt64(part.count)
                types[index].rows.append(page)
            case .links:
                guard
                    let position = types[index].layout.definition.position(of: part.relation)
                else {
                    throw .structure(page: page, reason: "relation \(part.relation) is unknown")
                }
                types[index].links[position].append(page)
            case .tombstoneLists: types[index].tombstoneLists.append(page)
            case .catalog, .types, .migrations, .block, .imageRoot, .timeline, .triedTypes,
                .other:
                throw .structure(page: page, reason: "kind \(part.kind.code) is unknown here")
            }
        }
        for (index, type) in types.enumerated() where found[index] != UInt64(type.count) {
            throw .structure(
                page: 1,
                reason: type.count.counted("entity", "entities")
                    + " of '\(type.layout.definition.name)',"
                    + " \(found[index]) in the pages")
        }
    }
}

/// Why reading a checkpoint's content ended: the bytes could not be had, or are no state.
package enum CheckpointReadFailure<Reading: Error>: Error {
    case reading(Reading)
    case content(CheckpointContentError)

    @inline(__always)
    static func reading<Result>(
        _ body: () throws(Reading) -> Result
    ) throws(CheckpointReadFailure) -> Result {
        do throws(Reading) {
            return try body()
        } catch {
            throw .reading(error)
        }
    }
}
