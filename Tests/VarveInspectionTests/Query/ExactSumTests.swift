import Testing
import VarveTestSupport

@testable import VarveInspection

@Suite("Sums that are rounded once")
struct ExactSumTests {
    private static func sum(_ values: [Double]) -> Double {
        var sum = ExactSum()
        for value in values { sum.add(value) }
        return sum.value
    }

    @Test("The sum is the number that is nearest to the true one")
    func nearest() {
        #expect(Self.sum([]) == 0)
        #expect(Self.sum([1e16, 1, -1e16]) == 1)
        #expect(Self.sum(Array(repeating: 0.1, count: 10)) == 1)
        #expect(Self.sum([1e300, 1, -1e300, 1e-300, -1]) == 1e-300)
        #expect(
            Self.sum([.leastNonzeroMagnitude, .leastNonzeroMagnitude]) == 2 * .leastNonzeroMagnitude
        )
        #expect(
            Self.sum([-.leastNonzeroMagnitude, .leastNormalMagnitude])
                == Double.leastNormalMagnitude.nextDown)
        #expect(Self.sum([-1.5, -2.25]) == -3.75)
    }

    @Test("Between two numbers that are as near, the even one is it, unless anything is behind")
    func halves() {
        let great = 9_007_199_254_740_992.0
        #expect(Self.sum([great, 1]) == great)
        #expect(Self.sum([great, 1, 1e-300]) == great + 2)
        #expect(Self.sum([great, 1, -1e-300]) == great)
        #expect(Self.sum([great, 3]) == great + 4)
        #expect(Self.sum([-great, -1, -1e-300]) == -great - 2)
    }

    @Test("A sum between is not lost beyond the greatest number, but a whole one is infinite")
    func overflow() {
        let great = Double.greatestFiniteMagnitude
        #expect(Self.sum([great, great, -great]) == great)
        #expect(Self.sum([great, great]) == .infinity)
        #expect(Self.sum([-great, -great, 1]) == -.infinity)
    }

    @Test("Numbers that are not finite are summed as such")
    func nonFinite() {
        #expect(Self.sum([1, .infinity, -1e300]) == .infinity)
        #expect(Self.sum([.infinity, 1, -.infinity]).isNaN)
        #expect(Self.sum([1, .nan]).isNaN)
    }

    @Test("Sums of integers and numbers are those of exact arithmetic, in any order and in parts")
    func random() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<200 {
            // Of a width of which the exact sum fits.
            let units = (0..<Int.random(in: 0..<200, using: &random)).map { _ in
                Int64.random(in: -1 << 52...1 << 52, using: &random) &>> Int64(round % 50)
            }
            var (sum, reversed, parts) = (ExactSum(), ExactSum(), [ExactSum(), ExactSum()])
            for (position, unit) in units.enumerated() {
                sum.add(Double(unit) / 1_048_576)
                parts[position % 2].add(Double(unit) / 1_048_576)
            }
            for unit in units.reversed() { reversed.add(Double(unit) / 1_048_576) }
            parts[0].add(parts[1])
            let expected = Double(units.reduce(0, +)) / 1_048_576
            #expect(sum.value == expected, "seed \(seed)")
            #expect(reversed.value == expected, "seed \(seed)")
            #expect(parts[0].value == expected, "seed \(seed)")
            var integers = ExactSum()
            for unit in units { integers.add(unit) }
            #expect(integers.value == Double(units.reduce(0, +)), "seed \(seed)")
        }
    }

    @Test("Integers at their limits add up beyond what an integer holds")
    func integers() {
        var sum = ExactSum()
        for _ in 0..<1_000 { sum.add(Int64.min) }
        #expect(sum.value == -0x1p63 * 1_000)
        for _ in 0..<1_000 { sum.add(Int64.max) }
        #expect(sum.value == -1_000)
    }
}
