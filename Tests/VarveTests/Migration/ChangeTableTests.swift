import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The table of changes in Docs/MIGRATING.md")
struct ChangeTableTests {
    private func open(
        _ disk: any FileSystem, _ types: [any EntityModelProtocol.Type],
        _ migrations: [Migration] = []
    ) throws -> Store {
        try Store(
            in: disk, mode: .readWrite, durability: .commit, compactsAutomatically: false,
            migrations: migrations, types: types)
    }

    @Test("The store of the earlier build holds what today's build writes")
    func golden() throws {
        let disk = SimulatedDisk()
        let today = try open(disk, Former.types)
        try Former.fill(today)
        let golden = try open(EarlierStore.former.disk(), Former.types)
        #expect(golden.lastTransaction == today.lastTransaction)
        for transaction in 0...2 {
            let point = HistoryPoint.transaction(TransactionID(UInt64(transaction)))
            let (was, isNow) = try (golden.context(asOf: point), today.context(asOf: point))
            #expect(Former.describe(was) == Former.describe(isNow), "behind \(transaction)")
        }
        #expect(Former.describe(golden.context).count == 6)
    }

    /// The first and the second column of the table.
    private static func rows() throws -> [(change: String, effect: String)] {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Docs/MIGRATING.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let table = text.split(separator: "\n## ").first { $0.hasPrefix("Every change\n") }
        return (table ?? "").split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
            .compactMap { line in
                let cells = line.split(separator: "|").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                return cells.count == 2 ? (cells[0], cells[1]) : nil
            }
    }

    @Test("Each row of the table has a case here, and needs a step where the row says so")
    func table() throws {
        let rows = try Self.rows()
        #expect(Set(rows.map(\.change)) == Set(ChangeCase.all.map(\.row)))
        for row in rows {
            let cases = ChangeCase.all.filter { $0.row == row.change }
            if row.effect.hasPrefix("by itself") {
                #expect(cases.contains { $0.migrations.isEmpty }, "\(row)")
            }
            if row.effect.hasPrefix("refused") {
                #expect(cases.contains { $0.refused != nil }, "\(row)")
            }
        }
    }

    @Test(
        "A change happens as its row says, live and in the log",
        arguments: ChangeCase.all + ChangeCase.ofAlbum)
    func change(_ change: ChangeCase) throws {
        let (disk, last) = (try change.origin.disk(), change.origin.last)
        if let refused = change.refused {
            let before = disk.image.withoutLock
            #expect(throws: StoreError.self) { try open(disk, refused) }
            #expect(disk.image.withoutLock == before, "a refused store is as it was")
        }
        let store = try open(disk, change.types, change.migrations)
        #expect(change.describe(store.context) == change.expected)
        store.context.checkInvariants()
        #expect(store.lastTransaction.rawValue - last.rawValue <= 1)
        try store.close()
        let again = try open(disk, change.types, change.migrations)
        #expect(change.describe(again.context) == change.expected)
        #expect(again.lastTransaction == store.lastTransaction)
        try again.compact()
        try again.close()
        let compacted = try open(disk, change.types, change.migrations)
        #expect(change.describe(compacted.context) == change.expected)
        if let gone = change.gone {
            let without = try open(change.origin.disk(), change.types, [])
            #expect(unread(without).contains(gone), "nothing would show that a step did nothing")
            #expect(!unread(compacted).contains(gone))
        }
    }

    /// What the app does not read, as types and `type.property`.
    private func unread(_ store: Store) -> [String] {
        let unread = store.opening.unread
        return unread.types.map(\.type) + unread.properties.map { "\($0.type).\($0.property)" }
            + unread.relations.map { "\($0.type).\($0.relation)" }
    }

    @Test(
        "A power cut or a kill at any step of the opening leaves the store before or behind the change",
        arguments: ChangeCase.all + ChangeCase.ofAlbum)
    func crashes(_ change: ChangeCase) throws {
        let (former, last) = (try change.origin.disk(), change.origin.last)
        let disk = SimulatedDisk(former.image)
        let newest = try open(disk, change.types, change.migrations).lastTransaction
        let operations = disk.operations
        var generator = SeededGenerator(seed: 41)
        var found: Set<TransactionID> = []
        for position in 0...operations.count {
            let point = disk.crashPoint(at: position)
            // A killed process leaves everything; a power cut leaves some of it.
            let killed = [Survival](repeating: .whole, count: point.pending.count)
            let fates = SimulatedDisk.survivals(at: point, of: operations, using: &generator)
            for survivals in [killed] + fates.shuffled(using: &generator).prefix(2) {
                let image = disk.image(at: point, survivals)
                let log = try ScannedLog.scan(SimulatedDisk(image), mode: .readOnly)
                let left = TransactionID(log.lastSequence.rawValue)
                found.insert(left)
                #expect(left == last || left == newest, "at \(position), \(survivals)")
                let store = try open(SimulatedDisk(image), change.types, change.migrations)
                #expect(store.lastTransaction == newest, "at \(position), \(survivals)")
                #expect(
                    change.describe(store.context) == change.expected,
                    "at \(position), \(survivals)")
            }
        }
        #expect(found == [last, newest])
    }
}
