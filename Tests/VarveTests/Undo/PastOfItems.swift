import Testing
import Varve
import VarveLog
import VarveTestSupport

/// What a version of the app has to find in the first version's log.
struct PastOfItems<App: ItemApp> {
    let log: FirstItemsLog
    let comment: Comment

    init(log: FirstItemsLog, comment: String) {
        self.log = log
        self.comment = Comment(rawValue: comment)
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
        if !App.hasOneSidedPast { context.checkInvariants() }
        let found = comparable(App.lines(context))
        let expected = comparable(App.seen(log.states[transaction]))
        #expect(
            found == expected, "\(comment), \(what), transaction \(transaction)",
            sourceLocation: location)
    }

    /// A relation that got another side forgets what was deleted: of that, the first version says something else.
    private func comparable(_ lines: String) -> String {
        App.hasOneSidedPast ? lines.replacing(#/ friend [^\n]*/#, with: "") : lines
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
        for step in log.steps.reversed() {
            let undone = try store.undo()
            #expect(undone.transactions == [TransactionID(UInt64(step))], comment)
            expect(store.context, is: step - 1, "undone")
            try checkPast(store)
        }
        try store.close()
        store = try open(disk)
        try checkPast(store)
        for step in log.steps {
            try store.redo()
            expect(store.context, is: step, "redone")
        }
        try checkStates(store)
    }

    /// Of each step alone, as the first thing that the new version does.
    func checkUndoApart() throws {
        let disk = log.disk()
        for (index, step) in log.steps.enumerated().reversed() {
            let store = try open(disk)
            try store.undo()
            expect(store.context, is: step - 1, "undone")
            try store.close()
            let reader = try FirstItemsLog.open(App.self, SimulatedDisk(disk.image), .readOnly)
            expect(reader.context, is: step - 1, "read again")
            if index < log.steps.count - 4 { break }
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
            try store.rewind(to: point(transaction))
            expect(store.context, is: transaction, "rewound")
            try store.undo()
            expect(store.context, is: last, "undone")
        }
        let store = try open(log.disk())
        let savepoint = try #require(store.savepoints.first)
        try store.rewind(to: .savepoint("middle"))
        expect(store.context, is: Int(savepoint.transaction.rawValue), "savepoint")
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
                // To-many relations do not conflict where a to-one relation does, and a relation with another side does.
                let isComparable =
                    App.self != ManyItems.self && App.self != MutualItems.self
                    // What it does not know, it does not change.
                    && App.self != ReducedItems.self
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
        for writesFirst in [false, true] {
            let disk = log.disk()
            var store = try open(disk)
            if writesFirst { try store.undo() }
            try store.compact(retaining: .everything)
            try checkStates(store)
            try store.close()
            store = try open(disk)
            try checkStates(store)
            if writesFirst { try store.redo() }
            let step = try #require(log.steps.last)
            try store.undo()
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
        let steps = log.steps.suffix(3)
        for _ in steps { try store.undo() }
        for _ in steps.dropLast() { try store.redo() }
        try store.close()
        let state = log.steps[log.steps.count - 2]
        guard App.isReadByFirst else {
            #expect(throws: StoreError.self, comment) {
                try FirstItemsLog.open(FirstItems.self, disk)
            }
            return
        }
        let first = PastOfItems<FirstItems>(log: log, comment: "\(comment), first")
        let again = try FirstItemsLog.open(FirstItems.self, disk)
        first.expect(again.context, is: state, "newest")
        try first.checkStates(again)
        try first.checkHistory(again)
        try again.redo()
        first.expect(again.context, is: last, "redone")
        for step in log.steps.reversed() {
            try again.undo()
            first.expect(again.context, is: step - 1, "undone")
        }
    }
}
