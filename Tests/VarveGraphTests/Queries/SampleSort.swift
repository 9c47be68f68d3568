/// A way to sort, for the entity types and for plain values.
enum SampleSort: CaseIterable {
    case age, ageDown, cityAge, cityDownAgeDown, cityAgeDown, score, scoreDown, level, rank,
        rankDown
    case name, dayLevelAgeCity, length

    /// Whether the first value comes before the second one.
    func precedes(_ first: Sample, _ second: Sample) -> Bool {
        switch self {
        case .age: first.age < second.age
        case .ageDown: first.age > second.age
        case .cityAge: (first.city, first.age) < (second.city, second.age)
        case .cityDownAgeDown: (first.city, first.age) > (second.city, second.age)
        case .cityAgeDown: (first.city, -first.age) < (second.city, -second.age)
        case .score: number(first.score) < number(second.score)
        case .scoreDown: number(first.score) > number(second.score)
        case .level: first.level < second.level
        case .rank: (first.rank ?? .min) < (second.rank ?? .min)
        case .rankDown: (first.rank ?? .min) > (second.rank ?? .min)
        case .name: (first.name ?? "", first.day) < (second.name ?? "", second.day)
        case .dayLevelAgeCity:
            (first.day, first.level, first.age, first.city)
                < (second.day, second.level, second.age, second.city)
        case .length: first.city.count < second.city.count
        }
    }

    /// NaN stands behind everything.
    private func number(_ value: Double) -> (Int, Double) { value.isNaN ? (1, 0) : (0, value) }

    /// The standard library does not promise that its sort is stable.
    func sorted(_ samples: [Sample]) -> [Sample] {
        samples.enumerated().sorted { first, second in
            if precedes(first.element, second.element) { return true }
            if precedes(second.element, first.element) { return false }
            return first.offset < second.offset
        }.map(\.element)
    }
}
