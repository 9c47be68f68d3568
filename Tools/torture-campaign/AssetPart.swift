import Foundation
import Varve
import VarveLog
import VarveTestSupport

/// A store with assets under power cuts: random work, and at moments of it the states in which the disk may be left.
///
/// Each asset that a state names, now or in the kept past, is there and whole; and behind a compaction nothing else is.
enum AssetPart {
    @Sendable static func run(_ context: CampaignContext) throws {
        let workloads = context.size.choose(6, 120, 12_000, tenth: 12)
        let states = Lock(0)
        context.queue.forEach((0..<workloads).map { UInt64($0) }, { "assets, workload \($0)" }) {
            number in
            let seed = context.seed &* 65_537 &+ number
            do {
                var torture = try AssetTorture(seed: seed)
                try torture.work()
                try torture.cutPower()
                let built = torture.built
                states.withLock { $0 += built }
            } catch {
                context.findings.violation("assets", "seed \(seed): \(error)")
            }
        }
        context.findings.add(
            Figure(
                key: "assetStates", title: "states of stores with assets behind power cuts",
                value: states.withLock { $0 }, least: 20_000))
    }
}

@EntityModel
struct TorturedPhoto {
    let id: Int
    var image: Asset<Data>?
}

/// One workload, and the states behind its power cuts.
private struct AssetTorture {
    /// The number of each photo's content.
    typealias Contents = [Int: Int]

    private let disk = SimulatedDisk()
    private var random: SeededGenerator
    private let seed: UInt64
    /// By transaction; and after how many operations of the disk it was acknowledged.
    private var states: [Contents] = [[:]]
    private var acknowledged = [0]
    private(set) var built = 0

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    private static func open(_ disk: SimulatedDisk, seed: UInt64) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(2_048)
        configuration.frameBytesMax = ByteCount(512)
        return try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), configuration: configuration,
            mode: .readWrite, durability: .commit, retention: .transactions(3),
            compactsAutomatically: false, types: [TorturedPhoto.self])
    }

    static func content(_ number: Int) -> Data {
        var random = SeededGenerator(seed: UInt64(number))
        return Data((0..<700).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    // MARK: Work

    mutating func work() throws {
        var store = try Self.open(disk, seed: seed)
        for opening in 1...12 as ClosedRange<UInt64> {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try store.compact()
            case 1:
                try store.close()
                store = try Self.open(disk, seed: seed &+ opening)
            case 2: _ = try Asset(Self.content(Int.random(in: 0..<5, using: &random)), in: store)
            case 3 where store.canUndo && states.count > 1:
                let former = store.context
                try store.undo()
                note(try contents(store.context, in: store), store)
                withExtendedLifetime(former) {}
            case 4: try delete(store)
            default: try set(store)
            }
        }
        try store.close()
    }

    private mutating func set(_ store: Store) throws {
        let id = Int.random(in: 0..<2, using: &random)
        let number = Int.random(in: 0..<5, using: &random)
        try store.write { context in
            try TorturedPhoto(id: id, image: Asset(Self.content(number), in: store))
                .save(to: &context)
        }
        note(states[states.count - 1].merging([id: number]) { $1 }, store)
    }

    private mutating func delete(_ store: Store) throws {
        let id = Int.random(in: 0..<2, using: &random)
        try store.write { try TorturedPhoto.delete(id: id, from: &$0) }
        note(states[states.count - 1].filter { $0.key != id }, store)
    }

    /// A write of what is there already is no transaction.
    private mutating func note(_ contents: Contents, _ store: Store) {
        guard Int(store.lastTransaction.rawValue) == states.count else { return }
        states.append(contents)
        acknowledged.append(disk.operations.count)
    }

    private func contents(_ context: Context, in store: Store) throws -> Contents {
        var contents: Contents = [:]
        for photo in TorturedPhoto.query().resolve(in: context) {
            guard let data = try photo.image?.data(in: store) else { continue }
            contents[photo.id] = (0..<5).first { Self.content($0) == data } ?? -1
        }
        return contents
    }

    // MARK: Power cuts

    mutating func cutPower() throws {
        var crashes = CrashStates(disk)
        for position in 0...crashes.operations.count {
            let point = crashes.point(at: position)
            crashes.advance(to: point)
            var choices = SimulatedDisk.survivals(
                at: point, of: crashes.operations, using: &random)
            choices.shuffle(using: &random)
            for survivals in choices.prefix(2) {
                try check(crashes.image(at: point, survivals), position, survivals)
                built += 1
            }
        }
    }

    private func check(_ image: DiskImage, _ position: Int, _ survivals: [Survival]) throws {
        func require(_ condition: Bool, _ rule: Rule, _ text: String) throws {
            guard !condition else { return }
            throw CheckFailure(rule, "operation \(position), \(survivals): \(text)")
        }
        let disk = SimulatedDisk(image)
        let store = try Self.open(disk, seed: 99)
        let last = Int(store.lastTransaction.rawValue)
        let least = acknowledged.lastIndex { $0 <= position } ?? 0
        try require(last >= least, .i1, "\(least) acknowledged, \(last) left")
        try require(
            try contents(store.context, in: store) == states[last], .i2,
            "transaction \(last) has other assets")
        let floor = max(1, Int(store.statistics.floor.rawValue))
        for transaction in floor..<max(floor, last) {
            let then = try store.context(asOf: .transaction(TransactionID(UInt64(transaction))))
            try require(
                try contents(then, in: store) == states[transaction], .i2,
                "the past of transaction \(transaction) has other assets")
        }
        try store.compact(retaining: .newestState)
        let rows = TorturedPhoto.query().resolve(in: store.context)
        let trash = Deleted<TorturedPhoto>.query().resolve(in: store.context).map(\.entity)
        let named = Set((rows + trash).compactMap { $0.image?.digest.description })
        let found = disk.image.files.keys.filter { $0.hasPrefix("assets/") }.map {
            String($0.dropFirst("assets/".count).replacing("/", with: ""))
        }
        try require(Set(found) == named, .i2, "files \(found) for assets \(named)")
    }
}
