import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// States of many small rows: a type with a text and a number.
enum UserLog {
    static let type = TypeNumber(1)

    static let definition = TypeDefinition(
        number: type, name: "User", idType: .string,
        fields: [("name", StoredType.string), ("age", .int64)].enumerated().map { index, field in
            FieldDefinition(
                number: FieldNumber(UInt32(index + 1)), name: field.0, type: field.1,
                rung: .storable)
        }, relations: [])

    static func id(_ number: Int) -> [UInt8] { id("user-\(number)") }

    static func id(_ text: String) -> [UInt8] { self.text(text) }

    /// The bytes of a name that no other row has.
    static func name(_ number: Int) -> [UInt8] { text("name <\(number * 7_919)>") }

    private static func text(_ text: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.writeText(text)
        return writer.copyBytes()
    }

    static func row(_ number: Int, age: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.writeSigned(Int64(age))
        return name(number) + writer.copyBytes()
    }

    /// The age in a row.
    static func age(in row: UnsafeRawBufferPointer) -> Int {
        var reader = ByteReader(row)
        _ = try? reader.readText()
        return (try? reader.readSigned()).map { Int($0) } ?? -1
    }

    static func state(count: Int) throws -> State {
        let empty = try apply(to: State()) { try $0.define(definition) }
        return try add(0..<count, to: empty)
    }

    static func add(_ numbers: Range<Int>, to state: State) throws -> State {
        try apply(to: state) { encoder in
            for number in numbers {
                let entity = encoder.entity(type, bytes: id(number))
                encoder.insert(
                    entity, ordinal: Ordinal(UInt64(number + 1)),
                    row: row(number, age: number % 90))
            }
        }
    }

    /// Adds users with names that have pages of their own.
    static func addLong(_ numbers: Range<Int>, to state: State) throws -> State {
        try apply(to: state) { encoder in
            for number in numbers {
                var row = ByteWriter()
                row.writeText(String(repeating: "\(number) ", count: 1_000))
                row.writeSigned(0)
                encoder.insert(
                    encoder.entity(type, bytes: id(number)), ordinal: Ordinal(UInt64(number + 1)),
                    row: row.copyBytes())
            }
        }
    }

    /// Gives users another age.
    static func update(_ numbers: Range<Int>, of state: State) throws -> State {
        let old = state
        return try apply(to: state) { encoder in
            for number in numbers {
                let entry = id(number).withUnsafeBytes { old.entry(of: type, id: $0) }
                guard let entry, let version = entry.version else { continue }
                let entity = encoder.entity(type, bytes: id(number))
                encoder.delete(
                    entity, keepsTombstone: false, ordinal: Ordinal(entry.stamps.ordinal),
                    previous: version, row: [UInt8](entry.row))
                encoder.insert(
                    entity, ordinal: Ordinal(entry.stamps.ordinal), row: row(number, age: 101))
            }
        }
    }

    static func delete(_ numbers: Range<Int>, of state: State) throws -> State {
        let old = state
        return try apply(to: state) { encoder in
            for number in numbers {
                let entry = id(number).withUnsafeBytes { old.entry(of: type, id: $0) }
                guard let entry, let version = entry.version else { continue }
                encoder.delete(
                    encoder.entity(type, bytes: id(number)), keepsTombstone: false,
                    ordinal: Ordinal(entry.stamps.ordinal), previous: version,
                    row: [UInt8](entry.row))
            }
        }
    }

    /// The transaction of the log that comes next, with the events of `body`.
    static func transaction(
        behind state: State, _ body: (inout TransactionEncoder) throws -> Void
    ) rethrows -> [UInt8] {
        let id = state.nextTransaction
        let time = Timestamp(microseconds: Int64(id.rawValue))
        var encoder = TransactionEncoder()
        encoder.begin(id: id, time: time)
        try body(&encoder)
        var writer = ByteWriter()
        encoder.finish(TransactionHeader(id: id, time: time), into: &writer)
        return writer.copyBytes()
    }

    /// The state behind a transaction of the log.
    static func apply(_ bytes: [UInt8], to state: State) throws -> State {
        try state.changed { transaction in
            try bytes.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
        }
    }

    static func apply(
        to state: State, _ body: (inout TransactionEncoder) throws -> Void
    ) throws -> State {
        try apply(transaction(behind: state, body), to: state)
    }
}
