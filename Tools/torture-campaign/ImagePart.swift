import Foundation
import Varve
import VarveLog
import VarveReplay
import VarveTestSupport

/// Stores whose checkpoints are damaged, lost, exchanged or not readable, before they are opened, while they are, and
/// behind that: with writes, compactions, undos and looks at the past meanwhile.
///
/// Every answer is the one of a store without damage. An error is typed, and comes only where neither another checkpoint
/// nor the whole log is left. What is damaged is reported, and two compactions later the store is sound.
enum ImagePart {
    @Sendable static func run(_ context: CampaignContext) throws {
        let workloads = context.size.choose(24, 400, 8_000, tenth: 60)
        let rounds = Lock(0)
        let repairs = Lock(0)
        let lateReports = Lock(0)
        context.queue.forEach((0..<workloads).map { UInt64($0) }, { "images, workload \($0)" }) {
            number in
            let seed = context.seed &* 7_919 &+ number
            do {
                let torture = try ImageTorture(seed: seed)
                for round in 0..<12 as Range<UInt64> {
                    do {
                        var run = ImageRound(torture, seed: seed &* 131 &+ round)
                        try run.run()
                        let (repaired, late) = (run.repairCount, run.lateReportCount)
                        repairs.withLock { $0 += repaired }
                        lateReports.withLock { $0 += late }
                    } catch {
                        context.findings.violation(
                            "images", "seed \(seed), round \(round): \(error)")
                    }
                    rounds.withLock { $0 += 1 }
                }
            } catch {
                context.findings.violation("images", "seed \(seed): \(error)")
            }
        }
        context.findings.add(
            Figure(
                key: "imageRounds", title: "stores with damaged checkpoints",
                value: rounds.withLock { $0 }, least: 4_000))
        context.findings.add(
            Figure(
                key: "imageRepairs", title: "  damages that a store made good or replaced",
                value: repairs.withLock { $0 }, least: 1_000))
        context.findings.add(
            Figure(
                key: "imageLateReports", title: "  damages that tables met behind the opening",
                value: lateReports.withLock { $0 }, least: 150))
    }
}

@EntityModel
struct TorturedTree {
    let id: Int
    var name: String

    @Relationship(inverse: \.tree) var leaves: [TorturedLeaf]?
}

@EntityModel
struct TorturedLeaf {
    let id: Int
    var text: String

    @Relationship(inverse: \.leaves) var tree: TorturedTree?
}

/// A store with two images, the log between them and some log behind, and all its states.
struct ImageTorture: Sendable {
    let image: DiskImage
    /// By transaction.
    let states: [String]
    /// Whether the log reaches back to its beginning.
    let isWhole: Bool
    /// The older one and the newest, with where their pages begin, and the blocks and parts of the directory in them, and where they end.
    let checkpoints: [(file: String, places: [Int])]

    init(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        isWhole = Bool.random(using: &random)
        let store = try Self.open(disk, seed: seed, isWhole: isWhole)
        var states = [Self.content(of: store.context)]
        for count in [15 + random.below(20), 5 + random.below(10)] {
            for _ in 0..<count { states.append(try Self.write(to: store, &random)) }
            try store.compact()
        }
        for _ in 0..<random.below(5) { states.append(try Self.write(to: store, &random)) }
        try store.close()
        let scanned = try ScannedLog.scan(disk, mode: .readOnly)
        checkpoints = try scanned.manifest.checkpoints.reversed().map { reference in
            let file = try scanned.open(reference)
            let (blocks, parts) = try file.imageRanges()
            let starts = file.pages.map { Int($0.offset.rawValue) }
            let places = Set(starts + (blocks + parts).map(\.lowerBound)).sorted()
            return (reference.file.text, places + [Int(file.length.rawValue)])
        }
        image = disk.image
        self.states = states
    }

    /// - Parameters:
    ///   - loading: nil fills all tables at once.
    ///   - isLarge: whether the opening compares of the checkpoint what it reads, and the rest is looked at behind it.
    static func open(
        _ files: any FileSystem, seed: UInt64, isWhole: Bool, mode: Store.Mode = .readWrite,
        loading: Store.Loading? = nil, isLarge: Bool = false
    ) throws -> Store {
        var configuration = LogConfiguration()
        configuration.segmentBytesMax = ByteCount(4_096)
        configuration.frameBytesMax = ByteCount(1_024)
        return try Store(
            in: files, environment: SimulatedEnvironment(seed: seed), configuration: configuration,
            mode: mode, durability: .commit, retention: isWhole ? .everything : .transactions(3),
            compactsAutomatically: false, loading: loading ?? .ahead,
            memory: seed % 2 == 0 ? .megabytes(0) : .standard, types: [TorturedTree.self],
            waitingSlotsMin: loading == nil ? .max : 0,
            comparedImageMax: isLarge ? .zero : ByteCount(.max))
    }

    /// Returns what is there then.
    static func write(to store: Store, _ random: inout SeededGenerator) throws -> String {
        let number = Int(store.lastTransaction.rawValue)
        let (tree, first) = (random.below(9), random.below(300))
        try store.write { context in
            let leaves = (0..<6).map {
                TorturedLeaf(id: first + $0, text: "leaf \(number) of \(first) \($0)")
            }
            try TorturedTree(
                id: tree, name: "tree \(number)", leaves: .appending(relation: leaves)
            ).save(to: &context)
            if number % 3 == 2 { try TorturedLeaf.delete(id: first + 1, from: &context) }
        }
        return content(of: store.context)
    }

    static func content(of context: Context) -> String {
        var lines = TorturedLeaf.query().resolve(in: context).map { "\($0.id) \($0.text)" }.sorted()
        for tree in TorturedTree.query().resolve(in: context) {
            let leaves = TorturedTree.query(tree.id).related(\.$leaves).resolve(in: context)
            lines.append("tree \(tree.id) \(tree.name): \(leaves.map(\.id))")
        }
        return lines.sorted().joined(separator: "\n")
    }
}
