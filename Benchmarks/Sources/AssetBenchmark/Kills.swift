import BenchmarkSupport
import Foundation
import Varve

/// Kills a process that writes assets, again and again at moments by chance, until it has written all, and looks each
/// time at what is left.
struct Kills {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let size: AssetSize
    private let directory: URL
    private let places: KilledWriter.Places
    private let plan: AssetPlan
    private let seed: UInt64
    private var random: SplitMix

    /// What one kill left, added up.
    private var (kills, readBytes, removedFiles) = (0, 0, 0)
    private var writerPeak = 0.0

    init(_ size: AssetSize, seed: UInt64, in directory: URL) {
        self.size = size
        self.seed = seed
        self.directory = directory
        places = KilledWriter.Places(in: directory)
        plan = AssetPlan(size)
        random = SplitMix(state: seed)
    }

    /// - Parameter megabytesMax: how much memory the writer may take.
    mutating func run(megabytesMax: Double) throws {
        print("  seed \(seed)")
        defer { try? FileManager.default.removeItem(at: places.store) }
        var (last, isDone) = (0, false)
        while !isDone {
            try? FileManager.default.removeItem(at: places.acknowledged)
            isDone = try writeAndKill()
            let acknowledged = (try? Data(contentsOf: places.acknowledged).count) ?? 0
            last = try check(atLeast: last + acknowledged)
            guard writerPeak <= megabytesMax else {
                throw Failure(description: "the writer took \(Spread.text(writerPeak)) MB")
            }
        }
        guard last == plan.transactionCount else {
            throw Failure(description: "the writer ended behind transaction \(last)")
        }
        print(
            "  \(kills) kills of \(last) transactions; \(Spread.text(Double(readBytes) / 1e6)) MB"
                + " read and compared; \(removedFiles) files of assets removed behind kills; peak"
                + " of the writer \(Spread.text(writerPeak)) MB")
    }

    // MARK: - The writer

    /// Whether it had written all before it was killed.
    private mutating func writeAndKill() throws -> Bool {
        let arguments =
            ["/proc/self/exe", "--writer", "--directory", directory.path] + size.arguments
        var process = pid_t(0)
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        let code = posix_spawn(&process, "/proc/self/exe", nil, nil, &pointers, environ)
        guard code == 0 else {
            throw Failure(description: "no writer: \(String(cString: strerror(code)))")
        }
        usleep(UInt32.random(in: size.killDelay, using: &random))
        kill(process, SIGKILL)
        var (status, usage) = (Int32(0), rusage())
        guard wait4(process, &status, 0, &usage) == process else {
            throw Failure(description: "the writer went: \(String(cString: strerror(errno)))")
        }
        writerPeak = max(writerPeak, Double(usage.ru_maxrss) * 1_024 / 1e6)
        if status == SIGKILL {
            kills += 1
            return false
        }
        guard status == 0 else {
            throw Failure(description: "the writer ended with \(status), seed \(seed)")
        }
        return true
    }

    // MARK: - What it left

    /// Compares all that the store must have with what it has. Returns its last transaction.
    private mutating func check(atLeast acknowledged: Int) throws -> Int {
        let store = try Store.measured(at: places.store)
        let last = Int(store.lastTransaction.rawValue)
        try require(
            last == acknowledged || last == acknowledged + 1,
            "transaction \(last) is the last one, and \(acknowledged) the last acknowledged")
        let contents = plan.contents(behind: last)
        try require(store.context.count(AssetPage.self) == contents.count, "other pages")
        for (id, content) in contents { try check(id, content, in: store) }
        let report = try store.compact()
        try require(report.assetsLeftover == nil, "\(report)")
        removedFiles += report.assetsDropped
        let files = try FileManager.default.subpathsOfDirectory(atPath: places.store.path)
            .filter { $0.hasPrefix("assets/") && $0.utf8.count > "assets/00".utf8.count }
        try require(
            files.count == contents.count,
            "\(files.count) files of assets of \(contents.count) pages")
        try store.close()
        return last
    }

    private mutating func check(_ id: Int, _ content: Content, in store: Store) throws {
        guard let image = AssetPage.query(id).resolve(in: store.context)?.image else {
            throw Failure(description: "page \(id) has no image, seed \(seed)")
        }
        let stamp = Data(Content.stamp(content.number, at: 0).utf8)
        try require(try image.bytes(0..<stamp.count, in: store) == stamp, "the content of \(id)")
        var count = 0
        // Compares the digest behind the last piece.
        try image.forEachChunk(in: store) { count += $0.count }
        try require(count == content.byteCount, "\(count) bytes of page \(id)")
        readBytes += count
    }

    private func require(_ isTrue: Bool, _ message: String) throws {
        if !isTrue {
            throw Failure(description: "behind kill \(kills), seed \(seed): \(message)")
        }
    }
}
