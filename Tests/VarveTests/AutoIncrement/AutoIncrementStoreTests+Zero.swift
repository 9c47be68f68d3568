import Testing
import Varve

// The id 0 means one that is still to be given.
extension AutoIncrementStoreTests {
    @Test("A store that has an entity with the id 0 says so when its ids are to be given")
    func zero() throws {
        let store = try open(PlainNote.self)
        try store.write { try PlainNote(id: 0, text: "zero").save(to: &$0) }
        try store.close()
        let error = #expect(throws: StoreError.self) { _ = try open(Note.self) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("there is an entity with the id 0"))
    }

    @Test("An entity with the id 0 from before does not return, and is in the past")
    func zeroReturns() throws {
        var store = try open(PlainNote.self, retention: .standard)
        try store.write { try PlainNote(id: 0, text: "zero").save(to: &$0) }
        try store.write { _ = try PlainNote.delete(id: 0, from: &$0) }
        try store.close()
        store = try open(retention: .standard)
        let refused: [() throws -> Void] = [
            { try store.undo() }, { try store.undo(force: true) },
            { try store.rewind(to: .transaction(1)) }, { try store.restore(Note.self, id: 0) },
        ]
        for body in refused {
            let error = #expect(throws: StoreError.self) { try body() }
            guard case .conflicts(let conflicts) = error else {
                Issue.record("\(error.map { "\($0)" } ?? "nothing")")
                continue
            }
            #expect(conflicts.map(\.reason) == [.zeroID])
            #expect(conflicts.first?.isFinal == true)
        }
        for route in [PastRoute.back, .forth] {
            let then = try store.context(asOf: .transaction(1), route)
            #expect(Note.query().resolve(in: then).map(\.id) == [0])
        }
        #expect(try next(store) == 1)
        try store.close()
        store = try open(retention: .standard)
        #expect(Note.query().resolve(in: store.context).map(\.id) == [1])
    }

    @Test("An entity with the id 0 returns where the app gives the ids itself again")
    func zeroReturnsToItsApp() throws {
        var store = try open(PlainNote.self, retention: .standard)
        try store.write { try PlainNote(id: 0, text: "zero").save(to: &$0) }
        try store.write { _ = try PlainNote.delete(id: 0, from: &$0) }
        try store.close()
        store = try open(retention: .standard)
        #expect(try next(store) == 1)
        try store.close()
        store = try open(PlainNote.self, retention: .standard)
        try store.undo()
        try store.undo()
        #expect(PlainNote.query().resolve(in: store.context).map(\.id) == [0])
        try store.undo()
        try store.rewind(to: .transaction(1))
        #expect(PlainNote.query().resolve(in: store.context).map(\.id) == [0])
    }
}
