// What `varve schema --swift` prints for a store of OriginalFleet, compiled as it is: PrintedSchemaTests compares.

import Foundation
import Varve

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
    var counts: [Int64: UInt8]
    var ratio: Float
    var `default`: UInt64
    @PersistedName("per cent") var perCent: Int8
    var port: PortBox
    var deep: [[Int64]?]
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

@EntityModel
struct Port {
    let id: PortCode
    var isOpen: Bool = true
}

struct ShipState: RawRepresentable, Codable, Hashable, Sendable {
    var rawValue: String
}

struct Draught: RawRepresentable, Codable, Hashable, Sendable {
    var rawValue: Int16
}

extension Draught: Storable {
    static var storedType: StoredType { .raw("Draught", Int16.storedType) }

    func store(into writer: inout ByteWriter) throws(CodecError) {
        try rawValue.store(into: &writer)
    }

    static func load(from reader: inout ByteReader) throws(CodecError) -> Draught {
        Draught(rawValue: try Int16.load(from: &reader))
    }
}

@Storable("Harbour.Berth")
struct Berth: Codable, Hashable, Sendable {
    var pier: String
    @PersistedName("pier-side") var pierSide: Bool?
    var state: ShipState
}

@Storable
enum Cargo: Codable, Hashable, Sendable {
    case none
    case `default`
    case goods(what: String, tons: Double)
    case people(Int64, [Draught])
}

struct ShipPapers: Codable, Hashable, Sendable {
    var document: StoredJSON

    init(from decoder: any Decoder) throws { document = try StoredJSON(from: decoder) }

    func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }
}

struct PortBox: LosslessStringConvertible, Codable, Hashable, Sendable {
    let description: String

    init(_ description: String) { self.description = description }
}

extension PortBox: Storable {
    static var storedType: StoredType { .text("PortBox") }

    func store(into writer: inout ByteWriter) throws(CodecError) {
        try description.store(into: &writer)
    }

    static func load(from reader: inout ByteReader) throws(CodecError) -> PortBox {
        PortBox(try String.load(from: &reader))
    }
}

struct SailorID: RawRepresentable, Codable, Hashable, Sendable {
    var rawValue: Int64
}

struct PortCode: LosslessStringConvertible, Codable, Hashable, Sendable {
    let description: String

    init(_ description: String) { self.description = description }
}

extension PortCode: Storable {
    static var storedType: StoredType { .text("PortCode") }

    func store(into writer: inout ByteWriter) throws(CodecError) {
        try description.store(into: &writer)
    }

    static func load(from reader: inout ByteReader) throws(CodecError) -> PortCode {
        PortCode(try String.load(from: &reader))
    }
}

/// A JSON document, as a store holds a `Codable` value.
enum StoredJSON: Codable, Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case text(String)
    case array([StoredJSON])
    case object([String: StoredJSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([StoredJSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: StoredJSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }
}
