import Testing
import VarveTestSupport

@testable import VarveGraph

/// A value whose hash says as little as it is told to.
private struct Code: Hashable, Sendable, Codable {
    var number: Int
    var hashCount: Int

    func hash(into hasher: inout Hasher) { hasher.combine(number % hashCount) }
}

@EntityModel
private struct Parcel: Equatable {
    @Unique<Self>(\.code, collisions: .throw) private var uniqueCode
    @Unique<Self>(\.label, \.place, collisions: .throw.ignoringNil) private var uniqueLabel

    let id: Int
    var code: Code
    var label: String?
    var place = 0
}

@Suite("Maps of unique values")
struct UniqueMapTests {
    private func content(_ index: Int, _ context: Context) throws -> IndexContent {
        try #require(context.table(of: Parcel.self)).indexContents[index]
    }

    private func codes(_ number: Int, _ hashCount: Int, _ context: Context) -> [Int] {
        Parcel.filter(\.code == Code(number: number, hashCount: hashCount))
            .resolve(in: context).map(\.id)
    }

    @Test(
        "Values of one hash are told apart, few in a map and many in a tree",
        arguments: [1, 3, 1_000])
    func equalHashes(hashCount: Int) throws {
        var context = Context()
        func parcel(_ id: Int, _ number: Int) -> Parcel {
            Parcel(
                id: id, code: Code(number: number, hashCount: hashCount), label: "\(number)")
        }
        for number in 0..<500 {
            try parcel(number, number).save(to: &context)
            #expect(throws: CollisionResolver<Parcel>.Errors.self) {
                try parcel(-1, number).save(to: &context)
            }
            let isCrowded = hashCount < 4 && number >= 16 * hashCount
            #expect((try content(0, context).slots == nil) == isCrowded)
        }
        context.checkInvariants()
        for number in 0..<500 { #expect(codes(number, hashCount, context) == [number]) }
        #expect(codes(500, hashCount, context) == [])
        let copy = context
        for number in stride(from: 0, to: 500, by: 2) {
            try Parcel.delete(id: number, from: &context)
        }
        context.checkInvariants()
        for number in 0..<500 {
            #expect(codes(number, hashCount, context) == (number % 2 == 0 ? [] : [number]))
            #expect(codes(number, hashCount, copy) == [number])
        }
        for number in stride(from: 0, to: 500, by: 2) {
            try parcel(1_000 + number, number).save(to: &context)
            #expect(codes(number, hashCount, context) == [1_000 + number])
        }
        context.checkInvariants()
    }

    @Test("Any number of rows may have no value, and the others are told apart")
    func manyNils() throws {
        var context = Context()
        for id in 0..<2_000 {
            let label = id % 4 == 0 ? "\(id)" : nil
            try Parcel(id: id, code: Code(number: id, hashCount: 10_000), label: label)
                .save(to: &context)
        }
        #expect(try content(0, context).slots != nil)
        #expect(try content(1, context).slots == nil)
        context.checkInvariants()
        #expect(throws: CollisionResolver<Parcel>.Errors.self) {
            try Parcel(id: 1, code: Code(number: 1, hashCount: 10_000), label: "8")
                .save(to: &context)
        }
        let nils = Parcel.filter(\.label == nil && \.place == 0)
        #expect(nils.count(in: context) == 1_500)
        let found = Parcel.filter(\.label == "8" && \.place == 0)
        #expect(found.resolve(in: context).map(\.id) == [8])
        // As a store that is opened makes it.
        let table = try #require(context.table(of: Parcel.self))
        #expect(table.builtIndex(0).slots != nil)
        #expect(table.builtIndex(1).slots == nil)
        #expect(table.builtIndex(1).tree.postings == table.indexContents[1].tree.postings)
    }

    @Test("A transaction in which a map became a tree can be undone")
    func takenBack() throws {
        var context = Context()
        for id in 0..<10 {
            try Parcel(id: id, code: Code(number: id, hashCount: 1)).save(to: &context)
        }
        let mark = context.begin()
        for id in 10..<200 {
            try Parcel(id: id, code: Code(number: id, hashCount: 1)).save(to: &context)
        }
        #expect(try content(0, context).slots == nil)
        context.rollBack(to: mark)
        context.checkInvariants()
        for id in 0..<200 { #expect(codes(id, 1, context) == (id < 10 ? [id] : [])) }
    }

    @Test(
        "Rows from before the constraint that have the same value are noticed, and those without count as none"
    )
    func builtFromEqual() throws {
        var context = Context()
        for id in 0..<50 {
            try Parcel(id: id, code: Code(number: id, hashCount: 10)).save(to: &context)
        }
        let table = try #require(context.table(of: Parcel.self))
        // Values of one hash are no equal values.
        #expect(!table.builtIndex(0).mayHoldEqual)
        #expect(!table.builtIndex(1).mayHoldEqual)
        for id in [60, 61] {
            let row = Parcel(id: id, code: Code(number: 3, hashCount: 10), label: "same")
            let slot = table.appendSlot(hash: Parcel._hashID(id))
            table.put(
                row, at: slot, stamp: Stamp(time: 1, transaction: 1), ordinal: nil, KnownKey())
        }
        #expect(table.builtIndex(0).mayHoldEqual)
        #expect(table.builtIndex(1).mayHoldEqual)
    }

    @Test(
        "Values of one hash that are asked for together are found once each, in the order of insertion"
    )
    func askedTogether() throws {
        var context = Context()
        // They keep the places that they had before they went.
        for id in (0..<12).reversed() {
            try Parcel(id: id, code: Code(number: 100 + id, hashCount: 1)).save(to: &context)
            try Parcel.delete(id: id, from: &context)
        }
        for id in 0..<12 {
            try Parcel(id: id, code: Code(number: id, hashCount: 1)).save(to: &context)
        }
        #expect(try content(0, context).slots != nil)
        let wanted = [7, 3, 20, 3, 11].map { Code(number: $0, hashCount: 1) }
        let query = Parcel.filter(.property(\.code, isIn: wanted))
        #expect(query.resolve(in: context).map(\.id) == [11, 7, 3])
        #expect(query.count(in: context) == 3)
        #expect(query.first().resolve(in: context)?.id == 11)
        let either = Parcel.filter(
            \.code == Code(number: 9, hashCount: 1) || \.code == Code(number: 2, hashCount: 1))
        #expect(either.resolve(in: context).map(\.id) == [9, 2])
        #expect(codes(100, 1, context) == [])
        context.checkInvariants()
    }

    @Test("Nothing stays behind of a value whose hash changed")
    func changedHash() throws {
        var content = IndexContent(try #require(Parcel._descriptor.indexes.first))
        for slot in 0..<300 as Range<UInt32> {
            content.slots?.insert(UInt64(slot) << 40, Slot(slot))
        }
        content.removeSlot(Slot(7), underHash: 12 << 50)
        content.removeSlot(Slot(8), underHash: 8 << 40)
        #expect(content.slots?.count == 298)
        content.slots?.checkInvariants()
        for slot in 0..<300 as Range<UInt32> {
            let isThere = content.slots?.contains(UInt64(slot) << 40, Slot(slot))
            #expect(isThere == (slot != 7 && slot != 8))
        }
    }
}
