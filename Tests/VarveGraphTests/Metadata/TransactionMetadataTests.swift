import Foundation
import Testing

@testable import VarveGraph

@Suite("Metadata that a store stamps")
struct TransactionMetadataTests {
    private func saved() throws -> Context {
        var context = Context()
        for (number, ids) in [["a", "b"], ["c"], ["a", "d"]].enumerated() {
            context.beginTracking(
                transaction: UInt64(number + 7), time: Int64(number + 1) * 1_000_000,
                token: TransactionToken())
            for id in ids { try User(id: id, name: "n").save(to: &context) }
            context.endTracking()
        }
        return context
    }

    @Test("Entities are found by the transactions that saved them last, in their order")
    func byTransaction() throws {
        let context = try saved()
        let ids = { (predicate: MetadataPredicate) in
            User.filter(predicate).resolve(in: context).map(\.id)
        }
        #expect(ids(.saved(inTransactions: 7...8)) == ["b", "c"])
        #expect(ids(.metadata(\.transaction, within: 8...9)) == ["c", "a", "d"])
        #expect(ids(.saved(inTransactions: 1...6)).isEmpty)
        #expect(
            User.query().sorted(by: .transaction.desc).resolve(in: context).map(\.id)
                == ["a", "d", "c", "b"])
    }

    @Test("Metadata of an entity tell the time and the transaction of its last save")
    func ofAnEntity() throws {
        let context = try saved()
        let metadata = try #require(User(id: "a", name: "").metadata(in: context))
        #expect(metadata.transaction == 9)
        #expect(metadata.updatedAt == Date(timeIntervalSince1970: 3))
        #expect(User(id: "x", name: "").metadata(in: context) == nil)
    }

    @Test("Times are compared to the microsecond, both ends of a range included")
    func microseconds() throws {
        var context = Context()
        for time in [1_700_000_000_000_001, 1_700_000_000_000_002, 1_700_000_000_000_003] {
            context.beginTracking(
                transaction: 1, time: Int64(time), token: TransactionToken())
            try User(id: "\(time % 10)", name: "n").save(to: &context)
            context.endTracking()
        }
        let second = try #require(User(id: "2", name: "").updatedAt(in: context))
        let ids = { (range: ClosedRange<Date>) in
            User.query().filter(.updated(within: range)).resolve(in: context).map(\.id)
        }
        #expect(ids(second...second) == ["2"])
        #expect(ids(second...Date.distantFuture) == ["2", "3"])
        #expect(ids(Date.distantPast...second) == ["1", "2"])
        #expect(
            ids(Date(timeIntervalSince1970: -.infinity)...Date(timeIntervalSince1970: .infinity))
                .count == 3)
    }

    @Test("Entities of one transaction keep the list's order in both directions")
    func ties() throws {
        let context = try saved()
        let list = User.query(["d", "c", "a", "b"])
        #expect(
            list.sorted(by: .updatedAt).resolve(in: context).map(\.id) == ["b", "c", "d", "a"])
        #expect(
            list.sorted(by: .updatedAt.desc).resolve(in: context).map(\.id) == [
                "d", "a", "c", "b",
            ])
    }
}
