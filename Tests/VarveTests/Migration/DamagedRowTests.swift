import Testing
import VarveEvents
import VarveTables

@testable import Varve

/// A row of no bytes, as a damaged page reads, of an older definition than the newest.
@Suite("Rows that cannot be read are errors")
struct DamagedRowTests {
    private func withDraft(_ body: (StateDraft, EntityPlace) throws -> Void) throws {
        let transaction = StateTransaction(State())
        defer { transaction.rollBack() }
        let host = TypeDefinition(
            number: TypeNumber(2), name: "Host", idType: .string, fields: [],
            relations: [
                RelationDefinition(
                    number: RelationNumber(1), name: "guests", target: TypeNumber(1),
                    isToMany: true)
            ])
        var definition = TypeDefinition(
            number: TypeNumber(1), name: "Guest", idType: .string,
            fields: [
                FieldDefinition(
                    number: FieldNumber(1), name: "name", type: .string, rung: .storable)
            ], relations: [])
        try transaction.define([definition, host], in: 1)
        let draft = StateDraft(transaction, running: 2, time: Timestamp(microseconds: 0))
        let place = try #require(
            try [UInt8]([1, 0x41]).withUnsafeBytes { try draft.place(of: TypeNumber(1), $0) })
        try draft.replaceRow(
            of: place, with: UnsafeRawBufferPointer(start: nil, count: 0), isLive: true,
            ordinal: Ordinal(1), lists: [], at: draft.version)
        definition.fields.append(
            FieldDefinition(
                number: FieldNumber(2), name: "size", type: .optional(.int64), rung: .storable,
                fill: [0]))
        try transaction.define([definition], in: 1)
        try body(draft, place)
    }

    @Test("An entity is not cleared")
    func clear() throws {
        try withDraft { draft, place in
            #expect(throws: CodecError.self) { try draft.clear(place, as: .goes) }
        }
    }

    @Test("A translated transaction names the entity")
    func content() throws {
        try withDraft { draft, place in
            var content = MovedContent()
            do {
                try content.add(place, of: draft, keepsKnown: true)
                Issue.record("was read")
            } catch {
                #expect("\(error)".contains("Guest \"A\""), "\(error)")
            }
        }
    }

    @Test("A row that others are joined with names its own entity")
    func joined() throws {
        try withDraft { draft, place in
            let host = try #require(
                try [UInt8]([1, 0x42]).withUnsafeBytes { try draft.place(of: TypeNumber(2), $0) })
            draft.setList(SlotArray(slots: [place.slot]), of: 0, at: host)
            let steps = ResolvedSteps([Migration("join", .join("guests", of: "Host") { _, _ in })])
            let definitions = draft.catalog.definitions
            let plan = try MovePlan(steps, before: definitions, after: definitions)
            let related = RelatedRows(plan, steps, DraftRows(draft))
            do {
                _ = try related.rows(for: steps.all[0], at: host)
                Issue.record("was read")
            } catch {
                #expect("\(error)".contains("Guest \"A\""), "\(error)")
            }
        }
    }
}
