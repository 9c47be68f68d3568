/// What transaction n of every workload writes: a function of the number alone, so that the same
/// state of a disk asks for the same content whatever workload led to it.
package enum LogPayload {
    private static let prepared = (0..<600).map { make($0) }

    package static func of(_ number: Int) -> [UInt8] {
        prepared.indices.contains(number) ? prepared[number] : make(number)
    }

    package static func first(_ count: Int) -> [[UInt8]] {
        count > 0 ? (1...count).map { of($0) } : []
    }

    /// What no log may ever hold: of a transaction that was refused. Three frames, the first of them
    /// as long as an incompressible transaction's only one.
    package static let refused: [UInt8] = {
        var generator = SeededGenerator(seed: 0xBAD)
        return generator.bytes(600)
    }()

    /// Some take three frames, some do not compress, most are short and do.
    private static func make(_ number: Int) -> [UInt8] {
        if number % 11 == 4 {
            var generator = SeededGenerator(seed: UInt64(number))
            return generator.bytes(200)
        }
        let text = Array("transaction \(number) ".utf8)
        let count = number % 5 == 0 ? 450 : 40 + number % 7 * 30
        return (0..<count).map { text[$0 % text.count] }
    }
}
