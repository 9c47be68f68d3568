import Foundation
import VarveTestSupport

/// Makes values, conditions and queries that collide often enough to be interesting.
struct SampleGenerator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    static let cities = ["", "Ulm", "Bonn", "Berlin", "Bergen", "Bergamo", "É", "E\u{301}", "日本"]

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func sample(id: Int) -> Sample {
        Sample(
            id: id, age: Int.random(in: -3...20, using: &random),
            city: Self.cities.randomElement(using: &random) ?? "",
            name: chance(40) ? nil : "name \(Int.random(in: 0..<5, using: &random))",
            score: score(), level: Level.allCases.randomElement(using: &random) ?? .low,
            rank: chance(30) ? nil : Int.random(in: -2...6, using: &random),
            isActive: chance(50), day: day(), note: note())
    }

    static let words = ["fox", "owl", "cat", "dog", "elk", "ant"]

    mutating func note() -> String {
        (0..<Int.random(in: 0..<5, using: &random)).map { _ in word() }.joined(separator: " ")
    }

    private mutating func word() -> String { Self.words.randomElement(using: &random) ?? "" }

    mutating func score() -> Double {
        [0, -0.0, 1.5, -2, .infinity, .nan, 7, 7.25].randomElement(using: &random) ?? 0
    }

    mutating func day() -> Date {
        Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<6, using: &random)))
    }

    mutating func condition(depth: Int = 2) -> SampleCondition {
        if depth > 0, chance(45) {
            let first = condition(depth: depth - 1)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: return .and(first, condition(depth: depth - 1))
            case 2, 3: return .or(first, condition(depth: depth - 1))
            default: return .not(first)
            }
        }
        return leaf()
    }

    private mutating func leaf() -> SampleCondition {
        let relation = SampleCondition.Relation.allCases.randomElement(using: &random) ?? .equal
        let number = Int.random(in: -4...21, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0, 1: return .age(relation, number)
        case 2: return .ageIn((0..<Int.random(in: 0..<14, using: &random)).map { $0 * 3 - 4 })
        case 3: return .ageRange(number, number + 5)
        case 4: return .city(relation, city())
        case 5: return .cityIn([city(), city(), "Nowhere"])
        case 6: return .name(chance(30) ? nil : "name 2")
        case 7: return .nameNot(chance(50) ? nil : "name 3")
        case 8: return .score(relation, score())
        case 9: return .level(relation, Level.allCases.randomElement(using: &random) ?? .low)
        case 10: return .rank(relation, number % 5)
        case 11: return .rankIs(chance(30) ? nil : number % 5)
        case 12: return .isActive(chance(50))
        case 13: return .day(relation, day())
        case 16: return .idIn((0..<12).map { _ in Int.random(in: 0..<200, using: &random) })
        case 14: return .note(contains: chance(50) ? word() : word() + " " + word())
        case 15: return .noteMatches([word(), word()])
        case 17:
            let start = String(city().prefix(Int.random(in: 0...4, using: &random)))
            return chance(50) ? .cityStarts(start.uppercased()) : .cityStartsExactly(start)
        case 18: return .nameStarts(chance(80) ? "NAME \(number % 5)" : "")
        default: return chance(50) ? .length(relation, number % 7) : .closure(2 + abs(number % 3))
        }
    }

    private mutating func city() -> String { Self.cities.randomElement(using: &random) ?? "" }

    private mutating func sort() -> SampleStep {
        .sort(SampleSort.allCases.randomElement(using: &random) ?? .age)
    }

    mutating func query(ids: Int) -> SampleQuery {
        var steps: [SampleStep] = []
        for _ in 0..<Int.random(in: 0..<3, using: &random) { steps.append(.filter(condition())) }
        if chance(50) { steps.append(sort()) }
        if chance(15) { steps.append(sort()) }
        if chance(15) { steps.append(.filter(condition(depth: 0))) }
        if chance(50) { steps.append(limit()) }
        while chance(25) { steps.append(step()) }
        guard chance(12) else { return SampleQuery(steps: steps) }
        let chosen = (0..<20).map { _ in Int.random(in: 0..<ids, using: &random) }
        return SampleQuery(ids: chosen, steps: steps)
    }

    private mutating func limit() -> SampleStep {
        .limit(
            Int.random(in: -1...12, using: &random),
            offset: chance(60) ? 0 : Int.random(in: -1...15, using: &random))
    }

    private mutating func step() -> SampleStep {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .or(condition())
        case 1: .and(condition())
        case 2: .distinct
        case 3: .lastOnly
        case 4: limit()
        case 5: sort()
        default: .filter(condition())
        }
    }
}
