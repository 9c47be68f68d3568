import VarveLog
import VarveTestSupport

/// One damaged sector after the other: salvage must give back every transaction that the sector left
/// alone, and name every other, by its number or by the place where it lay.
enum SalvagePart {
    @Sendable static func run(_ context: CampaignContext) throws {
        var items: [(store: SalvageReference, damages: [Damage])] = []
        var generator = SeededGenerator(seed: context.seed)
        for steps in CorruptionPart.workloads.prefix(context.size.choose(2, 4, 4)) {
            let workload = try LogWorkload(steps)
            let store = try SalvageReference(
                ReferenceStore(
                    workload.disk.image, count: workload.issued, promised: workload.promised))
            var damages: [Damage] = []
            for _ in 0..<context.size.choose(1, 4, 200) {
                for length in [64, 512, 4096] {
                    damages += store.reference.sectors(of: length, every: 8, &generator)
                }
            }
            for start in Swift.stride(from: 0, to: damages.count, by: 100) {
                items.append((store, Array(damages[start..<min(start + 100, damages.count)])))
            }
        }
        let total = Lock(SalvageReference.Yield())
        context.queue.forEach(items, { "salvage of \($0.damages[0])" }) { item in
            for damage in item.damages {
                do throws(CheckFailure) {
                    let yield = try item.store.salvage(damage)
                    total.withLock { $0 += yield }
                } catch {
                    context.findings.violation(
                        "salvage", "seed \(context.seed): \(damage): \(error)")
                }
            }
        }
        report(total.withLock { $0 }, to: context.findings)
    }

    private static func report(_ total: SalvageReference.Yield, to findings: Findings) {
        findings.add(
            Figure(
                key: "salvageSectors", title: "stores with a damaged sector salvaged",
                value: total.stores, least: 1_000))
        findings.add(
            Figure(
                key: "salvageReturned",
                title: "  transactions that the sector left alone, given back",
                value: total.returned, least: 1))
        findings.add(
            Figure(
                key: "salvageLost", title: "  transactions in the sector, named by number",
                value: total.lost))
        findings.add(
            Figure(
                key: "salvagePlaced", title: "  transactions in the sector, the place named",
                value: total.placed))
        findings.add(
            Figure(
                key: "salvageUnpromised", title: "  cut as an unpromised tail, and reported",
                value: total.unpromised))
    }
}

/// A store whose content is known, to be damaged and salvaged.
struct SalvageReference: Sendable {
    /// What became of transactions.
    struct Yield: Sendable {
        var stores = 0
        var returned = 0
        var lost = 0
        var placed = 0
        var unpromised = 0

        static func += (sum: inout Yield, other: Yield) {
            sum.stores += other.stores
            sum.returned += other.returned
            sum.lost += other.lost
            sum.placed += other.placed
            sum.unpromised += other.unpromised
        }
    }

    private typealias Place = (file: String, range: Range<Int>)

    let reference: ReferenceStore
    /// Where the frames of each transaction that the log holds lie.
    private let frames: [Int: [Place]]
    /// Checkpoints and the last transaction that each holds.
    private let checkpoints: [String: Int]

    init(_ reference: ReferenceStore) throws {
        self.reference = reference
        var frames: [Int: [Place]] = [:]
        let inspection = try LogInspection(SimulatedDisk(reference.image))
        for segment in inspection.segments {
            let name = StoreFileName.segment(segment.id).text
            try inspection.forEachFrame(in: segment) { frame in
                guard frame.header.type == .transaction else { return true }
                let start = Int(frame.location.offset.rawValue)
                frames[Int(frame.header.sequence.rawValue), default: []].append(
                    (name, start..<(start + Int(frame.header.frameLength))))
                return true
            }
        }
        self.frames = frames
        checkpoints = Dictionary(
            uniqueKeysWithValues: inspection.manifest.checkpoints.map {
                ($0.file.text, Int($0.sequence.rawValue))
            })
    }

    /// Throws where a transaction is not salvaged, or is missing without a word, or is another.
    func salvage(_ damage: Damage) throws(CheckFailure) -> Yield {
        let image = damage.applied(to: reference.image)
        let source = SimulatedDisk(image)
        let target = MemoryFileSystem(name: "salvaged")
        let content = ListContent()
        do {
            let report = try LogSalvage.run(
                from: source, to: target, environment: SimulatedEnvironment(seed: 7),
                configuration: CompactionLog(source).test.configuration,
                content: content.content)
            guard source.image == image else {
                throw CheckFailure(.i10, "the damaged store was changed")
            }
            let payloads = try CompactionLog(target).read().payloads
            return try check(payloads, report, damage, image)
        } catch let failure as CheckFailure {
            throw failure
        } catch {
            throw CheckFailure(.i18, "it is not salvaged: \(error)")
        }
    }

    private func check(
        _ payloads: [[UInt8]], _ report: SalvageReport, _ damage: Damage, _ image: DiskImage
    ) throws(CheckFailure) -> Yield {
        var yield = Yield()
        yield.stores = 1
        guard payloads.count <= reference.count else {
            throw CheckFailure(.i2, "more transactions than there were")
        }
        for number in 1...reference.count {
            let found = number <= payloads.count ? payloads[number - 1] : ListContent.standIn
            let isUnpromised = isCut(number, by: report, damage)
            if found == LogPayload.of(number) {
                if isUndamaged(number, in: image) { yield.returned += 1 }
                continue
            }
            guard found == ListContent.standIn else {
                throw CheckFailure(.i2, "transaction \(number) is another")
            }
            if isUnpromised {
                yield.unpromised += 1
                continue
            }
            guard !isUndamaged(number, in: image) else {
                throw CheckFailure(
                    .i18, "transaction \(number) is undamaged and missing: \(report)")
            }
            if report.lost.contains(where: { $0.contains(number) }) {
                yield.lost += 1
            } else if isInDamage(number, of: report) {
                yield.placed += 1
            } else {
                throw CheckFailure(
                    .i18,
                    "transaction \(number) is missing without a word: \(report.damages)")
            }
        }
        return yield
    }

    /// All its frames are as they were, or those of a checkpoint that holds it.
    private func isUndamaged(_ number: Int, in image: DiskImage) -> Bool {
        if let places = frames[number] {
            let isWhole = places.allSatisfy { place in
                image.files[place.file, default: []][place.range]
                    == reference.image.files[place.file, default: []][place.range]
            }
            if isWhole { return true }
        }
        return checkpoints.contains { name, last in
            last >= number && image.files[name] == reference.image.files[name]
        }
    }

    /// Where nothing is left that knew its number, the place where it lay is named: its bytes, or the
    /// file, where its header is damaged too.
    private func isInDamage(_ number: Int, of report: SalvageReport) -> Bool {
        frames[number, default: []].contains { place in
            report.damages.contains { damage in
                let start = Int(damage.offset.rawValue)
                let end = start + Int(damage.bytes.rawValue)
                return damage.file == place.file
                    && (start == 0 || place.range.overlaps(start..<end))
            }
        }
    }

    /// It is behind the place where opening would cut what nobody was promised. The damage may have
    /// destroyed the promise; where one is left, cutting is wrong.
    private func isCut(_ number: Int, by report: SalvageReport, _ damage: Damage) -> Bool {
        let tails = [
            report.unpromisedTail.map { ($0.segment, $0.offset) },
            report.unused.map { ($0.segment, $0.offset) },
        ]
        return tails.contains { tail in
            guard let (segment, offset) = tail, !reference.isPromised(offset, behind: damage)
            else { return false }
            let name = StoreFileName.segment(segment).text
            return frames[number, default: []].contains {
                $0.file == name && $0.range.upperBound > Int(offset.rawValue)
            }
        }
    }
}

extension SalvageReport.Gap {
    fileprivate func contains(_ number: Int) -> Bool {
        (first.rawValue...last.rawValue).contains(UInt64(number))
    }
}

/// A replay of opaque payloads: the list of them. For a lost one stands what no workload writes.
private final class ListContent {
    static let standIn: [UInt8] = [0]
    private var payloads: [[UInt8]] = []

    var content: SalvageContent {
        SalvageContent(
            load: { file throws(LogError) in self.payloads = try CompactionLog.decode(file) },
            pass: { _ in },
            lookAhead: { _ in false },
            lose: { self.lose(through: $0) },
            skip: { _ = self.lose(through: $0) },
            take: { transaction in
                guard transaction.sequence.rawValue == UInt64(self.payloads.count) + 1 else {
                    return .unreadable("it is transaction \(self.payloads.count + 1)")
                }
                self.payloads.append(Array(transaction.payload))
                return .whole
            },
            definitions: { TestLog.prologue },
            writeState: { writer throws(LogError) in
                try CompactionLog.encode(self.payloads, into: writer)
            },
            lastTime: { 0 })
    }

    private func lose(through last: LogSequence) -> [[UInt8]] {
        let lost = [[UInt8]](
            repeating: Self.standIn, count: Int(last.rawValue) - payloads.count)
        payloads += lost
        return lost
    }
}
