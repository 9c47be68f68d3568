import BenchmarkSupport
import Foundation

/// The bytes of code that later ones are compared with, and under what they hold.
struct KeptSizes: Codable {
    var architecture = Toolchain.architecture
    var compiler = Toolchain.compiler
    /// Bytes of code in release, by the number of entities.
    var codeBytes: [Int: Int] = [:]

    /// How much more is still no reason to fail. What is kept stays as it is until it is updated, so small steps
    /// add up against it.
    static let tolerance = 0.01

    static func read(_ url: URL) throws -> KeptSizes? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try JSONDecoder().decode(KeptSizes.self, from: Data(contentsOf: url))
    }

    func write(to url: URL) throws {
        try JSONEncoder.readable.encode(self).write(to: url)
    }

    /// Whether sizes found here and now may be compared with these.
    var isComparable: Bool {
        architecture == Toolchain.architecture && compiler == Toolchain.compiler
    }

    /// A change as a part of what is kept; nil where nothing is kept or the cost is one of debugging.
    func change(of cost: CompilationCost) -> Double? {
        guard isComparable, cost.configuration == .release,
            let kept = codeBytes[cost.model.entityCount], kept > 0
        else { return nil }
        return Double(cost.codeBytes) / Double(kept) - 1
    }

    mutating func keep(_ costs: [CompilationCost]) {
        if !isComparable { self = KeptSizes() }
        for cost in costs where cost.configuration == .release {
            codeBytes[cost.model.entityCount] = cost.codeBytes
        }
    }
}

extension JSONEncoder {
    static var readable: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return encoder
    }
}
