import Foundation
import VarveFuzzing
import VarveLog
import VarveTestSupport

/// The fuzz targets with seeded mutations of their seeds: what a fuzzer does with coverage, here
/// without it and repeatable.
enum FuzzPart {
    private struct Item: Sendable, CustomStringConvertible {
        let target: FuzzTarget
        let seed: UInt64

        var description: String { "fuzz target \(target), seed \(seed)" }
    }

    @Sendable static func run(_ context: CampaignContext) {
        let rounds = context.size.choose(4, 100, 10_000, tenth: 10)
        let perRound = 100
        let items = FuzzTarget.allCases.flatMap { target in
            // A workload with a power cut costs as much as many of the others.
            (0..<(target == .operations ? max(1, rounds / 20) : rounds)).map {
                Item(target: target, seed: context.seed &* 7_919 &+ UInt64($0))
            }
        }
        context.queue.forEach(items) { item in
            var generator = SeededGenerator(seed: item.seed)
            let seeds = item.target.seeds
            for _ in 0..<perRound {
                var bytes = seeds.randomElement(using: &generator) ?? []
                for _ in 0...Int.random(in: 0...4, using: &generator) {
                    mutate(&bytes, &generator)
                }
                item.target.run(bytes)
            }
        }
        context.findings.add(
            Figure(
                key: "fuzzTargets", title: "fuzz targets", value: FuzzTarget.allCases.count,
                least: 9))
        context.findings.add(
            Figure(
                key: "fuzzRuns", title: "  runs with seeded mutations",
                value: items.count * perRound))
    }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return bytes = generator.bytes(16) }
        let position = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[position] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes[position] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: position)
        case 4: bytes.remove(at: position)
        case 5: bytes.removeLast(bytes.count - position)
        default:
            let count = min(8, bytes.count - position)
            let huge = [UInt8](repeating: 0xFF, count: count)
            bytes.replaceSubrange(position..<(position + count), with: huge)
        }
    }
}
