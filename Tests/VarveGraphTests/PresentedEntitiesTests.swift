import Testing
import VarveGraph

@EntityModel
private struct Reader {
    let id: String
}

/// Compared and hashed without its relations, so that it can be a value that a query is asked for.
@EntityModel
private struct Letter: Hashable, Comparable {
    let id: Int
    var text = ""
    @Relationship var to: Reader? = nil
    @Relationship var copies: [Reader]? = nil

    static func == (first: Letter, second: Letter) -> Bool { first.id == second.id }
    static func < (first: Letter, second: Letter) -> Bool { first.id < second.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }

    var whole: Letter { self }
    var perhaps: Letter? { text.isEmpty ? nil : self }
}

extension Deleted<Letter> {
    fileprivate var whole: Self { self }
}

private func letters() throws -> Context {
    var context = Context()
    try Letter(id: 1, text: "a", to: .id("x"), copies: .ids(["y", "z"])).save(to: &context)
    try Letter(id: 2, text: "b", to: .id("y")).save(to: &context)
    try Letter(id: 3).save(to: &context)
    return context
}

@Suite("Entities as values of a query")
struct PresentedEntitiesTests {
    @Test("Come without relations, whichever way they are asked for, and can be saved back")
    func ways() throws {
        var context = try letters()
        let query = Letter.query()
        var found: [Letter?] = [
            query.max(\.self, in: context), query.min(\.self, in: context),
            query.max(\.whole, in: context), query.min(\.whole, in: context),
            query.max(\.perhaps, in: context), query.min(\.perhaps, in: context),
            Letter.query(1).select(\.whole, in: context),
        ]
        found += query.select(\.whole, in: context)
        found += query.select(\.perhaps, in: context)
        found += query.select(\.id, \.whole).resolve(in: context).map(\.1)
        found += query.select(\.id, \.perhaps, \.whole).resolve(in: context).flatMap { [$1, $2] }
        found += query.select(\.id, \.id, \.id, \.whole).resolve(in: context).map(\.3)
        for path in [\Letter.self, \Letter.whole] {
            let groups = query.grouped(by: path)
            found += groups.keys(in: context)
            found += groups.counts(in: context).map(\.key)
            found += groups.resolve(in: context).map(\.key)
            found += groups.dictionary(in: context).keys.map { $0 }
            found += groups.map(in: context) { $0.count(in: context) }.map(\.key)
        }
        found += query.grouped(by: \.perhaps).keys(in: context)
        #expect(found.compactMap { $0 }.count == 7 + 5 + 3 + 5 + 3 + 2 * 15 + 2)
        for letter in found.compactMap({ $0 }) {
            #expect(letter.to == nil && letter.$to.isNone && letter.copies == nil)
            #expect(letter.$copies.ids == nil)
            try letter.save(to: &context)
        }
        #expect(Letter.query(1).id(\.$to).resolve(in: context)?.$to.id == "x")
        #expect(Letter.query(1).id(\.$copies).resolve(in: context)?.$copies.ids == ["y", "z"])
    }

    @Test("Tombstones come with the ids of their relations")
    func tombstones() throws {
        var context = try letters()
        try Letter.delete(id: 1, from: &context)
        let found = Deleted<Letter>.query().select(\.whole).resolve(in: context)
        #expect(found.map(\.entity.$to.id) == ["x"])
        #expect(found.map(\.entity.$copies.ids) == [["y", "z"]])
        #expect(found.allSatisfy { $0.entity.to == nil })
        try found[0].restore(in: &context)
        #expect(Letter.query(1).id(\.$copies).resolve(in: context)?.$copies.ids == ["y", "z"])
    }

    @Test("A property of a tombstone's entity is read where it lies")
    func storedProperties() {
        #expect(MemoryLayout<Deleted<Letter>>.offset(of: \.entity) == 0)
        #expect(
            MemoryLayout<Deleted<Letter>>.offset(of: \.entity.text)
                == MemoryLayout<Letter>.offset(of: \.text))
    }
}
