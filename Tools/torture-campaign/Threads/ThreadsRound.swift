import Foundation
import Varve
import VarveLog
import VarveTestSupport

/// One store, from its first transaction until it is closed and opened again.
struct ThreadsRound: Sendable {
    private static let threads = 4
    private static let tasks = 2
    private static let stepsOfWriter = 150
    private static let imports = 10
    private static let types: [any EntityModelProtocol.Type] = [
        Account.self, Entry.self, Tally.self, Draft.self, Purse.self, Coin.self,
    ]
    private static var writers: Int { threads + tasks }

    let seed: UInt64
    let url: URL
    let store: Store
    /// Whether tables wait until they are read, in all stores of the round. Then no file is damaged: a reader whose
    /// checkpoint is damaged and then replaced has nothing to fill them from.
    let isWaiting: Bool
    /// In every other round no stored table fits the memory budget.
    let memory: MemoryBudget
    let record = ThreadsRecord(writers: writers)

    static func run(seed: UInt64) throws -> ThreadsCounts {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-threads-\(getpid())-\(seed)")
        try? FileManager.default.removeItem(at: url)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        let round = try ThreadsRound(seed: seed, in: url)
        try round.run()
        return round.record.counts
    }

    private init(seed: UInt64, in url: URL) throws {
        var random = SeededGenerator(seed: seed)
        let durabilities: [Durability] = [.commit, .none, .interval(.milliseconds(2))]
        self.seed = seed
        self.url = url
        isWaiting = seed / 2 % 4 == 3
        memory = seed / 8 % 2 == 0 ? .megabytes(0) : .standard
        store = try Self.open(
            url.appendingPathComponent("store"), .readWrite,
            durabilities.randomElement(using: &random) ?? .commit,
            compactsAutomatically: Bool.random(using: &random), isWaiting: isWaiting,
            memory: memory)
    }

    private func open(_ url: URL, _ mode: Store.Mode) throws -> Store {
        try Self.open(url, mode, isWaiting: isWaiting, memory: memory)
    }

    /// With small segments and pages, so that there are many.
    private static func open(
        _ url: URL, _ mode: Store.Mode, _ durability: Durability = .none,
        compactsAutomatically: Bool = false, isWaiting: Bool, memory: MemoryBudget
    ) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(32_768)
        configuration.frameBytesMax = ByteCount(4_096)
        configuration.automaticCompactionBytesMin = ByteCount(65_536)
        return try Store(
            in: POSIXFileSystem(url.path), configuration: configuration, mode: mode,
            durability: durability, compactsAutomatically: compactsAutomatically,
            memory: memory, types: types,
            waitingSlotsMin: isWaiting ? 0 : .max)
    }

    var directory: URL { url.appendingPathComponent("store") }

    // MARK: - The course of a round

    private func run() throws {
        try store.write("Set up", options: WriteOptions(undoable: false)) {
            try MoneyWriter.setUp(&$0, writers: Self.writers)
        }
        try store.flush()
        let writers = Crew()
        let others = Crew()
        let listeners = Crew()
        startListeners(listeners)
        startOthers(others)
        startWriters(writers)
        defer { record.finish() }
        try writers.wait()
        record.finish()
        try others.wait()
        try store.write(Listening.end, options: WriteOptions(undoable: false)) {
            try MoneyWriter.move(Listening.endAmount, from: 0, to: 1, &$0)
        }
        try store.flush()
        try listeners.wait()
        try checkEnd()
    }

    private func startWriters(_ crew: Crew) {
        for number in 0..<Self.writers {
            let writer = MoneyWriter(number, seed: seed &* 31 &+ UInt64(number), record)
            if number < Self.threads {
                crew.thread(writer.scope) {
                    var writer = writer
                    try writer.run(Self.stepsOfWriter, in: store)
                }
            } else {
                crew.task(writer.scope) {
                    var writer = writer
                    try await writer.run(Self.stepsOfWriter, in: store)
                }
            }
        }
    }

    private func startOthers(_ crew: Crew) {
        for number in 0..<2 as Range<UInt64> {
            crew.thread("reader \(number)") { try readSnapshots(seed &+ number) }
        }
        crew.thread("reader of the past") { try readPast() }
        crew.thread("follower") { try follow() }
        crew.thread("compaction") { try compact() }
        crew.thread("import") { try importEntries() }
        if !isWaiting { crew.thread("disk") { try harm() } }
    }

    // In every other round nobody watches: then transactions change the state in place. The thread sanitizer does
    // not see the order that reference counts give, on which that stands.
    #if VARVE_TSAN
        private static let isAlwaysWatched = true
    #else
        private static let isAlwaysWatched = false
    #endif

    private func startListeners(_ crew: Crew) {
        let listening = Listening(store: store, record: record)
        crew.task("change feed") { try await listening.takeChanges() }
        if seed % 2 == 1 || Self.isAlwaysWatched {
            crew.task("live accounts") {
                try await listening.watch(Account.query().sorted(by: \.balance))
            }
            crew.task("live page") {
                try await listening.watch(Entry.query().sorted(by: \.amount).limit(20))
            }
        }
        crew.task("follower's sequence") {
            let reader = try open(directory, .readOnly)
            try await Listening(store: reader, record: record).takeTransactions()
        }
    }

    /// Entries that leave each account as it is, in batches of which each is logged beside the next.
    private func importEntries() throws {
        for number in 0..<Self.imports {
            let batches = (0..<4).map { number * 4 + $0 }
            try store.write(each: batches, "Import", options: WriteOptions(undoable: false)) {
                try MoneyWriter.insertPairs(40, batch: $1, into: &$0)
            }
        }
    }

    private func checkEnd() throws {
        try record.checkPrefixes()
        let before = store.lastTransaction
        let acknowledged = record.acknowledged
        let last = Tally.query().resolve(in: store.context).map(\.count)
        store.context.checkInvariants()
        try store.close()
        guard store.durableTransaction == before else {
            throw CheckFailure(.i1, "closed at \(before), durable \(store.durableTransaction)")
        }
        let verification = try LogVerification.verify(POSIXFileSystem(directory.path))
        guard verification.isSound else { throw CheckFailure(.i15, "\(verification.problems)") }
        let again = try open(directory, .readWrite)
        again.context.checkInvariants()
        var check = StateCheck(seed: seed)
        for _ in 0..<MoneyWriter.accounts { try check.check(again.context, atLeast: acknowledged) }
        // States all along the log, too.
        let oldest = max(again.floor.rawValue, 1)
        let step = max(1, (max(before.rawValue, oldest) - oldest) / 64)
        for number in stride(from: oldest, through: before.rawValue, by: Int(step)) {
            try StateCheck.checkSums(again.context(asOf: .transaction(TransactionID(number))))
        }
        guard again.lastTransaction == before, acknowledged == last, check.seen.last == last else {
            throw CheckFailure(
                .i1, "acknowledged \(acknowledged), shown \(last), found \(check.seen)")
        }
        try again.close()
    }
}

// MARK: - Those who look on

extension ThreadsRound {
    /// States as they come. Seldom with what was acknowledged, because that takes the writers' lock.
    private func readSnapshots(_ seed: UInt64) throws {
        var check = StateCheck(seed: seed)
        var counts = ThreadsCounts()
        var last: (shown: TransactionID, durable: TransactionID) = (0, 0)
        while !record.isFinished {
            let acknowledged = counts.states % 16 == 0 ? record.acknowledged : []
            try check.check(store.context, atLeast: acknowledged)
            let now = (shown: store.lastTransaction, durable: store.durableTransaction)
            guard now.shown >= last.shown, now.durable >= last.durable else {
                throw CheckFailure(.i1, "shown and durable were \(last), and are \(now)")
            }
            guard store.statistics.compactionFailure == nil else {
                throw CheckFailure(.i6, "\(store.statistics)")
            }
            last = now
            counts.states += 1
        }
        record.add(counts, seen: check.seen)
    }

    private func readPast() throws {
        var random = SeededGenerator(seed: seed &+ 17)
        var check = StateCheck(seed: seed)
        var counts = ThreadsCounts()
        while !record.isFinished {
            let newest = store.lastTransaction.rawValue
            // Also the state that the oldest kept transaction was made in; not the empty one before the first.
            let oldest = max(store.floor.rawValue - 1, newest > 60 ? newest - 60 : 1)
            guard oldest <= newest else { continue }
            let point = TransactionID(UInt64.random(in: oldest...newest, using: &random))
            do {
                try check.check(store.context(asOf: .transaction(point)))
                counts.states += 1
            } catch StoreError.belowFloor {
                // Compacted away meanwhile.
            }
        }
        record.add(counts, seen: check.seen)
    }

    /// As another process does: what it sees is what was written, in order.
    private func follow() throws {
        var check = StateCheck(seed: seed &+ 3)
        var counts = ThreadsCounts()
        while !record.isFinished {
            let reader = try open(directory, .readOnly)
            try check.check(reader.context)
            var last = reader.lastTransaction
            for _ in 0..<20 where !record.isFinished {
                let refresh = try reader.refresh()
                if case .rewound(let kept) = refresh.course {
                    throw CheckFailure(.i11, "called back from \(last) to \(kept)")
                }
                guard refresh.lastTransaction >= last else {
                    throw CheckFailure(.i11, "\(refresh) behind \(last)")
                }
                last = refresh.lastTransaction
                try check.check(reader.context)
                counts.refreshes += 1
                counts.states += 1
            }
        }
        record.add(counts, seen: check.seen)
    }

    /// One after the other, and a backup after every third.
    private func compact() throws {
        var random = SeededGenerator(seed: seed &+ 5)
        var check = StateCheck(seed: seed &+ 7)
        var counts = ThreadsCounts()
        let retentions: [Retention] = [.newestState, .transactions(100), .everything]
        while !record.isFinished {
            let report = try store.compact(
                retaining: retentions.randomElement(using: &random),
                for: .random(using: &random))
            guard report.leftover == nil else { throw CheckFailure(.i7, "\(report)") }
            counts.compactions += 1
            guard counts.compactions % 3 == 0 else { continue }
            let acknowledged = record.acknowledged
            let copy = url.appendingPathComponent("backup-\(counts.compactions)")
            try store.backup(to: copy)
            let backup = try open(copy, .readWrite)
            try check.check(backup.context, atLeast: acknowledged)
            try backup.close()
            try FileManager.default.removeItem(at: copy)
            counts.backups += 1
        }
        record.add(counts, seen: check.seen)
    }
}
