import BenchmarkSupport
import VarveGraph

/// The user as an entity of today's context.
@EntityModel
struct ContextUser: SampleUser {
    let id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int

    @Index<Self>(\.age) private var ageIndex
}

/// Users in a context.
struct ContextStore: UserStore {
    private var context = Context()

    mutating func save(_ users: ArraySlice<BenchmarkUser>, batch: Int) {
        for start in stride(from: users.startIndex, to: users.endIndex, by: batch) {
            let snapshot = context
            for user in users[start..<min(start + batch, users.endIndex)] {
                do {
                    try ContextUser(user).save(to: &context)
                } catch {
                    preconditionFailure("\(error)")
                }
            }
            withExtendedLifetime(snapshot) {}
        }
    }

    func findRows(_ ids: [String]) -> Int? { nil }

    func find(_ ids: [String]) -> Int {
        var sum = 0
        for id in ids {
            let user: ContextUser? = context.find(id)
            sum &+= user?.digest ?? 0
        }
        return sum
    }

    func count(scoreFrom score: Double) -> Int {
        ContextUser.filter(\.score >= score).count(in: context)
    }

    func scan() -> Int {
        var sum = 0
        ContextUser.query().forEach(in: context) { sum &+= $0.digest }
        return sum
    }

    func range(ages: Range<Int>) -> Int {
        let (first, end) = (ages.lowerBound, ages.upperBound)
        let users = ContextUser.filter(\.age >= first && \.age < end).resolve(in: context)
        return users.reduce(0) { $0 &+ $1.digest }
    }
}
