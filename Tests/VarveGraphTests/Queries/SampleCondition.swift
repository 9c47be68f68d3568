import Foundation
@testable import VarveGraph

/// A condition as data: makes predicates of any entity type, and tests plain values.
indirect enum SampleCondition {
    enum Relation: CaseIterable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

        func holds<Value: Comparable>(_ first: Value, _ second: Value) -> Bool {
            switch self {
            case .equal: first == second
            case .notEqual: first != second
            case .less: first < second
            case .lessOrEqual: first <= second
            case .greater: first > second
            case .greaterOrEqual: first >= second
            }
        }

        func predicate<Entity: EntityModelProtocol, Value: Comparable & Sendable>(
            _ path: KeyPath<Entity, Value>, _ value: Value
        ) -> QueryPredicate<Entity> {
            switch self {
            case .equal: path == value
            case .notEqual: path != value
            case .less: path < value
            case .lessOrEqual: path <= value
            case .greater: path > value
            case .greaterOrEqual: path >= value
            }
        }
    }

    case idIn([Int])
    case age(Relation, Int)
    case ageIn([Int])
    case ageRange(Int, Int)
    case city(Relation, String)
    case cityIn([String])
    case cityStarts(String)
    case cityStartsExactly(String)
    case nameStarts(String)
    case name(String?)
    case nameNot(String?)
    case score(Relation, Double)
    case level(Relation, Level)
    case rank(Relation, Int)
    case rankIs(Int?)
    case isActive(Bool)
    case day(Relation, Date)
    case length(Relation, Int)
    case closure(Int)
    case note(contains: String)
    /// Words of three letters.
    case noteMatches([String])
    case and(SampleCondition, SampleCondition)
    case or(SampleCondition, SampleCondition)
    case not(SampleCondition)

    /// Whether a filter by the condition orders what it finds.
    var isRanked: Bool {
        switch self {
        case .noteMatches: true
        case .and(let first, let second): first.isRanked || second.isRanked
        default: false
        }
    }

    func holds(_ sample: Sample) -> Bool {
        switch self {
        case .idIn(let values): values.contains(sample.id)
        case .age(let relation, let value): relation.holds(sample.age, value)
        case .ageIn(let values): values.contains(sample.age)
        case .ageRange(let low, let high): (low...high).contains(sample.age)
        case .city(let relation, let value): relation.holds(sample.city, value)
        case .cityIn(let values): values.contains(sample.city)
        case .cityStarts(let text): sample.city.lowercased().hasPrefix(text.lowercased())
        case .cityStartsExactly(let text): sample.city.hasPrefix(text)
        case .nameStarts(let text): sample.name?.lowercased().hasPrefix(text.lowercased()) ?? false
        case .name(let value): sample.name == value
        case .nameNot(let value): sample.name != value
        case .score(let relation, let value): relation.holds(sample.score, value)
        case .level(let relation, let value): relation.holds(sample.level, value)
        case .rank(.equal, let value): sample.rank == value
        case .rank(.notEqual, let value): sample.rank != value
        case .rank(let relation, let value): sample.rank.map { relation.holds($0, value) } ?? false
        case .rankIs(let value): sample.rank == value
        case .isActive(let value): sample.isActive == value
        case .day(let relation, let value): relation.holds(sample.day, value)
        case .length(let relation, let value): relation.holds(sample.city.count, value)
        case .closure(let divisor): sample.age % divisor == 0
        case .note(let text): sample.note.contains(text)
        case .noteMatches(let words): words.contains { sample.note.contains($0) }
        case .and(let first, let second): first.holds(sample) && second.holds(sample)
        case .or(let first, let second): first.holds(sample) || second.holds(sample)
        case .not(let condition): !condition.holds(sample)
        }
    }

    func predicate<Entity: SampleEntity>(of type: Entity.Type) -> QueryPredicate<Entity> {
        switch self {
        case .idIn(let values): .property(Entity.number, isIn: values)
        case .age(let relation, let value): relation.predicate(Entity.age, value)
        case .ageIn(let values): .property(Entity.age, isIn: values)
        case .ageRange(let low, let high): .property(Entity.age, isIn: low...high)
        case .city(let relation, let value): relation.predicate(Entity.city, value)
        case .cityIn(let values): .property(Entity.city, isIn: values)
        case .cityStarts(let text): .string(Entity.city, hasPrefix: text)
        case .cityStartsExactly(let text):
            .string(Entity.city, hasPrefix: text, caseSensitive: true)
        case .nameStarts(let text): .string(Entity.name, hasPrefix: text)
        case .name(let value): Entity.name == value
        case .nameNot(let value): Entity.name != value
        case .score(let relation, let value): relation.predicate(Entity.score, value)
        case .level(let relation, let value): relation.predicate(Entity.level, value)
        case .rank(let relation, let value): rank(relation, value)
        case .rankIs(let value): Entity.rank == value
        case .isActive(let value): Entity.isActive == value
        case .day(let relation, let value): relation.predicate(Entity.day, value)
        case .length(let relation, let value): relation.predicate(Entity.length, value)
        case .closure(let divisor): .satisfying { $0.sample.age % divisor == 0 }
        case .note(let text): .string(Entity.note, contains: text)
        case .noteMatches(let words):
            .string(Entity.note, matches: words.joined(separator: " "))
        case .and(let first, let second):
            first.predicate(of: type) && second.predicate(of: type)
        case .or(let first, let second): first.predicate(of: type) || second.predicate(of: type)
        case .not(let condition): !condition.predicate(of: type)
        }
    }

    private func rank<Entity: SampleEntity>(
        _ relation: Relation, _ value: Int
    ) -> QueryPredicate<Entity> {
        switch relation {
        case .equal: Entity.rank == value
        case .notEqual: Entity.rank != value
        case .less: Entity.rank < value
        case .lessOrEqual: Entity.rank <= value
        case .greater: Entity.rank > value
        case .greaterOrEqual: Entity.rank >= value
        }
    }
}
