import Foundation
import VarveEvents

enum Colour: String, Codable, CaseIterable { case red, green, blue }

enum Level: Int { case low = -1, middle = 0, high = 300 }

struct Tag: RawRepresentable, Hashable { var rawValue: String }

struct Options: OptionSet, Hashable { var rawValue: UInt8 }

/// A raw-value type that changes what it is given.
struct Trimmed: RawRepresentable, Hashable {
    var rawValue: String
    var shown: String

    init(rawValue: String) {
        self.rawValue = rawValue
        shown = rawValue
    }

    init(unchecked: String) {
        rawValue = unchecked
        shown = unchecked
    }
}

/// A raw-value type whose raw value does not read back.
struct Fickle: RawRepresentable, Hashable {
    var text: String
    var rawValue: String { text + "!" }

    init(_ text: String) { self.text = text }

    init(rawValue: String) { text = rawValue }
}

struct Point: Codable, Equatable {
    var x = 0.0
    var y = 0
    var at = Date(timeIntervalSinceReferenceDate: 0.1)
    var note: String?
}

struct Unstorable: Equatable { var closure = 1 }

struct Coordinates: LosslessStringConvertible, Hashable {
    var x: Int
    var y: Int

    init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }

    init?(_ description: String) {
        let parts = description.split(separator: ",").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        self.init(x: parts[0], y: parts[1])
    }

    var description: String { "\(x),\(y)" }
}

/// A nested structure as the `@Storable` macro writes it.
struct Address: Storable, Equatable {
    var street: String
    var number: Int?

    static var storedType: StoredType {
        .structure(
            "Address",
            [
                .init("street", _FieldCodec.storedType(of: String.self)),
                .init("number", _FieldCodec.storedType(of: Int?.self)),
            ])
    }

    func store(into writer: inout ByteWriter) throws(CodecError) {
        try _FieldCodec.store(street, "street", into: &writer)
        try _FieldCodec.store(number, "number", into: &writer)
    }

    static func load(from reader: inout ByteReader) throws(CodecError) -> Address {
        Address(
            street: try _FieldCodec.load(from: &reader),
            number: try _FieldCodec.load(from: &reader))
    }
}

/// A structure without fields, which takes no bytes.
struct Nothing: Storable, Hashable {
    static var storedType: StoredType { .structure("Nothing", []) }
    func store(into writer: inout ByteWriter) throws(CodecError) {}
    static func load(from reader: inout ByteReader) throws(CodecError) -> Nothing { Nothing() }
}

/// Raw-value, Codable and Storable at once: the best rung wins.
enum Everything: String, Codable, CaseIterable { case one, two }

extension Everything: Storable {
    static var storedType: StoredType { .enumeration("Everything", [.init("one"), .init("two")]) }

    func store(into writer: inout ByteWriter) throws(CodecError) {
        writer.writeVarint(self == .one ? 0 : 1)
    }

    static func load(from reader: inout ByteReader) throws(CodecError) -> Everything {
        try reader.readCaseIndex(of: "Everything", count: 2) == 0 ? .one : .two
    }
}
