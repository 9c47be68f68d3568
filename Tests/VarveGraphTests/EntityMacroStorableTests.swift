import Testing
import VarveGraph

@Suite("Types that @Storable made")
struct EntityMacroStorableTests {
    @Test("A struct comes back from its bytes, which are its members' one after the other")
    func structure() throws {
        let address = Address(street: "Lia", number: 3, tags: ["a"])
        let bytes = try address.storedBytes()
        #expect(try Address.load(storedBytes: bytes) == address)
        #expect(
            try bytes == "Lia".storedBytes() + Int?.some(3).storedBytes() + ["a"].storedBytes()
                + Optional<Int>.none.storedBytes() + 1.5.storedBytes())
    }

    @Test("A struct is described by the names and types of its members")
    func structureType() {
        #expect(
            Address.storedType
                == .structure(
                    "Address",
                    [
                        .init("street", .string), .init("house", .optional(.int64)),
                        .init("tags", .array(.string)), .init("floor", .optional(.int64)),
                        .init("share", .double),
                    ]))
    }

    @Test("An enum is its case's number and the associated values")
    func enumeration() throws {
        let values: [(Delivery, [UInt8])] = [
            (.pending, [0]), (.default, [1]), (.sent(day: 5, nil), try [2] + 5.storedBytes() + [0]),
            (.to(Address(street: "", number: nil, tags: [])), [3, 0, 0, 0, 0]),
        ]
        for (value, start) in values {
            let bytes = try value.storedBytes()
            #expect(bytes.starts(with: start))
            #expect(try Delivery.load(storedBytes: bytes) == value)
            for (other, _) in values {
                #expect(Delivery.sameBytes(value, other) == (value == other))
            }
        }
        #expect(Delivery.sameBytes(.sent(day: 1, "a"), .sent(day: 1, "a")))
        #expect(!Delivery.sameBytes(.sent(day: 1, "a"), .sent(day: 1, "b")))
    }

    @Test("An enum is described by its cases, under their persisted names")
    func enumerationType() {
        #expect(
            Delivery.storedType
                == .enumeration(
                    "Shipping",
                    [
                        .init("pending"), .init("default"),
                        .init("sent", [.init("day", .int64), .init("", .optional(.string))]),
                        .init("direct", [.init("", Address.storedType)]),
                    ]))
    }

    @Test("A number without a case is an error that names the type")
    func unknownCase() {
        #expect(throws: CodecError.invalidTag(offset: 0, found: 9, typeName: "Delivery")) {
            try Delivery.load(storedBytes: [9])
        }
    }

    @Test("Bytes decide whether two values are the same")
    func sameness() {
        var first = Address(street: "e\u{301}", number: nil, tags: [])
        var second = first
        #expect(Address.sameBytes(first, second))
        second.street = "\u{e9}"
        #expect(first == second && !Address.sameBytes(first, second))
        second = first
        second.share = -0.0
        first.share = 0.0
        #expect(first == second && !Address.sameBytes(first, second))
    }

    @Test("Generic, empty and single-case types work too")
    func otherShapes() throws {
        let pair = Pair(first: 1, second: ["x"])
        #expect(try Pair<Int, [String]>.load(storedBytes: pair.storedBytes()) == pair)
        #expect(try Nothing.load(storedBytes: []) == Nothing())
        #expect(Nothing.sameBytes(Nothing(), Nothing()))
        #expect(try Only.load(storedBytes: Only.one(3).storedBytes()) == .one(3))
        #expect(!Only.sameBytes(.one(3), .one(4)))
    }
}

@Storable
private struct Address: Equatable {
    var street: String
    @PersistedName("house") private var number: Int?
    let tags: [String]
    var floor: Int!
    var share = 1.5
    let country = "NO"
    var summary: String { street }

    init(street: String, number: Int?, tags: [String]) {
        (self.street, self.number, self.tags) = (street, number, tags)
    }
}

@Storable("Shipping")
private enum Delivery: Equatable {
    case pending, `default`
    case sent(day: Int, String?)
    @PersistedName("direct") case to(Address)
}

@Storable
private struct Pair<First: Storable & Equatable, Second: Storable & Equatable>: Equatable {
    var first: First
    var second: Second
}

@Storable
private struct Nothing: Equatable {}

@Storable
private enum Only: Equatable {
    case one(Int)
}
