import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("An older app that compacts a newer app's store")
struct OlderAppCompactionTests {
    private func open(_ disk: SimulatedDisk, _ types: [any EntityModelProtocol.Type]) throws
        -> Store
    {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: UInt64(disk.operations.count)),
            mode: .readWrite, durability: .commit, retention: .newestState,
            compactsAutomatically: false, types: types)
    }

    /// What the newer app finds after the older one has written, and compacted or not.
    private func newerApp(afterCompactions count: Int) throws -> [String] {
        let disk = SimulatedDisk()
        let first = try open(disk, [PersonV2.self])
        try first.write { context in
            var ada = PersonV2(id: 1, nickname: "A", name: "Ada", level: 3, team: .id("t"))
            ada.$mentor = .relation(PersonV2(id: 2, nickname: "B", name: "Bob", level: 4))
            try ada.save(to: &context)
            var cy = PersonV2(id: 3, nickname: "C", name: "Cy", level: 5, team: .id("nowhere"))
            cy.$mentor = .id(1)
            try cy.save(to: &context)
            try TeamV2(id: "t").save(to: &context)
        }
        try first.write { try PersonV2.delete(id: 3, from: &$0) }
        try first.close()
        let second = try open(disk, [PersonV1.self])
        try second.write { context in
            try PersonV1(id: 1, name: "Ada Lovelace").save(to: &context)
            try PersonV1(id: 5, name: "New").save(to: &context)
            try PersonV1.delete(id: 2, from: &context)
        }
        for round in 0..<count {
            try second.compact()
            try second.write { try PersonV1(id: 6, name: "\(round)").save(to: &$0) }
        }
        for round in count..<3 {
            try second.write { try PersonV1(id: 6, name: "\(round)").save(to: &$0) }
        }
        try second.write { context in
            for id in [2, 3] {
                try Deleted<PersonV1>.query(id).resolve(in: context)?.restore(in: &context)
            }
        }
        try second.close()
        let third = try open(disk, [PersonV2.self])
        third.context.checkInvariants()
        return PersonV2.query().id(\.$mentor).id(\.$team).resolve(in: third.context).map {
            "\($0.id) \($0.name) \($0.nickname ?? "nil") \($0.level) \(String(describing: $0.$mentor.heldIDs)) \(String(describing: $0.$team.heldIDs))"
                + " \(String(describing: $0.updatedAt(in: third.context)))"
        } + TeamV2.query().resolve(in: third.context).map { "team \($0.id)" }
    }

    @Test(
        "Row 60: unknown fields, relations and types survive byte for byte, through several compactions"
    )
    func unknownThings() throws {
        let expected = try newerApp(afterCompactions: 0)
        #expect(expected.count == 6 && expected.contains("team t"))
        func untimed(_ lines: [String]) -> [String] {
            // The simulated clock runs by the number of calls.
            lines.map { String($0.prefix { $0 != "O" }) }
        }
        for count in 1...3 {
            #expect(untimed(try newerApp(afterCompactions: count)) == untimed(expected))
        }
    }
}
