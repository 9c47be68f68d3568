import Foundation
import Varve
import VarveLog
import VarveTestSupport

/// One damage, and what a store does with it.
struct ImageRound {
    /// What happens to a checkpoint.
    enum Harm: CaseIterable {
        case flipped, zeroed, exchanged, fromAnother, cut, removed, refused, refusedForAWhile
    }

    /// When it happens.
    enum Moment: CaseIterable { case before, during, behind }

    private let torture: ImageTorture
    private let seed: UInt64
    private let disk: SimulatedDisk
    private let files: HookedFileSystem
    private let reads = ImageReads()
    private var random: SeededGenerator
    private var states: [String]
    private let harms: [(file: Int, harm: Harm)]
    private let moment: Moment
    /// When tables are filled that wait; nil where none waits. Where nothing is left to fill them from, they end the process.
    private let loading: Store.Loading?
    /// Whether the opening leaves most of the checkpoint to be looked at behind it.
    private let isLarge: Bool
    private var isHarmedBefore = false
    private(set) var repairCount = 0
    /// How many files were read behind the opening that were harmed by then, and are reported.
    private(set) var lateReportCount = 0

    init(_ torture: ImageTorture, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.torture = torture
        self.seed = seed
        disk = SimulatedDisk(torture.image)
        files = HookedFileSystem(random.chance(3) ? Self.slow(disk, seed: seed) : disk)
        states = torture.states
        moment = Moment.allCases[random.below(3)]
        let choice = random.below(10)
        let targets = choice < 7 ? [1] : choice < 9 ? [0] : [0, 1]
        harms = targets.map { ($0, Harm.allCases[random.below(Harm.allCases.count)]) }
        let loadings: [Store.Loading?] = [nil, .ahead, .whenRead]
        loading = torture.isWhole || targets.count == 1 ? loadings[random.below(3)] : nil
        isLarge = random.chance(2)
        self.random = random
    }

    /// Some reads of checkpoints take a while, so that threads wait for blocks of others, and blocks come in another order.
    private static func slow(_ disk: SimulatedDisk, seed: UInt64) -> HookedFileSystem {
        let slow = HookedFileSystem(disk)
        let random = Lock(SeededGenerator(seed: seed))
        slow.setHook { operation, name, _ in
            guard operation == .read, name.hasPrefix("checkpoint") else { return }
            let delay = random.withLock { $0.chance(4) ? $0.below(300) : 0 }
            Thread.sleep(forTimeInterval: Double(delay) / 1_000_000)
        }
        return slow
    }

    /// Whether other files have what is damaged.
    private var canRepair: Bool { torture.isWhole || harms.count == 1 }

    private var refusesReads: Bool {
        harms.contains { $0.harm == .refused || $0.harm == .refusedForAWhile }
    }

    private var isHarmed: Bool {
        refusesReads
            || harms.contains { file, _ in
                let name = torture.checkpoints[file].file
                return disk.image.files[name] != torture.image.files[name]
            }
    }

    private func failure(_ rule: Rule, _ text: String) -> CheckFailure {
        CheckFailure(rule, "\(harms.map { "\($0.harm) \($0.file)" }), \(moment): \(text)")
    }

    mutating func run() throws {
        if moment == .before { inflict() }
        // Zeros in the place of zeros are no harm.
        isHarmedBefore = moment == .before && isHarmed
        if moment == .during { inflictWhileOpening() }
        let mode: Store.Mode = random.chance(5) ? .readOnly : .readWrite
        guard let store = try attempt("opening", { try open(mode) }) else { return }
        let isUnderWaiting = moment == .behind && loading != nil
        if isUnderWaiting { inflict() }
        try check(store, "opened")
        if isUnderWaiting { try checkLateReport(of: store) }
        // Later reads are of checks too, which must not miss what happens in front of them.
        if moment == .during, !refusesReads { files.setHook(nil) }
        if moment == .behind && !isUnderWaiting || !isHarmed { inflict() }
        try checkReport(of: store)
        guard mode == .readWrite else { return }
        try use(store)
    }

    private func open(_ mode: Store.Mode = .readWrite) throws -> Store {
        try ImageTorture.open(
            files, seed: seed &+ 5, isWhole: torture.isWhole, mode: mode, loading: loading,
            isLarge: isLarge)
    }

    /// Nil for a typed error, where there is one by right.
    private func attempt<Result>(_ what: String, _ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch let error as CheckFailure {
            throw error
        } catch StoreError.log(let error) {
            guard canRepair else { return nil }
            throw failure(.i17, "\(what): \(error)")
        } catch {
            throw failure(.i17, "\(what): \(error)")
        }
    }

    // MARK: Work

    private mutating func use(_ store: Store) throws {
        var store = store
        for _ in 0..<6 {
            switch random.below(7) {
            case 0, 1:
                states.append(try ImageTorture.write(to: store, &random))
            case 2:
                _ = try attempt("compaction") { try store.compact() }
            case 3:
                _ = try attempt("compaction for size") { try store.compact(for: .size) }
            case 4:
                _ = try attempt("check") { try store.checkFiles() }
            case 5:
                try store.close()
                guard let another = try attempt("reopening", { try open() }) else { return }
                store = another
            default: try look(at: store)
            }
            try check(store, "at work")
        }
        try finish(store)
    }

    private mutating func look(at store: Store) throws {
        let floor = max(1, Int(store.statistics.floor.rawValue))
        guard floor < states.count - 1 else { return }
        let transaction = floor + random.below(states.count - 1 - floor)
        let route: PastRoute = random.chance(2) ? .forth : .shorter
        let past = try attempt("transaction \(transaction)") {
            try store.context(asOf: .transaction(TransactionID(UInt64(transaction))), route)
        }
        guard let past else { return }
        guard ImageTorture.content(of: past) == states[transaction] else {
            throw failure(.i2, "the past of transaction \(transaction) has another content")
        }
    }

    private func check(_ store: Store, _ what: String) throws {
        guard Int(store.lastTransaction.rawValue) == states.count - 1 else {
            throw failure(.i1, "\(what): \(store.lastTransaction) of \(states.count - 1)")
        }
        guard ImageTorture.content(of: store.context) == states[states.count - 1] else {
            throw failure(.i2, "\(what): another content")
        }
    }

    /// Two compactions later nothing is damaged any more.
    private mutating func finish(_ store: Store) throws {
        if try attempt("check", { try store.checkFiles() }) != nil { try checkReport(of: store) }
        for _ in 0..<2 {
            states.append(try ImageTorture.write(to: store, &random))
            guard try attempt("last compaction", { try store.compact() }) != nil else { return }
        }
        guard store.health.isSound else {
            throw failure(.i17, "not sound: \(store.health.damages)")
        }
        repairCount = store.health.damages.count
        try store.close()
        let problems = try LogVerification.verify(disk).problems
        guard problems.isEmpty else { throw failure(.i17, "left damaged: \(problems)") }
        files.setHook(nil)
        try check(try open(.readOnly), "opened at the end")
    }

    /// What is damaged, of the files that the store still has, is known.
    private func checkReport(of store: Store) throws {
        guard isHarmedBefore || store.health.lastCheck != nil else { return }
        store.finishCheckpointLook()
        let names = Set(disk.image.files.keys)
        let known = Set(store.health.damages.map(\.file))
        for (file, harm) in harms where harm != .refused && harm != .refusedForAWhile {
            let name = torture.checkpoints[file].file
            // An opening reads of the older one the table of pages alone.
            guard names.contains(name), store.health.lastCheck != nil || file == 1,
                disk.image.files[name] != torture.image.files[name]
            else { continue }
            guard known.contains(name) else { throw failure(.i17, "\(name) is not reported") }
        }
    }

    /// What tables met that were filled behind the opening is known, with the place.
    private mutating func checkLateReport(of store: Store) throws {
        // Waits for what is being filled ahead: nothing else of the round reads tombstones.
        _ = Deleted<TorturedLeaf>.query().resolve(in: store.context)
        _ = Deleted<TorturedTree>.query().resolve(in: store.context)
        let damages = store.health.damages
        for (file, _) in harms {
            let (name, places) = torture.checkpoints[file]
            let isRefused = reads.hasRefused(name)
            let place = reads.met(
                name, disk.image.files[name] ?? torture.image.files[name] ?? [],
                writtenAs: torture.image.files[name] ?? [])
            guard isRefused || place != nil else { continue }
            lateReportCount += 1
            // What lies behind the last place is read as a whole, and the system says of no place where it refuses.
            let needsOffset = !isRefused && (place ?? .max) < places[places.count - 2]
            let isKnown = damages.contains { damage in
                guard damage.file == name else { return false }
                guard let offset = damage.offset else { return !needsOffset }
                return places.contains(Int(offset.rawValue))
            }
            guard isKnown else {
                let read = place.map { "byte \($0)" } ?? "refused"
                throw failure(.i17, "\(name), \(read): not reported in \(damages)")
            }
        }
    }

    // MARK: Harm

    private mutating func inflict() {
        for (file, harm) in harms { inflict(harm, on: file, from: 0) }
        // Behind the harm: a read that is noted has met it.
        reads.begin(in: files)
    }

    /// At some read of the checkpoint.
    private mutating func inflictWhileOpening() {
        let first = random.below(80)
        if refusesReads { reads.begin(in: files) }
        for (file, harm) in harms {
            if harm == .refused || harm == .refusedForAWhile {
                inflict(harm, on: file, from: first)
                continue
            }
            let (name, disk) = (torture.checkpoints[file].file, disk)
            let change = change(harm, of: file)
            let reads = Lock(0)
            files.setHook { operation, other, _ in
                guard operation == .read, other == name else { return }
                let isNow = reads.withLock { reads in
                    defer { reads += 1 }
                    return reads == first
                }
                if isNow { change(disk) }
            }
        }
    }

    private mutating func inflict(_ harm: Harm, on file: Int, from first: Int) {
        guard harm == .refused || harm == .refusedForAWhile else {
            return change(harm, of: file)(disk)
        }
        let count = harm == .refused ? Int.max - first : 1 + random.below(4)
        reads.refuse(first..<first + count, of: torture.checkpoints[file].file)
    }

    private mutating func change(
        _ harm: Harm, of file: Int
    ) -> @Sendable (SimulatedDisk) -> Void {
        let (name, places) = torture.checkpoints[file]
        let index = random.below(places.count - 1)
        let range = places[index]..<places[index + 1]
        let place = range.lowerBound + random.below(range.count)
        let bit = UInt8(1 << random.below(8))
        let other = torture.image.files[torture.checkpoints[1 - file].file] ?? []
        return { disk in
            if harm == .removed { return (try? disk.remove(name)) ?? () }
            disk.corrupt(name) { bytes in
                switch harm {
                case .flipped: bytes[place] ^= bit
                case .zeroed:
                    for position in place..<min(place + 512, range.upperBound) {
                        bytes[position] = 0
                    }
                case .exchanged where index + 2 < places.count:
                    let next = places[index + 1]..<places[index + 2]
                    bytes.replaceSubrange(
                        range.lowerBound..<next.upperBound, with: bytes[next] + bytes[range])
                case .fromAnother where other.count >= range.upperBound:
                    bytes.replaceSubrange(range, with: other[range])
                case .cut: bytes.removeLast(bytes.count - place)
                default: bytes[place] ^= bit
                }
            }
        }
    }
}
