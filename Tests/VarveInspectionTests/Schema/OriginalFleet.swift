import Foundation
import Varve

/// Entities with values of every kind, as a program declares them. ``PrintedFleet.swift`` is what
/// `varve schema --swift` makes of a store of theirs.
enum OriginalFleet {
    enum ShipState: String { case afloat, docked, lost }

    enum SailorID: RawRepresentable, Hashable, Sendable {
        case number(Int)
        var rawValue: Int {
            switch self {
            case .number(let value): value
            }
        }
        init?(rawValue: Int) { self = .number(rawValue) }
    }

    struct PortCode: LosslessStringConvertible, Hashable, Sendable {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// Stored by its own rule, although its raw value could be.
    struct Draught: RawRepresentable, Hashable, Storable {
        var rawValue: Int16
        static var storedType: StoredType { .raw("Draught", .int16) }
        func store(into writer: inout ByteWriter) throws(CodecError) {
            try rawValue.store(into: &writer)
        }
        static func load(from reader: inout ByteReader) throws(CodecError) -> Draught {
            Draught(rawValue: try Int16.load(from: &reader))
        }
    }

    @Storable("Harbour.Berth")
    struct Berth: Hashable {
        var pier: String
        @PersistedName("pier-side") var side: Bool?
        var state: ShipState
    }

    @Storable("Cargo")
    enum Cargo: Hashable {
        case none, `default`
        case goods(what: String, tons: Double)
        case people(Int, [Draught])
    }

    struct ShipPapers: Codable, Hashable {
        var issued: Date
        var pages: [String: [Int]]
        var isValid: Bool
        var fee: Double
    }

    @EntityModel("Fleet.Ship")
    struct Ship {
        let id: UUID
        var name: String
        var tonnage: Double?
        var state: ShipState
        var states: [ShipState]
        var draught: Draught
        var berth: Berth
        var berths: [String: Berth]
        var cargo: [Cargo]
        var papers: ShipPapers
        var drafts: [ShipPapers?]
        var home: URL
        var price: Decimal
        var built: Date
        var photo: Data
        var marks: Set<Int16>
        var counts: [Int: UInt8]
        var ratio: Float
        var `default`: UInt64
        @PersistedName("per cent") var perCent: Int8
        var port: PortCode.Box
        var deep: [[Int]?]

        @Relationship(inverse: \.ship) var captain: Sailor?
        @Relationship(deleteRule: .cascade, inverse: \.serves) var crew: [Sailor]?
        @Relationship var escorts: [Ship]? = nil
        @Relationship var scrapped: [Deleted<Ship>]? = nil
    }

    @EntityModel("Fleet.Sailor")
    struct Sailor {
        let id: SailorID
        var name: String
        @Relationship(.required, inverse: \.crew) var serves: Ship?
        @Relationship(deleteRule: .deny, inverse: \.captain) var ship: Ship?
    }

    @EntityModel("Port")
    struct Port {
        let id: PortCode
        var isOpen = true
    }
}

extension OriginalFleet.PortCode {
    /// A text that says how it is stored: there are such fields, though texts are for ids.
    struct Box: Storable, Hashable {
        var code: String
        static var storedType: StoredType { .text("PortBox") }
        func store(into writer: inout ByteWriter) throws(CodecError) {
            try code.store(into: &writer)
        }
        static func load(from reader: inout ByteReader) throws(CodecError) -> Self {
            Self(code: try String.load(from: &reader))
        }
    }
}

extension OriginalFleet {
    static let shipID = UUID(uuidString: "00000000-0000-0000-0000-0000000000AA") ?? UUID()
    static let otherID = UUID(uuidString: "00000000-0000-0000-0000-0000000000BB") ?? UUID()

    private static func ship(_ id: UUID, _ name: String) -> Ship {
        let papers = ShipPapers(
            issued: Date(timeIntervalSinceReferenceDate: 0.1), pages: ["a/b": [1, -2]],
            isValid: true,
            fee: 1.5)
        return Ship(
            id: id, name: name, tonnage: nil, state: .docked, states: [.lost, .afloat],
            draught: Draught(rawValue: -7), berth: Berth(pier: "West", side: nil, state: .afloat),
            berths: ["next": Berth(pier: "East", side: true, state: .lost)],
            cargo: [.default, .goods(what: "tea", tons: 2.5), .people(3, [Draught(rawValue: 1)])],
            papers: papers, drafts: [nil, papers],
            home: URL(string: "https://example.com/a?b=c") ?? URL(fileURLWithPath: "/"),
            price: Decimal(string: "12345678901234567890.125") ?? 0,
            built: Date(timeIntervalSinceReferenceDate: 86_400.25), photo: Data([0, 255, 7]),
            marks: [3, -1], counts: [-5: 200], ratio: 0.1, default: .max, perCent: -100,
            port: PortCode.Box(code: "HH"), deep: [nil, [1, 2]])
    }

    /// A store of two ships and two sailors, one ship of them deleted.
    static func write(at url: URL) throws {
        let store = try Store(at: url, Ship.self, Port.self)
        try store.write("Launch") { context in
            var flagship = ship(shipID, "Aurora")
            flagship.$captain = .relation(Sailor(id: .number(1), name: "Ann"))
            flagship.$crew = .relation([
                Sailor(id: .number(1), name: "Ann"), Sailor(id: .number(2), name: "Bob"),
            ])
            flagship.$escorts = .relation([ship(otherID, "Borealis")])
            flagship.$scrapped = .ids([otherID])
            try flagship.save(to: &context)
            try Port(id: PortCode("HH")).save(to: &context)
        }
        try store.write("Scrap") { context in try Ship.delete(id: otherID, from: &context) }
        try store.close()
    }
}
