import Testing
import VarveGraph

@EntityModel
private struct Reader: Equatable {
    let id: String
    var name: String
    var number: Int

    @Unique<Self>(\.number, collisions: .throw) private var numberIndex

    @Relationship(inverse: \.reader) var loans: [Loan]?
    @Relationship(inverse: \.follows) var followers: [Reader]?
    @Relationship(inverse: \.followers) var follows: Reader?
}

@EntityModel
private struct Loan: Equatable {
    let id: Int
    var title: String

    @Relationship(inverse: \.loans) var reader: Reader?
}

/// Its id and its unique key are there when `willSave` has run, and no sooner.
@EntityModel
private struct Keycard: Equatable {
    var code: String!
    var serial: Int
    var id: String { code }
    var checked: Int { code.count * 1_000_000 + serial }

    @Unique<Self>(\.checked, collisions: .throw) private var checkedIndex

    @Relationship(inverse: \.badge) var holders: [Cardholder]?

    mutating func willSave(to context: inout Context) { code = "badge-\(serial)" }
}

/// Its unique value is stored, and another one when `willSave` has run.
@EntityModel
private struct Seat: Equatable {
    let id: Int
    var label: String

    @Unique<Self>(\.label, collisions: .throw) private var labelIndex

    mutating func willSave(to context: inout Context) { label = "seat-\(id % 30_000)" }
}

@EntityModel
private struct Cardholder: Equatable {
    var id: Int

    @Relationship(inverse: \.holders) var badge: Keycard?

    mutating func willSave(to context: inout Context) { id += 1 }
}

/// What an array's saves look at is asked of memory ahead, which must not be seen in what they do.
@Suite("Saving many entities in a large context")
struct SavingAheadTests {
    /// So many that saves look ahead.
    private static let count = 20_000

    private static func reader(_ number: Int, follows: Int? = nil) -> Reader {
        var reader = Reader(id: "reader-\(number)", name: "name \(number)", number: number)
        if let follows { reader.$follows = .id("reader-\(follows)") }
        return reader
    }

    private static func makeContext() throws -> Context {
        var context = Context()
        try (0..<count).map { reader($0) }.save(to: &context)
        return context
    }

    /// New readers, known ones, ones that were only named, and loans of all of these.
    private static func news() -> (readers: [Reader], loans: [Loan]) {
        let readers = (0..<500).map { step in
            reader(
                step % 3 == 0 ? count + step : step * 31 % count,
                follows: step % 5 == 0 ? count + 2_000 + step : step * 17 % count)
        }
        let loans = (0..<1_500).map { step in
            var loan = Loan(id: step % 1_400, title: "title \(step)")
            let number = step % 7 == 0 ? count + 5_000 + step % 40 : step * 13 % (count + 500)
            loan.$reader =
                step % 11 == 0
                ? .relation(reader(number + 100_000)) : .id("reader-\(number)")
            return loan
        }
        return (readers, loans)
    }

    @Test("An array's saves do what saves of one entity after the other do")
    func sameAsOneByOne() throws {
        let start = try Self.makeContext()
        let (readers, loans) = Self.news()
        var together = start
        try readers.save(to: &together)
        try loans.save(to: &together)
        var alone = start
        for reader in readers { try reader.save(to: &alone) }
        for loan in loans { try loan.save(to: &alone) }

        together.checkInvariants()
        #expect(together.count(Loan.self) == 1_400)
        #expect(together.count(Reader.self) == alone.count(Reader.self))
        let inside = Reader.query().with(\.$loans).with(\.$follows).resolve(in: together)
        let expected = Reader.query().with(\.$loans).with(\.$follows).resolve(in: alone)
        #expect(inside == expected)
        #expect(
            Loan.query().with(\.$reader).resolve(in: together)
                == Loan.query().with(\.$reader).resolve(in: alone))
        #expect(start.count(Reader.self) == Self.count)
        #expect(start.count(Loan.self) == 0)
    }

    @Test("Where one of an array is refused, nothing of it stays")
    func refused() throws {
        var context = try Self.makeContext()
        var readers = (0..<100).map { Self.reader(Self.count + $0, follows: $0) }
        readers[90].number = 7
        #expect(throws: CollisionResolver<Reader>.Errors.self) { try readers.save(to: &context) }
        context.checkInvariants()
        #expect(context.count(Reader.self) == Self.count)
        let untouched: Reader? = context.find("reader-5")
        #expect(untouched?.name == "name 5")
        readers[90].number = -1
        try readers.save(to: &context)
        #expect(context.count(Reader.self) == Self.count + 100)
    }

    @Test("Entities of a sequence that is no array are saved as well")
    func lazySequence() throws {
        var context = try Self.makeContext()
        try (0..<100).lazy.map { Self.reader(Self.count + $0) }.save(to: &context)
        context.checkInvariants()
        #expect(context.count(Reader.self) == Self.count + 100)
    }

    @Test("A unique value that a hook makes is the one that counts, whatever was asked for ahead")
    func uniqueValueOfHook() throws {
        var context = Context()
        try (0..<Self.count).map { Seat(id: $0, label: "none") }.save(to: &context)
        for id in Self.count..<Self.count + 50 {
            try Seat(id: id, label: "seat-0").save(to: &context)
        }
        #expect(throws: CollisionResolver<Seat>.Errors.self) {
            try Seat(id: 30_007, label: "free").save(to: &context)
        }
        context.checkInvariants()
        #expect(context.count(Seat.self) == Self.count + 50)
        let seat = Seat.filter(\.label == "seat-20049").resolve(in: context)
        #expect(seat.map(\.id) == [20_049])
    }

    @Test("What hooks make of ids and keys before a save is nothing that is looked at ahead")
    func hooks() throws {
        var context = Context()
        try (0..<Self.count).map { Keycard(code: nil, serial: $0) }.save(to: &context)
        try (0..<100).map { Keycard(code: nil, serial: Self.count - 50 + $0) }.save(to: &context)
        #expect(context.count(Keycard.self) == Self.count + 50)
        for serial in 0..<50 {
            try Keycard(code: nil, serial: 2 * Self.count + serial).save(to: &context)
        }
        #expect(context.count(Keycard.self) == Self.count + 100)
        let keycard: Keycard? = context.find("badge-\(2 * Self.count + 49)")
        #expect(keycard?.serial == 2 * Self.count + 49)
        try (0..<Self.count).map { Cardholder(id: $0) }.save(to: &context)
        try (0..<100).map { Cardholder(id: Self.count - 51 + $0) }.save(to: &context)
        #expect(context.count(Cardholder.self) == Self.count + 49)
        let last: Cardholder? = context.find(Self.count + 49)
        #expect(last != nil)
        context.checkInvariants()
    }

    @Test("Parents with many ids of a large table link all of them, more than are looked ahead of")
    func manyChildren() throws {
        var context = Context()
        try (0..<Self.count).map { Cardholder(id: $0) }.save(to: &context)
        let badges = (0..<20).map { step in
            var badge = Keycard(code: nil, serial: step)
            badge.$holders = .ids((0..<500).map { 1 + ($0 * 20 + step) % (Self.count + 300) })
            return badge
        }
        try badges.save(to: &context)
        context.checkInvariants()
        let saved = Keycard.query().id(\.$holders).resolve(in: context)
        #expect(saved.count == 20)
        for badge in saved {
            #expect(badge.$holders.ids == badges[badge.serial].$holders.ids)
        }
    }

    @Test(
        "Many ids are found in their order, those without an entity left open, those that come twice twice"
    )
    func manyIDs() throws {
        var context = try Self.makeContext()
        try Reader.delete(id: "reader-40", from: &context)
        for count in [0, 1, 2, 15, 16, 17, 33, 500] {
            let numbers = (0..<count).map { $0 * 40 % (Self.count + 400) }
            let ids = numbers.map { "reader-\($0)" } + ["reader-3", "nobody", "reader-3"]
            let expected = (numbers + [3, -1, 3]).map { number in
                (0..<Self.count).contains(number) && number != 40 ? number : nil
            }
            let all: [Reader?] = context.findAll(ids)
            #expect(all.map { $0?.number } == expected)
            let existing: [Reader] = context.findAllExisting(ids)
            #expect(existing.map(\.number) == expected.compactMap { $0 })
            #expect(
                Reader.query(ids).resolve(in: context).map(\.number)
                    == expected.compactMap { $0 })
        }
        let none: [Loan?] = context.findAll([1, 2])
        #expect(none == [nil, nil])
    }
}
