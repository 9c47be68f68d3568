import Varve

/// The data of the comparison tables, the same in every run.
enum Dataset {
    static func users(_ count: Int) -> [User] {
        (0..<count).map { number in
            User(
                id: id("user", number), name: "Name \(number) Somebody",
                email: "user\(number)@example.com", age: number % 100,
                city: "City number \(number % 200)", score: Double(number), createdAt: number)
        }
    }

    /// Sixteen bytes, which Swift keeps on the heap.
    static func id(_ prefix: String, _ number: Int) -> String {
        let digits = "\(number)"
        return prefix + "-" + String(repeating: "0", count: 15 - prefix.count - digits.count)
            + digits
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

/// A seeded generator, so that every run touches rows in the same order.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
