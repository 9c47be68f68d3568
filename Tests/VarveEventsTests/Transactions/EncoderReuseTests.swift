import Testing
import VarveEvents
import VarveTestSupport

@Suite("An encoder that is used again")
struct EncoderReuseTests {
    @Test("Numbers the entities of each transaction from none, after small ones and large ones")
    func entities() throws {
        let seed: UInt64 = 11
        var random = SeededGenerator(seed: seed)
        var encoder = TransactionEncoder()
        for round in 0..<300 {
            encoder.begin(
                id: TransactionID(UInt64(round) + 1), time: Timestamp(microseconds: 0))
            let isLarge = Int.random(in: 0..<10, using: &random) == 0
            let count = Int.random(in: 0..<(isLarge ? 3_000 : 20), using: &random)
            var known: [UInt64: EntityIndex] = [:]
            // Who knows entities otherwise than by their ids asks for each once.
            var listed: Set<UInt64> = []
            let lookedUpFrom = Int.random(in: 0...count, using: &random)
            for step in 0..<count {
                let number = UInt64.random(in: 0..<4_000, using: &random)
                let type = TypeNumber(UInt32(number % 3) + 1)
                let isLookedUp = step >= lookedUpFrom && Bool.random(using: &random)
                if !isLookedUp, !listed.insert(number).inserted { continue }
                let index = withUnsafeBytes(of: number) {
                    isLookedUp ? encoder.entity(type, $0) : encoder.unlistedEntity(type, $0)
                }
                let expected = known[number] ?? EntityIndex(UInt32(known.count))
                try #require(index == expected, "round \(round), seed \(seed)")
                known[number] = index
            }
            var bytes = ByteWriter()
            encoder.finish(
                TransactionHeader(
                    id: TransactionID(UInt64(round) + 1), time: Timestamp(microseconds: 0)),
                into: &bytes)
            let entities = try bytes.withBytes { try TransactionView($0).entities.count }
            #expect(entities == known.count, "round \(round), seed \(seed)")
        }
    }
}
