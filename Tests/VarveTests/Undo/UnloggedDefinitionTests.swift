import Testing
import Varve
import VarveLog
import VarveTestSupport

/// What the first version of an app has written, and what was to be seen behind each of its transactions.
struct FirstItemsLog {
    enum Stage: CaseIterable {
        case log, checkpointInTheMiddle, checkpointAtTheEnd
    }

    let comment: String
    private let image: DiskImage
    /// By transaction.
    let states: [String]
    let items: [[Int: String]]
    /// Transactions that can be undone, oldest first.
    let steps: [Int]

    init(seed: UInt64, _ stage: Stage) throws {
        comment = "seed \(seed), \(stage)"
        let disk = SimulatedDisk()
        let store = try Self.open(FirstItems.self, disk)
        var random = SeededGenerator(seed: seed)
        var states = [FirstItems.lines(store.context)]
        var items: [[Int: String]] = [[:]]
        var steps: [Int] = []
        func note() {
            guard Int(store.lastTransaction.rawValue) == states.count else { return }
            states.append(FirstItems.lines(store.context))
            items.append(FirstItems.items(store.context))
        }
        for step in 0..<18 {
            try store.write { context in
                for _ in 0...Int.random(in: 0...2, using: &random) {
                    try Self.change(&context, &random)
                }
            }
            if Int(store.lastTransaction.rawValue) == states.count { steps.append(states.count) }
            note()
            if step == 9 {
                try store.setSavepoint("middle")
                note()
                if stage == .checkpointInTheMiddle { try store.compact(retaining: .everything) }
            }
        }
        if stage == .checkpointAtTheEnd { try store.compact(retaining: .everything) }
        try store.close()
        image = disk.image
        (self.states, self.items, self.steps) = (states, items, steps)
    }

    private static func change(_ context: inout Context, _ random: inout SeededGenerator) throws {
        let names = ["Bonn", "Ulm", "Köln"]
        let id = Int.random(in: 1...5, using: &random)
        func name() -> String { names.randomElement(using: &random) ?? "" }
        guard var item = FirstModel.Item.query(id).resolve(in: context) else {
            if let deleted = Deleted<FirstModel.Item>.query(id).resolve(in: context),
                Bool.random(using: &random)
            {
                return try deleted.restore(in: &context)
            }
            let note = String(repeating: name(), count: Int.random(in: 0...400, using: &random))
            try FirstModel.Item(
                id: id, name: name(), city: name(),
                level: Int32.random(in: -300...300, using: &random), note: note
            ).save(to: &context)
            return
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: item.name = name()
        case 1: item.city = name()
        case 2: item.level = Int32.random(in: -9_999...9_999, using: &random)
        case 3, 4:
            let place = item.note.index(item.note.startIndex, offsetBy: item.note.count / 2)
            item.note.insert(contentsOf: name(), at: place)
        case 5:
            item.$owner = .relation(
                FirstModel.Owner(id: ["p", "q"].randomElement(using: &random) ?? "", title: name()))
        case 6: item.$owner = .null
        case 7: item.$friend = .id(Int.random(in: 1...5, using: &random))
        default:
            try FirstModel.Item.delete(id: id, from: &context)
            return
        }
        try item.save(to: &context)
    }

    static func open<App: ItemApp>(
        _ app: App.Type, _ disk: SimulatedDisk, _ mode: Store.Mode = .readWrite
    ) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: UInt64(disk.operations.count + 1)),
            mode: mode, durability: .commit, retention: .everything, compactsAutomatically: false,
            types: app.types)
    }

    /// Its files, for one test to change.
    func disk() -> SimulatedDisk { SimulatedDisk(image) }
}

@Suite("A changed definition that no write has logged yet", .timeLimit(.minutes(5)))
struct UnloggedDefinitionTests {
    private var apps: [any ItemApp.Type] {
        [
            FirstItems.self, ReorderedItems.self, ExtendedItems.self, ReducedItems.self,
            RenamedItems.self, WidenedItems.self, ManyItems.self, MutualItems.self,
        ]
    }

    /// All that reads the past.
    enum Reader: CaseIterable {
        case asOf, history, diff, feed, undo, undoApart, revert, rewind, restore, compaction,
            firstApp
    }

    /// One seed for each stage: the table is large, and each of its cells opens stores.
    private func logs() throws -> [FirstItemsLog] {
        try zip(UInt64(1)..., FirstItemsLog.Stage.allCases).map { try FirstItemsLog(seed: $0, $1) }
    }

    @Test("Every reader of the past finds what was written", arguments: Reader.allCases)
    func table(reader: Reader) async throws {
        let logs = try logs()
        // Each reader meets each definition and each stage; by night, each pair of them.
        let turn = Reader.allCases.firstIndex(of: reader) ?? 0
        for (number, app) in apps.enumerated() {
            let turned = logs[(number + turn) % logs.count]
            for log in TestSize.choose([turned], nightly: logs) {
                try await check(app, reader, log)
            }
        }
    }

    private func check<App: ItemApp>(
        _ app: App.Type, _ reader: Reader, _ log: FirstItemsLog
    ) async throws {
        let past = PastOfItems<App>(log: log, comment: "\(App.name), \(reader), \(log.comment)")
        switch reader {
        case .asOf:
            for mode in [Store.Mode.readWrite, .readOnly] {
                try past.checkStates(try FirstItemsLog.open(app, log.disk(), mode))
            }
        case .history:
            for mode in [Store.Mode.readWrite, .readOnly] {
                try past.checkHistory(try FirstItemsLog.open(app, log.disk(), mode))
            }
        case .diff:
            for mode in [Store.Mode.readWrite, .readOnly] {
                try past.checkDiffs(try FirstItemsLog.open(app, log.disk(), mode))
            }
        case .feed:
            for mode in [Store.Mode.readWrite, .readOnly] {
                try await past.checkFeed(try FirstItemsLog.open(app, log.disk(), mode))
            }
        case .undo: try past.checkUndo()
        case .undoApart: try past.checkUndoApart()
        case .revert: try past.checkReverts()
        case .rewind: try past.checkRewinds()
        case .restore: try past.checkRestoring()
        case .compaction: try past.checkCompaction()
        case .firstApp: try past.checkFirstApp()
        }
    }
}
