import BenchmarkSupport
import Foundation

/// The counts that later ones are compared with, and under what they hold.
struct KeptCounts: Codable {
    var architecture: String
    var compiler: String
    /// Instructions for each repetition.
    var counts: [CorePath: Double]

    /// How much more is still no reason to fail: threads and the clock leave that much to chance.
    static let tolerance = 0.05

    static func read(_ url: URL) throws -> KeptCounts? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try JSONDecoder().decode(KeptCounts.self, from: Data(contentsOf: url))
    }

    func write(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: url)
    }

    /// For messages.
    var origin: String { "kept under Swift \(compiler) on \(architecture)" }

    /// Whether counts made here and now may be compared with these.
    var isComparable: Bool {
        architecture == Toolchain.architecture && compiler == Toolchain.compiler
    }
}
