import BenchmarkSupport
import Foundation
import Varve

/// What a snapshot costs the writer: a copy of the context before each save, in memory alone.
struct GraphWork: Work {
    let child: Child

    func run() throws -> RunResult {
        var result = RunResult(.varve)
        result.figures[.snapshotSave] = try microseconds { PlainUser($0) }
        result.figures[.snapshotSaveIndexed] = try microseconds { StoredUser($0) }
        return result
    }

    private func microseconds<Entity: EntityModelProtocol>(
        _ make: (UserRecord) -> Entity
    ) throws -> Double {
        var context = Context()
        for number in 0..<work.size { try make(Dataset.user(number)).save(to: &context) }
        let numbers = SampleData.randomNumbers(work.queries, below: work.size, seed: 6)
        let users = numbers.enumerated().map { position, number in
            var user = Dataset.user(number)
            // Another value each time, also where a user comes again.
            user.score += Double(position + 1)
            return make(user)
        }
        let seconds = try WallClock.seconds {
            for user in users {
                let snapshot = context
                try user.save(to: &context)
                withExtendedLifetime(snapshot) {}
            }
        }
        return seconds / Double(users.count) * 1e6
    }
}

/// The user without indexes.
@EntityModel
struct PlainUser: SampleUser {
    let id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int
}
