import Foundation
import VarveLog
import VarveTestSupport

/// Real processes on a real file system, killed at random moments: everything that one had said
/// through a pipe must be there afterwards.
enum KillPart {
    @Sendable static func run(_ context: CampaignContext) throws {
        let cycles = context.size.choose(60, 2_200, 220_000, tenth: 220)
        let perStore = 20
        let chains = (0..<((cycles + perStore - 1) / perStore)).map { UInt64($0) }
        let done = Lock((kills: 0, acknowledged: 0))
        context.queue.forEach(chains, { "kills, chain \($0)" }) { chain in
            do {
                var run = try KillChain(seed: context.seed &* 65_537 &+ chain)
                defer { run.remove() }
                for _ in 0..<perStore { try run.cycle() }
                let found = (kills: run.kills, acknowledged: run.acknowledgements)
                done.withLock { done in
                    done.kills += found.kills
                    done.acknowledged += found.acknowledged
                }
            } catch {
                context.findings.violation(
                    "kills", "seed \(context.seed), chain \(chain): \(error)")
            }
        }
        context.findings.add(
            Figure(
                key: "kills", title: "kill -9 cycles", value: done.withLock { $0.kills },
                least: 2_000))
        context.findings.add(
            Figure(
                key: "killAcknowledged", title: "  transactions acknowledged by the killed",
                value: done.withLock { $0.acknowledged }))
    }
}

/// One store, and the processes that die over it.
private struct KillChain {
    private let directory: URL
    private var random: SeededGenerator
    private var known = 0
    private(set) var acknowledgements = 0
    /// Writers that died of the signal; some are done before it comes.
    private(set) var kills = 0

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-torture-\(getpid())-\(seed)")
        try? FileManager.default.removeItem(at: directory)
    }

    func remove() { try? FileManager.default.removeItem(at: directory) }

    mutating func cycle() throws {
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let seed = UInt64.random(in: 0...UInt64(UInt32.max), using: &random)
        writer.arguments = [KillWriter.argument, directory.path, "\(seed)"]
        let pipe = Pipe()
        writer.standardOutput = pipe
        try writer.run()
        // Most die while they write, some while they start or recover.
        var said = Data()
        if random.next() % 4 > 0 { said = pipe.fileHandleForReading.availableData }
        usleep(UInt32.random(in: 0..<(said.isEmpty ? 30_000 : 20_000), using: &random))
        kill(writer.processIdentifier, SIGKILL)
        writer.waitUntilExit()
        if writer.terminationReason == .uncaughtSignal { kills += 1 }
        said += pipe.fileHandleForReading.readDataToEndOfFile()
        let text = String(decoding: said, as: UTF8.self)
        if text.contains("refused") { throw CheckFailure(.i4, "a writer: \(text.suffix(300))") }
        // The last line may be cut short.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        acknowledgements += lines.count
        known = max(known, lines.compactMap { Int($0) }.max() ?? 0)
        try check()
    }

    private func check() throws {
        let fileSystem = POSIXFileSystem(directory.path)
        do {
            let read = try CompactionLog(fileSystem).read()
            guard read.payloads == LogPayload.first(read.payloads.count) else {
                throw CheckFailure(.i2, "a transaction is not what was written")
            }
            guard read.payloads.count >= known else {
                throw CheckFailure(.i1, "\(known) acknowledged, \(read.payloads.count) left")
            }
            let verification = try LogVerification.verify(fileSystem)
            guard verification.isSound else {
                throw CheckFailure(.i15, "verification: \(verification.problems)")
            }
        } catch LogError.missing {
            guard known == 0 else { throw CheckFailure(.i1, "the store is gone") }
        }
    }
}

/// The process that is killed: opens, writes, compacts, and says what is durable.
enum KillWriter {
    static let argument = "--kill-writer"

    static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 2, let seed = UInt64(arguments[1]) else { return 2 }
        do {
            try write(POSIXFileSystem(arguments[0]), SeededGenerator(seed: seed))
            return 0
        } catch {
            say("refused: \(error)")
            return 1
        }
    }

    private static func write(_ fileSystem: POSIXFileSystem, _ generator: SeededGenerator) throws {
        var random = generator
        // Here I am.
        say("0")
        let store = CompactionLog(fileSystem, seed: random.next())
        let opened = try store.open()
        let log = opened.log
        var count = opened.payloads.count
        guard opened.payloads == LogPayload.first(count) else {
            throw CheckFailure(.i2, "a transaction is not what was written")
        }
        say("\(log.durableSequence)")
        while count < 590 {
            switch Int.random(in: 0..<40, using: &random) {
            case 0: try log.seal()
            case 1:
                try CompactionLog.compact(
                    log, LogPayload.first(count),
                    for: .random(using: &random))
            case 2..<12: break
            default:
                count += 1
                try log.append(LogPayload.of(count))
                continue
            }
            try log.sync()
            say("\(log.durableSequence)")
        }
        try log.close()
        say("\(count)")
    }

    /// One write for each line, so that it is said or not.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
    }
}
