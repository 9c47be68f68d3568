import Testing
import VarveTestSupport

@testable import Varve

@Suite("Numbers by slot")
struct SlotNumbersTests {
    @Test("They are those of a dictionary, round after round", arguments: [1, 2] as [UInt64])
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var numbers = SlotNumbers()
        for round in 0..<60 {
            numbers.removeAll()
            var model: [UInt64: UInt32] = [:]
            // Once more than what is kept for the next transaction.
            let count = round == 30 ? 100_000 : Int.random(in: 0..<300, using: &random)
            for number in 0..<UInt32(count) {
                let table = UInt64.random(in: 0..<3, using: &random)
                let key = table << 32 | UInt64.random(in: 0..<UInt64(count), using: &random)
                let isNew = model[key] == nil
                if isNew { model[key] = number }
                #expect(numbers.insert(key, number) == isNew, "seed \(seed)")
            }
            for key in 0..<UInt64(min(count, 300)) {
                #expect(numbers[key] == model[key], "seed \(seed)")
                #expect(numbers[1 << 32 | key] == model[1 << 32 | key], "seed \(seed)")
            }
        }
    }
}
