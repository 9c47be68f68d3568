import Foundation
import Testing
import Varve
import VarveTestSupport

/// Random steps of scopes that overlap, against a model that knows of each item which write made its current
/// version, and nothing of logs.
@Suite("Undo of overlapping scopes equals chains of versions")
struct UndoVersionsLawTests {
    @Test("Whatever scopes do to one another", arguments: 1...8 as ClosedRange<UInt64>)
    func overlapping(seed: UInt64) throws {
        var run = try VersionRun(seed: seed)
        for _ in 0..<120 {
            switch Int.random(in: 0..<20, using: &run.random) {
            case 0..<8: try run.write()
            case 8: try run.writeGroup()
            case 9..<14: try run.move(isUndo: true)
            case 14..<17: try run.move(isUndo: false)
            case 17: try run.revert()
            case 18: try run.reopen()
            default: try run.write(scope: 3)
            }
        }
    }
}

/// Something that one transaction writes as a whole.
private enum Item: Hashable {
    case title(Int)
    case text(Int)
    case sequel(Int)
    case related(Int, Int)
    case shelf(String)
    case label(String)
}

/// Which write made each item's current version; 0 for what no write made.
private typealias Versions = [Item: UInt64]

private struct VersionModel {
    /// By transaction.
    var versions: [Versions]
    /// What each write made of an item.
    var values: [UInt64: [Item: String]] = [:]
    var initial: [Item: String]

    var now: Versions { versions[versions.count - 1] }

    func value(of item: Item, _ versions: Versions) -> String? {
        let version = versions[item] ?? 0
        return version == 0 ? initial[item] : values[version]?[item]
    }

    func value(of item: Item) -> String? { value(of: item, now) }

    mutating func write(_ changes: [Item: String?]) {
        let transaction = UInt64(versions.count)
        var next = now
        for (item, value) in changes {
            next[item] = transaction
            values[transaction, default: [:]][item] = value
        }
        versions.append(next)
    }

    /// Takes transactions back, newest first. Nil where another write stands against it.
    func takingBack(_ transactions: [UInt64]) -> Versions? {
        var next = now
        for transaction in transactions {
            let before = versions[Int(transaction) - 1]
            let after = versions[Int(transaction)]
            let current = next
            for item in Set(before.keys).union(after.keys)
            where (before[item] ?? 0) != (after[item] ?? 0) {
                // A step that left everything as it was says nothing of it.
                if value(of: item, before) == value(of: item, after) {
                    if current[item] == after[item] { next[item] = before[item] }
                    continue
                }
                guard takeBack(item, from: before, to: after, current, &next)
                else { return nil }
            }
        }
        return next
    }

    private func takeBack(
        _ item: Item, from before: Versions, to after: Versions, _ current: Versions,
        _ next: inout Versions
    ) -> Bool {
        let now = current[item] ?? 0
        func hasRow(_ id: String, _ versions: Versions) -> Bool {
            value(of: .shelf(id), versions) == "there"
        }
        switch item {
        case .label(let id):
            // Of a row that came or went the row decides; else it must be the same row still.
            let row = Item.shelf(id)
            if hasRow(id, before) != hasRow(id, after) { return true }
            if (current[row] ?? 0) != (after[row] ?? 0) { return false }
        case .shelf(let id):
            if now != (after[item] ?? 0) { return now == (before[item] ?? 0) }
            next[item] = before[item]
            guard hasRow(id, before) != hasRow(id, after) else { return true }
            if hasRow(id, after), (current[.label(id)] ?? 0) != (after[.label(id)] ?? 0) {
                return false
            }
            next[.label(id)] = before[.label(id)]
            return true
        case .title, .text, .sequel, .related: break
        }
        if now == (after[item] ?? 0) {
            next[item] = before[item]
            return true
        }
        return now == (before[item] ?? 0)
    }
}

private struct VersionRun {
    private static let scopes: [String?] = ["a", "b", nil]
    private static let books = 0..<3

    let seed: UInt64
    var random: SeededGenerator
    private let disk = MemoryFileSystem()
    private var store: Store
    private var model: VersionModel
    private var last = "opening"

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        store = try Self.open(disk)
        try store.write(options: WriteOptions(undoable: false)) { context in
            for id in Self.books { try Book(id: id, title: "x", text: "x").save(to: &context) }
        }
        model = VersionModel(versions: [[:], [:]], initial: Self.items(store.context))
    }

    private static func open(_ disk: MemoryFileSystem) throws -> Store {
        try Store(
            in: disk, mode: .readWrite, durability: .none, retention: .everything,
            compactsAutomatically: false, types: [Author.self, Shelf.self])
    }

    private var comment: Comment { "seed \(seed), transaction \(store.lastTransaction): \(last)" }

    private static func items(_ context: Context) -> [Item: String] {
        var items: [Item: String] = [:]
        for id in books {
            let book = Book.query(id).id(\.$sequel).id(\.$related).resolve(in: context)
            items[.title(id)] = book?.title
            items[.text(id)] = book?.text
            items[.sequel(id)] = book?.$sequel.id.map { "\($0)" } ?? "-"
            for other in book?.$related.ids ?? [] { items[.related(id, other)] = "linked" }
        }
        for shelf in Shelf.query().resolve(in: context) {
            items[.shelf(shelf.id)] = "there"
            items[.label(shelf.id)] = shelf.label ?? "-"
        }
        for deleted in Deleted<Shelf>.query().resolve(in: context) {
            items[.shelf(deleted.id)] = "deleted, \(deleted.entity.label ?? "-")"
        }
        return items
    }

    // MARK: - Writes

    private mutating func change(_ context: inout Context) throws {
        let book = Int.random(in: Self.books, using: &random)
        let other = Int.random(in: Self.books, using: &random)
        let value = ["x", "y"].randomElement(using: &random) ?? ""
        guard var changed = Book.query(book).resolve(in: context) else { return }
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: changed.title = value
        case 2: changed.text = value
        case 3: changed.$sequel = Bool.random(using: &random) ? .id(other) : .null
        case 4, 5:
            var ids = Book.query(book).id(\.$related).resolve(in: context)?.$related.ids ?? []
            if let position = ids.firstIndex(of: other) {
                ids.remove(at: position)
            } else {
                ids.append(other)
            }
            changed.$related = .ids(ids)
        case 6:
            try Shelf.delete(id: "s\(book)", from: &context)
            return
        default:
            try Shelf(id: "s\(book)", label: value).save(to: &context)
            return
        }
        try changed.save(to: &context)
    }

    mutating func write(scope: Int? = nil, changes: Int? = nil) throws {
        let scope = scope ?? Int.random(in: 0..<3, using: &random)
        var options = WriteOptions(undoable: scope < 3)
        if scope < 3 { options.scope = Self.scopes[scope] }
        last = "write of \(scope)"
        let before = Self.items(store.context)
        let number = store.lastTransaction
        var run = self
        try store.write(options: options) { context in
            for _ in 0..<(changes ?? Int.random(in: 1...3, using: &run.random)) {
                try run.change(&context)
            }
        }
        random = run.random
        guard store.lastTransaction > number else { return }
        let after = Self.items(store.context)
        var changes: [Item: String?] = [:]
        for item in Set(before.keys).union(after.keys) where before[item] != after[item] {
            changes[item] = .some(after[item])
        }
        // A row that comes brings all its fields, one that goes takes them.
        for case .shelf(let id) in changes.keys
        where before[.shelf(id)] == "there" || after[.shelf(id)] == "there" {
            changes[.label(id)] = .some(after[.label(id)])
        }
        model.write(changes)
        check()
    }

    mutating func writeGroup() throws {
        let scope = Int.random(in: 0..<3, using: &random)
        let store = store
        var run = self
        try store.group("group \(store.lastTransaction)") {
            for _ in 0..<3 { try run.write(scope: scope, changes: 1) }
            if Bool.random(using: &run.random) { try run.write(scope: (scope + 1) % 3) }
        }
        self = run
    }

    // MARK: - Moves

    mutating func move(isUndo: Bool) throws {
        let scope = Self.scopes.randomElement(using: &random) ?? nil
        let steps = isUndo ? store.undoSteps(scope: scope) : store.redoSteps(scope: scope)
        guard let step = steps.first else { return }
        let transactions = step.transactions.map(\.rawValue)
        last = "\(isUndo ? "undo" : "redo") of \(transactions) in \(scope ?? "-")"
        let store = store
        try expect(transactions) {
            _ = isUndo ? try store.undo(scope: scope) : try store.redo(scope: scope)
            return true
        }
    }

    mutating func revert() throws {
        let number = UInt64.random(in: 2...max(2, store.lastTransaction.rawValue), using: &random)
        guard number <= store.lastTransaction.rawValue else { return }
        let scope = Self.scopes.randomElement(using: &random) ?? nil
        last = "revert of \(number)"
        let store = store
        try expect([number]) {
            try store.revert(TransactionID(number), UndoOptions(scope: scope)) != nil
        }
    }

    private mutating func expect(_ transactions: [UInt64], _ body: () throws -> Bool) throws {
        let expected = model.takingBack(transactions.sorted(by: >))
        do {
            let isAppended = try body()
            guard let expected else {
                Issue.record("nothing stood against it: \(comment)")
                return
            }
            if isAppended { model.versions.append(expected) }
        } catch StoreError.conflicts(let conflicts) {
            #expect(expected == nil, "\(conflicts): \(comment)")
        }
        check()
    }

    mutating func reopen() throws {
        last = "reopening"
        if Bool.random(using: &random) { try store.compact() }
        try store.close()
        store = try Self.open(disk)
        check()
    }

    private func check() {
        #expect(store.lastTransaction.rawValue + 1 == UInt64(model.versions.count), comment)
        let items = Self.items(store.context)
        for item in Set(items.keys).union(model.now.keys) {
            #expect(items[item] == model.value(of: item), "\(item), \(comment)")
        }
        store.context.checkInvariants()
    }
}
