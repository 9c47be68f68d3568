import Foundation

/// The counts that later ones are compared with, and under what they hold.
struct KeptCounts: Codable {
    var architecture: String
    var compiler: String
    /// Instructions for each repetition.
    var counts: [CorePath: Double]

    /// How much more is still no reason to fail: threads and the clock leave that much to chance.
    static let tolerance = 0.05

    static var architecture: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "arm64"
        #else
            "another"
        #endif
    }

    static var compiler: String {
        #if compiler(>=6.4)
            "later than 6.3"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

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
        architecture == Self.architecture && compiler == Self.compiler
    }
}
