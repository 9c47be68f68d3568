import Testing
import Varve
import VarveTestSupport

@EntityModel("Left")
private struct LeftV1 {
    let id: Int
    @Relationship(inverse: \.lefts) var rights: [RightV1]?
}

@EntityModel("Right")
private struct RightV1 {
    let id: Int
    @Relationship(inverse: \.rights) var lefts: [LeftV1]?
}

@EntityModel("Left")
private struct LeftV2 {
    let id: Int
    @Relationship(inverse: \.lefts) var rights: RightV2?
}

@EntityModel("Right")
private struct RightV2 {
    let id: Int
    @Relationship(inverse: \.rights) var lefts: LeftV2?
}

@Suite("Relations that become to-one")
struct MigrationNarrowingTests {
    private let files = SimulatedDisk()

    private func open(
        _ types: [any EntityModelProtocol.Type], _ migrations: [Migration] = []
    ) throws -> Store {
        try Store(
            in: files, mode: .readWrite, durability: .commit, migrations: migrations, types: types)
    }

    @Test("Both sides of a relation at once are refused, and the store stays as it was")
    func bothSides() throws {
        let former = try open([LeftV1.self])
        try former.write { context in
            for id in 1...2 { try RightV1(id: id).save(to: &context) }
            try LeftV1(id: 1, rights: .ids([1, 2])).save(to: &context)
            try LeftV1(id: 2, rights: .ids([1])).save(to: &context)
        }
        try former.close()
        let both = Migration(
            "pairs", .toOne("rights", of: "Left", keeping: .last),
            .toOne("lefts", of: "Right", keeping: .first))
        do {
            _ = try open([LeftV2.self], [both])
            Issue.record("both sides were narrowed")
        } catch StoreError.migration(let failure) {
            #expect(failure.migration == "pairs" && failure.type == "Left")
            #expect(failure.error as? MigrationError == .narrowsBothSides("rights"))
            #expect("\(failure)".contains("cannot both become to-one"), "\(failure)")
        }
        let again = try open([LeftV1.self])
        #expect(again.lastTransaction == 1)
        #expect(RightV1.query(1).related(\.$lefts).resolve(in: again.context).map(\.id) == [1, 2])
    }
}
