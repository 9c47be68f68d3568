import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// A store beside a model that keeps whole snapshots: what every state was, and what each scope's
/// stacks must come to.
///
/// Each scope changes entities of its own, so that what it undoes is what a snapshot of its part says,
/// whatever the other scopes do meanwhile.
struct UndoModel {
    /// A step of a scope: of the undo stack with what there was before it, of the redo stack with what
    /// there will be behind it.
    struct Step {
        var transactions: [TransactionID]
        var label: String?
        var key: String?
        var content: String

        var oldest: TransactionID { transactions[0] }
    }

    struct Scope {
        let name: String?
        /// Which entities it changes.
        let part: Int
        var past: [Step] = []
        var future: [Step] = []
        var isOpen = false

        /// What can be redone: all or nothing, because without the oldest the newest step is out of reach.
        func redoable(from floor: TransactionID) -> [Step] {
            future.allSatisfy { $0.oldest >= floor } ? future : []
        }
    }

    let seed: UInt64
    let retention: Retention
    var random: SeededGenerator
    var disk = SimulatedDisk()
    var environment: SimulatedEnvironment
    var store: Store
    var scopes: [Scope]
    /// By transaction.
    var snapshots: [String] = []
    var savepoints: [String: TransactionID] = [:]
    /// What was done last, for people.
    var last = ""

    init(seed: UInt64, scopes: [String?], retention: Retention) throws {
        self.seed = seed
        self.retention = retention
        random = SeededGenerator(seed: seed)
        environment = SimulatedEnvironment(seed: seed)
        self.scopes = scopes.enumerated().map { Scope(name: $1, part: $0) }
        store = try Self.open(disk, environment, retention)
        snapshots = [describe(store.context)]
    }

    static func open(
        _ disk: SimulatedDisk, _ environment: SimulatedEnvironment, _ retention: Retention
    ) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(16_384)
        configuration.frameBytesMax = ByteCount(2_048)
        return try Store(
            in: disk, environment: environment, configuration: configuration,
            mode: .readWrite, durability: .commit, retention: retention,
            compactsAutomatically: false, types: [Author.self, Shelf.self])
    }

    // MARK: - Contents

    /// What a scope sees of a state: its own entities, and what their links wait for.
    func part(_ part: Int, of context: Context) -> String {
        guard scopes.count > 1 else { return Self.whole(context) }
        return Self.whole(context).split(separator: "\n").filter { line in
            Self.part(ofLine: line) == part
        }.joined(separator: "\n")
    }

    static func whole(_ context: Context) -> String {
        let dangling = context.danglingLinks().map {
            "Dangling \($0.id) \($0.type) \($0.relation) \($0.targetID) \($0.isDeleted)"
        }.sorted()
        return ([content(context)] + dangling).joined(separator: "\n")
    }

    /// The ids of all types begin with a number of the part, or are that many hundreds.
    private static func part(ofLine line: Substring) -> Int {
        let words = line.split(separator: " ")
        let id = words[1].drop { !$0.isNumber }
        return (Int(id) ?? 0) / 100
    }

    var comment: Comment { "seed \(seed), transaction \(store.lastTransaction): \(last)" }

    // MARK: - Notes

    /// Notes the snapshots of transactions that were appended.
    mutating func noteSnapshots() {
        store.context.checkInvariants()
        if UInt64(snapshots.count) <= store.lastTransaction.rawValue {
            snapshots.append(describe(store.context))
        }
        #expect(UInt64(snapshots.count) == store.lastTransaction.rawValue + 1, comment)
    }

    /// Notes a step, or that a write joined the one on top.
    mutating func push(
        _ index: Int, label: String?, key: String? = nil, joins: Bool = false, before: String
    ) {
        let transaction = store.lastTransaction
        var scope = scopes[index]
        if joins, scope.isOpen, !scope.past.isEmpty, scope.past[scope.past.count - 1].key == key {
            scope.past[scope.past.count - 1].transactions.append(transaction)
            scope.past[scope.past.count - 1].label = label
        } else {
            scope.past.append(
                Step(transactions: [transaction], label: label, key: key, content: before))
        }
        scope.future = []
        scope.isOpen = true
        scopes[index] = scope
    }

    // MARK: - Checks

    func check() {
        let floor = store.floor
        for scope in scopes {
            let past = scope.past.reversed().prefix { $0.oldest >= floor }
            let future = scope.redoable(from: floor).reversed()
            #expect(store.canUndo(scope: scope.name) == !past.isEmpty, comment)
            #expect(store.canRedo(scope: scope.name) == !future.isEmpty, comment)
            #expect(store.undoLabel(scope: scope.name) == past.first?.label, comment)
            #expect(store.redoLabel(scope: scope.name) == future.first?.label, comment)
            let undo = store.undoSteps(scope: scope.name)
            let redo = store.redoSteps(scope: scope.name)
            #expect(undo.map(\.transactions) == past.map(\.transactions), comment)
            #expect(redo.map(\.transactions) == future.map(\.transactions), comment)
            #expect(undo.map(\.label) == past.map(\.label), comment)
            #expect(redo.map(\.label) == future.map(\.label), comment)
        }
        let kept = savepoints.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        #expect(store.savepoints.map(\.name) == kept.map(\.key), comment)
        #expect(store.savepoints.map(\.transaction) == kept.map(\.value), comment)
        if let oldest = kept.first?.value { #expect(floor <= oldest, comment) }
    }

    /// One state of the past is what it was.
    func check(_ number: Int) throws {
        let id = TransactionID(UInt64(number))
        guard id.rawValue + 1 >= store.floor.rawValue || id == store.lastTransaction else {
            do {
                _ = try store.context(asOf: .transaction(id))
                Issue.record("as of \(number), below the floor: \(comment)")
            } catch StoreError.belowFloor(id, let floor) {
                #expect(floor == store.floor, comment)
            }
            return
        }
        for route in [PastRoute.back, .forth] {
            let then = try store.context(asOf: .transaction(id), route)
            #expect(
                difference(snapshots[number], describe(then)) == nil,
                "as of \(number), \(route): \(comment)")
            then.checkInvariants()
        }
    }

    func expect(_ expected: String, _ found: String, _ what: String) {
        #expect(difference(expected, found) == nil, "\(what), \(comment)")
    }
}
