import BenchmarkSupport
import Varve

/// The data of the comparison tables, the same in every run.
enum Dataset {
    static func users(_ count: Int) -> [User] {
        (0..<count).map { number in
            User(
                id: SampleData.id("user", number), name: SampleData.name(number),
                email: SampleData.email(number), age: number % 100,
                city: SampleData.city(number), score: Double(number), createdAt: number)
        }
    }

    /// All indices in random order.
    static func order(_ count: Int) -> [Int] {
        var random = SplitMix(state: 42)
        return Array(0..<count).shuffled(using: &random)
    }

    static func context<Entity: EntityModelProtocol>(_ entities: [Entity]) -> Context {
        var context = Context()
        for entity in entities { save(entity, to: &context) }
        return context
    }
}

/// Saves an entity whose hooks do not throw.
@inline(__always)
func save<Entity: EntityModelProtocol>(_ entity: Entity, to context: inout Context) {
    do {
        try entity.save(to: &context)
    } catch {
        preconditionFailure("a save without hooks threw: \(error)")
    }
}

/// Runs changes that nothing refuses.
func expectingNoError<Result>(_ body: () throws -> Result) -> Result {
    do {
        return try body()
    } catch {
        preconditionFailure("a change that nothing refuses threw: \(error)")
    }
}
