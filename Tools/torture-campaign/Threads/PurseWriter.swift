import Varve
import VarveTestSupport

/// Steps of scopes that overlap: several writers share a scope, and all scopes write the same few rows.
///
/// All amounts are the same, so that a row often has a value that it had before, by another step. Whether a step
/// can be reverted, the versions of the rows alone tell.
struct PurseWriter {
    private static let amount = 5
    private static let scopes = 3

    private var random: SeededGenerator
    let scope: String

    init(_ writer: Int, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        scope = "purses \(writer % Self.scopes)"
    }

    static func setUp(_ context: inout Context) throws {
        for id in 0..<Purse.count { try Purse(id: id, balance: Purse.start).save(to: &context) }
    }

    /// What all purses and coins are worth in each state.
    static var sum: Int { Purse.count * Purse.start }

    static func sum(_ context: Context) -> Int {
        Purse.query().resolve(in: context).reduce(0) { $0 + $1.balance }
            + Coin.query().resolve(in: context).reduce(0) { $0 + $1.worth }
    }

    mutating func step() -> @Sendable (inout Context) throws -> Void {
        let purses = Array(0..<Purse.count).shuffled(using: &random)
        guard Int.random(in: 0..<3, using: &random) == 0 else {
            return { context in
                try Self.add(-Self.amount, to: purses[0], &context)
                try Self.add(Self.amount, to: purses[1], &context)
            }
        }
        let coin = Int.random(in: 0..<Coin.count, using: &random)
        return { context in
            let isOut = Coin.query(coin).resolve(in: context) != nil
            try Self.add(isOut ? Self.amount : -Self.amount, to: purses[0], &context)
            if isOut {
                try Coin.delete(id: coin, from: &context)
            } else {
                try Coin(id: coin, worth: Self.amount).save(to: &context)
            }
        }
    }

    private static func add(_ amount: Int, to purse: Int, _ context: inout Context) throws {
        guard var changed = Purse.query(purse).resolve(in: context) else {
            throw CheckFailure(.i2, "purse \(purse) is gone")
        }
        changed.balance += amount
        try changed.save(to: &context)
    }
}
