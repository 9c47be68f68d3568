import Testing
import VarveTestSupport

@testable import VarveGraph

@EntityModel
private struct Member: Equatable {
    @Index<Self>(\.rank) private var rankIndex

    let id: Int
    var rank: Int
    var name: String

    @Relationship(inverse: \.members) var club: Club?
}

@EntityModel
private struct Club {
    let id: Int

    @Relationship(inverse: \.club) var members: [Member]?
}

@Suite("Rows that several cores copy")
struct RowPartsTests {
    /// Enough for several parts, and no multiple of them.
    private static let count = 3 * RowParts.rowCountMin + 5

    @Test("Parts hold every row once, in order", arguments: [1, 2, 3, 8])
    func parts(cores: Int) {
        for rowCount in [0, 1, 4_095, 8_191, 8_192, 8_193, 100_003] {
            let parts = RowParts(rowCount, cores: { cores })
            #expect((0..<parts.count).flatMap { Array(parts[$0]) } == Array(0..<rowCount))
            #expect(parts.count == 1 || parts.count <= 4 * cores)
        }
        #expect(RowParts(100_003, cores: { cores }).count > 1 || cores == 1)
    }

    @Test("Few rows are one part, and nobody asks how many cores there are")
    func few() {
        let parts = RowParts(2 * RowParts.rowCountMin - 1) {
            Issue.record("the cores were counted")
            return 2
        }
        #expect(parts.count == 1)
    }

    @Test("A range of an index is found whole and in order", arguments: 1...4)
    func range(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var context = Context()
        var kept: [Member] = []
        for id in 0..<2 * Self.count {
            let member = Member(
                id: id, rank: Int.random(in: 0..<100, using: &random),
                name: "a member with a name on the heap, \(id)")
            try member.save(to: &context)
            if member.rank >= 25 { kept.append(member) }
        }
        #expect(
            Member.filter(\.rank >= 25).resolve(in: context).map(Plain.init) == kept.map(Plain.init)
        )
        // Walks the whole index.
        let sorted = Member.query().sorted(by: \.rank).resolve(in: context)
        let naive = Member.query().resolve(in: context).enumerated()
            .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
        #expect(sorted.map(\.id) == naive.map(\.element.id))
    }

    @Test("Links to entities that are not there leave no gaps", arguments: 1...4)
    func gaps(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var context = Context()
        // Some parts without any row, some with all, and some with a few.
        let missing = Set(
            (0..<Self.count).filter { id in
                switch id / 1_000 % 3 {
                case 0: true
                case 1: false
                default: Bool.random(using: &random)
                }
            })
        try Club(id: 1, members: .ids(Array(0..<Self.count))).save(to: &context)
        for id in 0..<Self.count where !missing.contains(id) {
            try Member(id: id, rank: id, name: "a member with a name on the heap, \(id)")
                .save(to: &context)
        }
        let club = Club.query(1).with(\.$members).resolve(in: context)
        #expect(club?.members?.map(\.id) == (0..<Self.count).filter { !missing.contains($0) })
        #expect(club?.members?.allSatisfy { $0.name.hasSuffix(", \($0.id)") } == true)
    }

    private struct Plain: Equatable {
        let id: Int
        let rank: Int
        let name: String

        init(_ member: Member) {
            id = member.id
            rank = member.rank
            name = member.name
        }
    }
}
