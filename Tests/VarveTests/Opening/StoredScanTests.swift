import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@testable import VarveGraph

private enum Model {
    @EntityModel
    struct Note: Equatable {
        @Index<Self>(\.rank) private var byRank
        @Unique<Self>(\.code, collisions: .throw) private var byCode
        // Of no checkpoint: it is computed.
        @Unique<Self>(\.double, collisions: .throw) private var byDouble

        let id: Int
        var rank = 0
        var code = 0
        var text = ""
        var mark = 0
        @Relationship(inverse: \.notes) var folder: Folder?
        var double: Int { mark * 2 }

        init(_ number: Int) {
            id = number
            rank = number * 31 % 200
            code = number * 7
            mark = number + 1
            text = "note \(number * 7_919 % 10_007)"
        }
    }

    @EntityModel
    struct Folder: Equatable {
        let id: Int
        var name = ""
        @Relationship(inverse: \.folder) var notes: [Note]?
    }
}

/// Queries that need all rows read them leaf by leaf, if the filled table does not fit the memory budget.
@Suite("Scans of stored rows")
struct StoredScanTests {
    private typealias Note = Model.Note
    private static let count = 5_000

    private static func open(_ disk: any FileSystem, fitsMemory: Bool = false) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: 1),
            configuration: LogConfiguration(), mode: .readWrite, durability: .commit,
            retention: .everything, compactsAutomatically: false, loading: .ahead,
            memory: fitsMemory ? .standard : .megabytes(0), types: [Note.self, Model.Folder.self],
            waitingSlotsMin: 0)
    }

    /// - Parameter isOrdered: whether notes are in the order of their slots: else their folders name them before.
    private static func makeDisk(isOrdered: Bool = true) throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        disk.restart(with: try (isOrdered ? ordered : unordered).get())
        return disk
    }

    private static let ordered = Result { try makeImage(isOrdered: true) }
    private static let unordered = Result { try makeImage(isOrdered: false) }

    private static func makeImage(isOrdered: Bool) throws -> DiskImage {
        let disk = SimulatedDisk()
        let store = try open(disk)
        let ids = Array(0..<count)
        if !isOrdered {
            try store.write { context in
                for number in 0..<10 {
                    let notes = ids.filter { $0 % 10 == number }
                    try Model.Folder(id: number, notes: .ids(notes)).save(to: &context)
                }
            }
        }
        try store.write { context in
            for id in ids { try Note(id).save(to: &context) }
            for number in 0..<10 where isOrdered {
                let notes = ids.filter { $0 % 10 == number }
                try Model.Folder(id: number, notes: .ids(notes)).save(to: &context)
            }
        }
        try store.compact()
        try store.close()
        return disk.image
    }

    private static let all = (0..<count).map(Note.init)

    private static func table(_ context: Context) throws -> AnyTable {
        try #require(
            context.tables.tables.unfilled.first { $0.descriptor === Note._descriptor })
    }

    private static func isFilled(_ context: Context) throws -> Bool {
        try table(context).hasFilled
    }

    @Test("Conditions joined by or are tested on stored rows", arguments: [true, false])
    func disjunction(isOrdered: Bool) throws {
        let context = try Self.open(try Self.makeDisk(isOrdered: isOrdered)).context
        let query = Note.filter(\.rank == 3 || \.code == 70)
        let expected = Self.all.filter { $0.rank == 3 || $0.code == 70 }
        #expect(query.resolve(in: context) == expected)
        #expect(query.count(in: context) == expected.count)
        #expect(query.first().resolve(in: context) == expected.first)
        #expect(query.last().resolve(in: context) == expected.last)
        let other = Note.filter(\.rank == 3).or(Note.filter(\.rank == 4))
        #expect(
            other.resolve(in: context).map(\.id)
                == (Self.all.filter { $0.rank == 3 } + Self.all.filter { $0.rank == 4 }).map(\.id))
        #expect(try !Self.isFilled(context))
    }

    @Test("A sort without an index is that of a filled table", arguments: [true, false])
    func sorted(isOrdered: Bool) throws {
        let context = try Self.open(try Self.makeDisk(isOrdered: isOrdered)).context
        let byText = Self.all.sorted { ($0.text, $0.id) < ($1.text, $1.id) }
        #expect(Note.query().sorted(by: \.text).resolve(in: context) == byText)
        let firsts = Note.query().sorted(by: \.text).limit(40, offset: 7)
        #expect(firsts.resolve(in: context) == Array(byText[7..<47]))
        #expect(Note.query().sorted(by: \.text).last().resolve(in: context) == byText.last)
        // Equal ones stay in insertion order, whichever leaf they are in.
        let byRank = Self.all.filter { $0.id != 5 }.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }
        let ranks = Note.filter(\.id != 5).sorted(by: \.rank)
        #expect(ranks.resolve(in: context) == byRank)
        #expect(ranks.limit(1_200).resolve(in: context) == Array(byRank[..<1_200]))
        #expect(try !Self.isFilled(context))
    }

    @Test("A sort in runs is one sort, by whatever it sorts", arguments: [16, 100, 4_999, 5_000])
    func runs(runCount: Int) throws {
        let table = try Self.table(try Self.open(try Self.makeDisk()).context)
        func sorted(_ comparator: RowComparator, keeping kept: Int) -> [Int] {
            var selection = ExternalSort(
                table, comparator, keeping: kept, runCount: runCount)
            StoredScan(table).forEach { slot, row in
                selection.add(slot, row)
                return true
            }
            return selection.finish().map { Int($0) }
        }
        var (byText, byRank, byBoth) = (RowComparator(), RowComparator(), RowComparator())
        byText.add(\Note.text)
        byRank.add(\Note.rank)
        byBoth.add(\Note.rank)
        byBoth.add(\Note.text.desc)
        let texts = Self.all.sorted { ($0.text, $0.id) < ($1.text, $1.id) }.map(\.id)
        let ranks = Self.all.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) }.map(\.id)
        let both = Self.all.sorted { ($0.rank, $1.text) < ($1.rank, $0.text) }.map(\.id)
        for kept in [.max, 1_000, 3] {
            #expect(sorted(byText, keeping: kept) == Array(texts.prefix(kept)))
            #expect(sorted(byRank, keeping: kept) == Array(ranks.prefix(kept)))
            #expect(sorted(byBoth, keeping: kept) == Array(both.prefix(kept)))
        }
    }

    @Test("Rows are counted, added up and grouped as they are stored")
    func aggregates() throws {
        let context = try Self.open(try Self.makeDisk()).context
        let query = Note.filter(\.text < "note 5")
        let expected = Self.all.filter { $0.text < "note 5" }
        #expect(query.count(in: context) == expected.count)
        #expect(query.limit(17, offset: 3).count(in: context) == 17)
        #expect(query.limit(90_000, offset: 3).count(in: context) == expected.count - 3)
        #expect(try query.sum(\.code, in: context) == expected.reduce(0) { $0 + $1.code })
        #expect(Note.query().max(\.text, in: context) == Self.all.map(\.text).max())
        let groups = query.grouped(by: \.rank).counts(in: context)
        #expect(groups.map(\.key) == expected.map(\.rank).uniqued)
        #expect(groups.reduce(0) { $0 + $1.count } == expected.count)
        #expect(Note.filter(\.text == "none").exists(in: context) == false)
        #expect(try !Self.isFilled(context))
    }

    @Test("The first and the last in insertion order are right behind changes and deletes")
    func behindChanges() throws {
        let store = try Self.open(try Self.makeDisk())
        func ids(_ query: QueryList<Note>) -> [Int] {
            query.resolve(in: store.context).map(\.id)
        }
        #expect(ids(Note.query().limit(3)) == [0, 1, 2])
        try store.write { context in
            try Note.delete(id: 1, from: &context)
            var note = Note(2)
            note.text = "changed"
            try note.save(to: &context)
            try Note(Self.count + 1).save(to: &context)
        }
        #expect(ids(Note.query().limit(3)) == [0, 2, 3])
        #expect(ids(Note.filter(\.text == "changed")) == [2])
        #expect(Note.query().last().resolve(in: store.context)?.id == Self.count + 1)
        // It is behind all others now, at its former slot.
        try store.write { try Note(1).save(to: &$0) }
        let all = Note.query().resolve(in: store.context).map(\.id)
        #expect(ids(Note.query().limit(3)) == Array(all[..<3]))
        #expect(Note.query().last().resolve(in: store.context)?.id == all.last)
        #expect(all.sorted() == Array(0..<Self.count) + [Self.count + 1])
        try store.undo()
        #expect(ids(Note.query().limit(3)) == [0, 2, 3])
        #expect(try !Self.isFilled(store.context))
    }

    @Test("A scan caches no leaf, whatever it looks for", arguments: [true, false])
    func lasting(isOrdered: Bool) throws {
        let context = try Self.open(try Self.makeDisk(isOrdered: isOrdered)).context
        let table = try Self.table(context)
        let count = table.cachedLeafCount
        #expect(Note.query().resolve(in: context) == Self.all)
        #expect(Note.filter(\.text < "note 5").count(in: context) > 100)
        #expect(Note.query().sorted(by: \.text).resolve(in: context).count == Self.count)
        #expect(Note.filter(\.rank > 190).resolve(in: context).count > 100)
        #expect(Note.query().with(\.$folder).resolve(in: context).count == Self.count)
        #expect(Note.query().related(\.$folder).count(in: context) == Self.count)
        #expect(Model.Folder.query().with(\.$notes).resolve(in: context).count == 10)
        #expect(try Note.query().page(limit: 20, in: context).entities.count == 20)
        #expect(Note.query().last().resolve(in: context)?.id == Self.count - 1)
        #expect(context.danglingLinks().isEmpty)
        #expect(table.cachedLeafCount == count)
        #expect(try !Self.isFilled(context))
    }

    @Test(
        "Rows that an index names come in insertion order, also where the checkpoint does not say that slots do",
        arguments: [true, false])
    func insertionOrder(isOrdered: Bool) throws {
        let store = try Self.open(try Self.makeDisk(isOrdered: isOrdered))
        #expect(try Self.table(store.context).isScanOrderKnown == isOrdered)
        func found() -> [Int] { Note.filter(\.rank == 3).resolve(in: store.context).map(\.id) }
        var expected = Self.all.filter { $0.rank == 3 }.map(\.id)
        #expect(expected.count == 25)
        #expect(found() == expected)
        // The index names rows as they were stored, and those in leaves of the table's own as they are.
        try store.write { context in
            try Note.delete(id: expected[1], from: &context)
            for id in [expected[3], 0, Self.count + 1] {
                var note = Note(id)
                note.rank = id == expected[3] ? 4 : 3
                try note.save(to: &context)
            }
        }
        let (gone, other) = (expected[1], expected[3])
        expected = [0] + expected.filter { $0 != gone && $0 != other } + [Self.count + 1]
        #expect(found() == expected)
        // Its tombstone has kept its place.
        try store.write { try Note(gone).save(to: &$0) }
        expected.insert(gone, at: 2)
        #expect(found() == expected)
        #expect(try !Self.isFilled(store.context))
    }

    @Test("A plan says that stored rows are scanned, or which index finds them")
    func explained() throws {
        let context = try Self.open(try Self.makeDisk()).context
        let scan = Note.filter(\.text == "none").explain(in: context)
        #expect(scan.access == .storedScan)
        #expect(scan.description.contains("scan of stored rows, \(Self.count) candidates"))
        let few = Note.filter(\.rank == 3).explain(in: context)
        #expect("\(few.access)" == "ordered index byRank (rank)")
        #expect(few.candidates == 25)
        let many = Note.filter(\.rank < 150).explain(in: context)
        #expect(many.access == .storedScan)
        #expect(try !Self.isFilled(context))
    }

    @Test("Pages go on where the last one ended, without the rows before")
    func pages() throws {
        let store = try Self.open(try Self.makeDisk())
        let query = Note.filter(\.rank != 3)
        var ids: [Int] = []
        var cursor: QueryCursor?
        repeat {
            let page = try query.page(after: cursor, limit: 700, in: store.context)
            ids += page.entities.map(\.id)
            cursor = page.next
        } while cursor != nil
        #expect(ids == Self.all.filter { $0.rank != 3 }.map(\.id))
        #expect(try !Self.isFilled(store.context))
    }

    @Test("A value that must be unique is found although no index of it is stored")
    func uniqueValues() throws {
        let store = try Self.open(try Self.makeDisk())
        func save(_ id: Int, mark: Int) throws {
            try store.write { context in
                var note = Note(id)
                note.mark = mark
                try note.save(to: &context)
            }
        }
        #expect(throws: (any Error).self) { try save(Self.count + 1, mark: 4_000) }
        try save(Self.count + 1, mark: Self.count + 2)
        // Of what was put since, too; and a value that was left is free.
        #expect(throws: (any Error).self) { try save(Self.count + 2, mark: Self.count + 2) }
        try save(3_999, mark: Self.count + 9)
        try save(Self.count + 2, mark: 4_000)
        #expect(throws: (any Error).self) { try save(Self.count + 3, mark: 4_000) }
        #expect(try !Self.isFilled(store.context))
        #expect(Note.filter(\.double == 8_000).resolve(in: store.context).map(\.id) == [5_002])
    }

    @Test("Writes, undo and a compaction leave the table as it is stored")
    func writes() throws {
        let store = try Self.open(try Self.makeDisk())
        try store.write { context in
            try Note.update(where: \.rank == 7, in: &context) { $0.text = "seven" }
            #expect(Note.filter(\.text == "seven").count(in: context) == 25)
            #expect(throws: (any Error).self) {
                var rival = Note(Self.count + 5)
                rival.code = 7
                rival.mark = Self.count + 6
                try rival.save(to: &context)
            }
        }
        try store.compact()
        try store.write { try $0.checkRequiredRelations() }
        #expect(Note.filter(\.text == "seven").count(in: store.context) == 25)
        try store.undo()
        try store.undo()
        #expect(Note.filter(\.text == "seven").count(in: store.context) == 0)
        #expect(try !Self.isFilled(store.context))
    }
}

extension [Int] {
    /// Each once, at its first place.
    fileprivate var uniqued: [Int] {
        var seen: Set<Int> = []
        return filter { seen.insert($0).inserted }
    }
}
