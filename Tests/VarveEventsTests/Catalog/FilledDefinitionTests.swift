import Testing
import VarveEvents

/// Types whose structures have members with default values, as the log defines them.
@Suite("Definitions of types with default values of members")
struct FilledDefinitionTests {
    private static let plain = StoredType.structure("S", [.init("x", .int64)])
    private static let filled = StoredType.structure(
        "S", [.init("x", .int64), .init("level", .int64) { $0.writeSigned(7) }])

    private func declared(_ id: StoredType, _ type: StoredType) -> DeclaredType {
        DeclaredType(name: "T", idType: id, fields: [DeclaredField(name: "value", type: type)])
    }

    /// How often a definition has a structure with fills.
    private func fills(of definition: TypeDefinition) throws -> Int {
        var writer = ByteWriter()
        try definition.encode(into: &writer)
        let (bytes, tag) = (writer.copyBytes(), [UInt8](arrayLiteral: 0x29, 1, UInt8(ascii: "S")))
        return bytes.indices.filter { bytes[$0...].starts(with: tag) }.count
    }

    @Test("Ids, and properties that no definition before has, have no fills")
    func new() throws {
        for type in [
            Self.filled, .optional(Self.filled), .raw("R", Self.filled), .array(Self.filled),
        ] {
            let merge = Catalog().merging(declared: [declared(type, type)])
            let definition = try #require(merge.definitions.first)
            #expect(merge.errors.isEmpty && definition.idType == type)
            #expect(try fills(of: definition) == 0, "\(type)")
        }
    }

    @Test("A property that gets a member has its fill in the log, and its id has none")
    func later() throws {
        var catalog = Catalog()
        let first = catalog.merging(declared: [declared(.int64, Self.plain)])
        _ = try catalog.define(try #require(first.definitions.first), in: 1)
        let second = catalog.merging(declared: [declared(.int64, Self.filled)])
        #expect(second.errors.isEmpty)
        let definition = try #require(second.definitions.first)
        #expect(try fills(of: definition) == 1)
        _ = try catalog.define(definition, in: 2)
        let third = catalog.merging(declared: [declared(.int64, .json("S"))])
        #expect(third.errors.map { "\($0)".contains("'level'") } == [true])
    }
}
