@testable import VarveGraph

/// One call of a chain, for the entity types and for plain values.
enum SampleStep {
    case filter(SampleCondition)
    case or(SampleCondition)
    case and(SampleCondition)
    case sort(SampleSort)
    case limit(Int, offset: Int)
    case distinct
    case lastOnly

    func add<Entity: SampleEntity>(to query: QueryList<Entity>) -> QueryList<Entity> {
        switch self {
        case .filter(let condition): query.filter(condition.predicate(of: Entity.self))
        case .or(let condition): query.or(.filter(condition.predicate(of: Entity.self)))
        case .and(let condition): query.and(Entity.filter(condition.predicate(of: Entity.self)))
        case .sort(let sort): Entity.adding(sort, to: query)
        case .limit(let limit, let offset): query.limit(limit, offset: offset)
        case .distinct: query.distinct()
        case .lastOnly: query.last().list
        }
    }

    /// What the step makes of values, when `all` are those of the type.
    func apply(to samples: [Sample], all: [Sample]) -> [Sample] {
        switch self {
        case .filter(let condition), .and(let condition): return samples.filter(condition.holds)
        case .or(let condition):
            let present = Set(samples.map(\.id))
            return Self.distinct(samples)
                + all.filter { condition.holds($0) && !present.contains($0.id) }
        case .sort(let sort): return sort.sorted(samples)
        case .limit(let limit, let offset):
            guard limit > 0, offset >= 0 else { return [] }
            return Array(samples.dropFirst(offset).prefix(limit))
        case .distinct: return Self.distinct(samples)
        case .lastOnly: return Array(samples.suffix(1))
        }
    }

    private static func distinct(_ samples: [Sample]) -> [Sample] {
        var seen: Set<Int> = []
        return samples.filter { seen.insert($0.id).inserted }
    }
}

/// A chain of calls on all rows of a type, or on those with some ids.
struct SampleQuery {
    var ids: [Int]?
    var steps: [SampleStep]

    /// Whether its order is one by rank, which plain values cannot tell.
    var isRanked: Bool {
        steps.contains { step in
            switch step {
            case .filter(let condition), .or(let condition): return condition.isRanked
            default: return false
            }
        }
    }

    func query<Entity: SampleEntity>(of type: Entity.Type) -> QueryList<Entity> {
        let start = ids.map { Entity.query($0) } ?? Entity.query()
        return steps.reduce(start) { $1.add(to: $0) }
    }

    func answer(from all: [Sample]) -> [Sample] {
        var samples = all
        if let ids {
            let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
            samples = ids.compactMap { byID[$0] }
        }
        return steps.reduce(samples) { $1.apply(to: $0, all: all) }
    }
}
