import Testing
import Varve
import VarveLog
import VarveTestSupport

/// What a version of the app has to find in the first version's log.
struct PastOfItems<App: ItemApp> {
    let log: FirstItemsLog
    let comment: Comment
    /// What the transactions may have changed that the app does not know.
    private let unknownNames: Set<String>

    init(log: FirstItemsLog, comment: String, unknownNames: Set<String> = App.unknownNames) {
        self.log = log
        self.comment = Comment(rawValue: comment)
        self.unknownNames = unknownNames
    }

    private var last: Int { log.states.count - 1 }

    private func open(_ disk: SimulatedDisk) throws -> Store {
        try FirstItemsLog.open(App.self, disk)
    }

    private func point(_ transaction: Int) -> HistoryPoint {
        .transaction(TransactionID(UInt64(transaction)))
    }

    private func expect(
        _ context: Context, is transaction: Int, _ what: String,
        location: SourceLocation = #_sourceLocation
    ) {
        context.checkInvariants()
        let found = App.lines(context)
        let expected = App.seen(log.states[transaction])
        #expect(
            found == expected, "\(comment), \(what), transaction \(transaction)",
            sourceLocation: location)
    }

    /// Does what an app may refuse that does not know all properties and relations of the transactions; false where
    /// it did. Then nothing may have changed.
    private func isDone(
        _ store: Store, reversing transactions: ClosedRange<Int>, _ body: () throws -> Void
    ) throws -> Bool {
        let before = App.lines(store.context)
        do {
            try body()
            return true
        } catch StoreError.conflicts(let conflicts) {
            for conflict in conflicts {
                guard case .unknownToApp(let name) = conflict.reason else {
                    Issue.record("\(comment), \(transactions): \(conflict)")
                    continue
                }
                #expect(unknownNames.contains(name), comment)
                // What such an app does not see has changed indeed.
                if name == "level" {
                    #expect(
                        transactions.contains { changesLevel($0) }, "\(comment), \(transactions)")
                }
            }
            #expect(App.lines(store.context) == before, comment)
            store.context.checkInvariants()
            return false
        }
    }

    /// Whether a transaction changed the level of an item that it did not insert.
    private func changesLevel(_ transaction: Int) -> Bool {
        guard transaction > 0, transaction < log.items.count else { return true }
        return log.items[transaction].contains { id, words in
            guard let before = log.items[transaction - 1][id] else { return true }
            return before.firstMatch(of: #/ L-?\d+\./#)?.output
                != words.firstMatch(of: #/ L-?\d+\./#)?.output
        }
    }

    // MARK: - Reading

    func checkStates(_ store: Store) throws {
        for transaction in 0...last {
            for route in [PastRoute.back, .forth, .shorter] {
                expect(
                    try store.context(asOf: point(transaction), route), is: transaction, "\(route)")
            }
        }
        let savepoint = try #require(store.savepoints.first)
        expect(
            try store.context(asOf: .savepoint("middle")),
            is: Int(savepoint.transaction.rawValue), "savepoint")
    }

    func checkHistory(_ store: Store) throws {
        for id in 1...5 {
            let versions = try store.history(of: App.Item.self, id: id)
            for version in versions {
                let transaction = Int(version.transaction.id.rawValue)
                // Behind the log are what this test has done since.
                guard transaction < log.items.count, let words = log.items[transaction][id]
                else { continue }
                // A transaction may have deleted it and brought it back.
                guard version.change == .inserted || version.change == .updated else { continue }
                let entity = try #require(version.entity, comment)
                #expect(
                    App.words(entity) == App.seen(words),
                    "\(comment), item \(id), transaction \(transaction)")
            }
            let blame = try store.blame(of: App.Item.self, id: id)
            for (property, transaction) in blame {
                #expect(
                    versions.contains {
                        $0.transaction.id == transaction.id
                            && $0.changedProperties.contains(property)
                    }, comment)
            }
        }
    }

    func checkDiffs(_ store: Store) throws {
        for (first, second) in [(0, last), (last / 2, last), (last, 1), (last / 3, last / 2)] {
            let diff = try store.diff(from: point(first), to: point(second))
            expect(diff.before, is: first, "before")
            expect(diff.after, is: second, "after")
            for change in try diff.changes(of: App.Item.self) {
                let before = log.items[first][change.id].map(App.seen)
                let after = log.items[second][change.id].map(App.seen)
                #expect(change.before.map(App.words) == before, comment)
                #expect(change.after.map(App.words) == after, comment)
            }
        }
        let preview = try store.preview { context in
            for id in 1...5 { try App.Item.delete(id: id, from: &context) }
        }
        expect(preview.before, is: last, "preview")
        #expect(preview.after.count(App.Item.self) == 0, comment)
    }

    func checkFeed(_ store: Store) async throws {
        var items: [Int: App.Item] = [:]
        var feed = store.changes().makeAsyncIterator()
        for transaction in 1...last {
            guard case .transaction(let change) = try #require(try await feed.next(), comment)
            else { return }
            for change in try change.changes(of: App.Item.self) {
                switch change {
                case .inserted(let item): items[item.id] = item
                case .updated(let update):
                    let item = try #require(items[update.id], comment)
                    items[update.id] = try update.applied(to: item)
                case .deleted(let item):
                    #expect(items.removeValue(forKey: item.id).map(App.words) == App.words(item))
                case .linked, .purged, .unreadable: break
                }
            }
            #expect(
                items.mapValues(App.words) == log.items[transaction].mapValues(App.seen),
                "\(comment), transaction \(transaction)")
        }
    }

    // MARK: - Changing

    func checkUndo() throws {
        let disk = log.disk()
        var store = try open(disk)
        var undone: [Int] = []
        for step in log.steps.reversed() {
            let isUndone = try isDone(store, reversing: step...step) {
                let done = try store.undo()
                #expect(done.transactions == [TransactionID(UInt64(step))], comment)
            }
            guard isUndone else { break }
            undone.append(step)
            expect(store.context, is: step - 1, "undone")
            try checkPast(store)
        }
        #expect(!unknownNames.isEmpty || undone.count == log.steps.count, comment)
        try store.close()
        store = try open(disk)
        try checkPast(store)
        for step in undone.reversed() {
            try store.redo()
            expect(store.context, is: step, "redone")
        }
        try checkStates(store)
    }

    /// Of each step alone, as the first thing that the new version does.
    func checkUndoApart() throws {
        let disk = log.disk()
        for step in log.steps.reversed().prefix(5) {
            let store = try open(disk)
            guard try isDone(store, reversing: step...step, { try store.undo() }) else { break }
            expect(store.context, is: step - 1, "undone")
            try store.close()
            let reader = try FirstItemsLog.open(App.self, SimulatedDisk(disk.image), .readOnly)
            expect(reader.context, is: step - 1, "read again")
        }
    }

    private func checkPast(_ store: Store) throws {
        for transaction in [0, last / 2, last] {
            expect(try store.context(asOf: point(transaction)), is: transaction, "looked back")
        }
    }

    func checkRewinds() throws {
        for transaction in [0, 1, last / 2, last - 1] {
            let store = try open(log.disk())
            let isRewound = try isDone(store, reversing: (transaction + 1)...last) {
                try store.rewind(to: point(transaction))
            }
            guard isRewound else { continue }
            expect(store.context, is: transaction, "rewound")
            try store.undo()
            expect(store.context, is: last, "undone")
        }
        let store = try open(log.disk())
        let savepoint = Int(try #require(store.savepoints.first).transaction.rawValue)
        let isRewound = try isDone(store, reversing: (savepoint + 1)...last) {
            try store.rewind(to: .savepoint("middle"))
        }
        if isRewound { expect(store.context, is: savepoint, "savepoint") }
    }

    /// The first version, of which no definition has changed, tells what is to be.
    func checkReverts() throws {
        for step in log.steps.suffix(6) {
            for force in [false, true] {
                func outcome<Other: ItemApp>(_ app: Other.Type) throws -> String {
                    let store = try FirstItemsLog.open(app, log.disk())
                    do {
                        try store.revert(
                            TransactionID(UInt64(step)), UndoOptions(force: force))
                        return app.lines(store.context)
                    } catch StoreError.conflicts {
                        return "conflicts"
                    }
                }
                let expected = try outcome(FirstItems.self)
                // To-many relations do not conflict where a to-one relation does, and what an app does not know,
                // it does not change.
                let isComparable = App.self != ManyItems.self && App.self != ReducedItems.self
                let found = try outcome(App.self)
                if isComparable {
                    #expect(
                        found == App.seen(expected),
                        "\(comment), transaction \(step), force \(force)")
                }
            }
        }
    }

    func checkRestoring() throws {
        for isWhole in [false, true] {
            for id in 1...5 {
                func outcome<Other: ItemApp>(_ app: Other.Type) throws -> String {
                    let store = try FirstItemsLog.open(app, log.disk())
                    if isWhole {
                        try store.restoreDeletion(of: app.Item.self, id: id)
                    } else {
                        try store.restore(app.Item.self, id: id)
                    }
                    return app.lines(store.context)
                }
                let expected = try outcome(FirstItems.self)
                let found = try outcome(App.self)
                #expect(found == App.seen(expected), "\(comment), item \(id)")
            }
        }
    }

    func checkCompaction() throws {
        let step = try #require(log.steps.last)
        for writesFirst in [false, true] {
            let disk = log.disk()
            var store = try open(disk)
            let isUndone =
                try writesFirst && isDone(store, reversing: step...step) { try store.undo() }
            try store.compact(retaining: .everything)
            try checkStates(store)
            try store.close()
            store = try open(disk)
            try checkStates(store)
            if isUndone { try store.redo() }
            guard try isDone(store, reversing: step...step, { try store.undo() }) else { continue }
            expect(store.context, is: step - 1, "undone")
            try store.compact(retaining: .everything, for: .size)
            try store.close()
            expect(try open(disk).context, is: step - 1, "undone, and read again")
        }
    }

    /// The first version reads what this one has written, or refuses it by name.
    func checkFirstApp() throws {
        let disk = log.disk()
        let store = try open(disk)
        var undone: [Int] = []
        for step in log.steps.suffix(3).reversed() {
            guard try isDone(store, reversing: step...step, { try store.undo() }) else { break }
            undone.append(step)
        }
        let redone = Array(undone.reversed().dropLast())
        for _ in redone { try store.redo() }
        try store.close()
        guard App.isReadByFirst else {
            #expect(throws: StoreError.self, comment) {
                try FirstItemsLog.open(FirstItems.self, disk)
            }
            return
        }
        let first = PastOfItems<FirstItems>(
            log: log, comment: "\(comment), first", unknownNames: App.namesUnknownToFirst)
        let again = try FirstItemsLog.open(FirstItems.self, disk)
        let newest = undone.isEmpty ? last : undone[0] - 1
        first.expect(again.context, is: newest, "newest")
        try first.checkStates(again)
        try first.checkHistory(again)
        try first.checkMoves(again, redoing: undone.isEmpty ? [] : [undone[0]])
        try again.close()
        // What the first version has changed, this one shows.
        let lines = App.seen(FirstItems.lines(again.context))
        let reopened = try open(disk)
        reopened.context.checkInvariants()
        #expect(App.lines(reopened.context) == lines, comment)
    }

    private func checkMoves(_ store: Store, redoing: [Int]) throws {
        for step in redoing {
            guard try isDone(store, reversing: step...step, { try store.redo() }) else { return }
            expect(store.context, is: step, "redone")
        }
        for step in log.steps.reversed() {
            guard try isDone(store, reversing: step...step, { try store.undo() }) else { return }
            expect(store.context, is: step - 1, "undone")
        }
    }
}
