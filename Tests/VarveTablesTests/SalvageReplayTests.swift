import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("A salvage behind lost transactions")
struct SalvageReplayTests {
    private static let type = TypeNumber(1)

    private static func definition(_ rank: StoredType, _ detail: StoredType) -> TypeDefinition {
        TypeDefinition(
            number: type, name: "Note", idType: .int64,
            fields: [
                FieldDefinition(
                    number: FieldNumber(1), name: "rank", type: rank, rung: .storable),
                FieldDefinition(
                    number: FieldNumber(2), name: "detail", type: detail,
                    rung: detail == .string ? .storable : .json),
            ], relations: [])
    }

    private static func state(detail: String) throws -> State {
        var encoder = TransactionEncoder()
        let header = TransactionHeader(id: 1, time: Timestamp(microseconds: 1))
        encoder.begin(id: header.id, time: header.time)
        try encoder.define(definition(.int32, .json("Detail")))
        let entity = encoder.entity(type, bytes: try 5.storedBytes())
        var row = ByteWriter()
        row.writeSigned(7)
        row.writeText(detail)
        encoder.insert(entity, ordinal: Ordinal(1), row: row.copyBytes())
        var writer = ByteWriter()
        encoder.finish(header, into: &writer)
        let bytes = writer.copyBytes()
        return try State().changed { state in
            try bytes.withUnsafeBytes { try state.apply(try TransactionView($0)) }
            let isDeclared = try state.declareIndex(
                of: type, IndexDeclaration([.init(FieldNumber(1))]))
            #expect(isDeclared)
        }
    }

    /// Both properties get other types in a transaction that is lost; the second one's values may not be what it says.
    @Test(
        "A type gets the definition of behind the loss, and keeps an index whose rows can be read by it",
        arguments: [("\"text\"", 1), ("{\"size\": 1}", 0)])
    func revision(detail: String, indexCount: Int) throws {
        let salvage = SalvageReplay()
        salvage.load(try Self.state(detail: detail))
        var later = Catalog()
        _ = try later.define(Self.definition(.int64, .string), in: TransactionID(3))
        later.encodedDefinitions().withUnsafeBytes { #expect(!salvage.lookAhead(definitions: $0)) }
        #expect(salvage.lose(through: TransactionID(3)).count == 2)
        let state = salvage.currentState()
        #expect(state.catalog.definition(of: Self.type)?.fields.map(\.type) == [.int64, .string])
        #expect(state.declaredIndexes(of: Self.type).count == indexCount)
        #expect(state.counts(of: Self.type).live == 1)
    }
}
