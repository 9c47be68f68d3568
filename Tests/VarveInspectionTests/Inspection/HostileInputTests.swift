import Testing
import VarveInspection
import VarveTestSupport

@testable import VarveTool

@Suite("Hostile content")
struct HostileInputTests {
    @Test("Frames with the right checksums and any content end in a value, or in what is wrong")
    func tamperedTransactions() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var refused = 0
        for _ in 0..<150 {
            let victim = UInt64.random(in: 1...9, using: &generator)
            let store = try SampleStore.filled { id, bytes in
                id == victim ? Self.tampered(bytes, using: &generator) : bytes
            }
            for arguments in [
                ["info"], ["log"], ["log", "-r"], ["show", "\(victim)"], ["cat", "User"],
                ["cat", "Chat", "7"], ["verify"],
            ] {
                var arguments = arguments
                arguments.insert(store.path, at: 1)
                let run = ToolRun(all: arguments, terminalWidth: 80)
                #expect(run.status != .usage, "seed \(seed)")
                let lines = run.errors.split(separator: "\n")
                #expect(lines.isEmpty == (run.status == .success || arguments[0] == "verify"))
                // Behind what is wrong it lists what is missing.
                #expect(lines.first?.hasPrefix("varve: ") ?? true, "seed \(seed)")
                #expect(
                    lines.allSatisfy { $0.hasPrefix("varve: ") || $0.hasPrefix("  ") },
                    "seed \(seed)")
                if run.status == .failure { refused += 1 }
            }
        }
        #expect(refused > 100, "seed \(seed): the content was not tampered with")
    }

    private static func tampered(
        _ bytes: [UInt8], using generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0...3, using: &generator) {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0...3, using: &generator) {
            case 0: bytes[position] = UInt8.random(in: .min ... .max, using: &generator)
            case 1: bytes[position] = 0xFF
            case 2: bytes.insert(0xFF, at: position)
            default: bytes.remove(at: position)
            }
        }
        return bytes
    }
}
