import BenchmarkSupport
import VarveEvents

/// The user of the comparison tables, as the engine and LMDB take it: an id and a row of bytes.
struct BenchmarkUser: SampleUser {
    var id: String
    var name: String
    var email: String
    var age: Int
    var city: String
    var score: Double
    var createdAt: Int

    init(
        id: String, name: String, email: String, age: Int, city: String, score: Double,
        createdAt: Int
    ) {
        self.id = id
        self.name = name
        self.email = email
        self.age = age
        self.city = city
        self.score = score
        self.createdAt = createdAt
    }

    // Not inlined: the macro emits one such function for an entity, and all columns share it.
    @inline(never)
    init(id idBytes: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer) {
        do throws(CodecError) {
            var reader = ByteReader(idBytes)
            id = try reader.readText()
            reader = ByteReader(row)
            name = try reader.readText()
            email = try reader.readText()
            age = Int(try reader.readSigned())
            city = try reader.readText()
            score = Double(bitPattern: try reader.readLittleEndian())
            createdAt = Int(try reader.readSigned())
        } catch {
            preconditionFailure("A benchmark reads what it wrote: \(error)")
        }
    }

    func encode(into row: inout ByteWriter) {
        row.writeText(name)
        row.writeText(email)
        row.writeSigned(Int64(age))
        row.writeText(city)
        row.write(littleEndian: score.bitPattern)
        row.writeSigned(Int64(createdAt))
    }

    static let layout = RowLayout(
        TypeDefinition(
            number: TypeNumber(1), name: "User", idType: .string,
            fields: [
                ("name", .string), ("email", .string), ("age", .int64), ("city", .string),
                ("score", .double), ("createdAt", .int64),
            ].enumerated().map { (index, field: (String, StoredType)) in
                FieldDefinition(
                    number: FieldNumber(UInt32(index + 1)), name: field.0, type: field.1,
                    rung: .storable)
            }, relations: []))

    static let email = FieldNumber(2)
    static let age = FieldNumber(3)

    /// The age, read in the bytes of a row.
    static func age(in row: UnsafeRawBufferPointer) -> Int {
        read(2, in: row) { reader throws(CodecError) in Int(try reader.readSigned()) }
    }

    static func score(in row: UnsafeRawBufferPointer) -> Double {
        read(4, in: row) { reader throws(CodecError) in
            Double(bitPattern: try reader.readLittleEndian())
        }
    }

    @inline(__always)
    private static func read<Value>(
        _ position: Int, in row: UnsafeRawBufferPointer,
        _ body: (inout ByteReader) throws(CodecError) -> Value
    ) -> Value {
        do throws(CodecError) {
            var reader = ByteReader(row)
            for position in 0..<position { try layout.skip(position, in: &reader) }
            return try body(&reader)
        } catch {
            preconditionFailure("A benchmark reads what it wrote: \(error)")
        }
    }
}

extension UserFields {
    /// Depends on every field. Stores that find equal users have equal sums of it.
    @inline(__always)
    var digest: Int {
        id.utf8.count &+ name.utf8.count &+ email.utf8.count &+ city.utf8.count &+ age &* 3
            &+ createdAt &+ Int(score)
    }
}
