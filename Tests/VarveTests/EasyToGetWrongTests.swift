import Foundation
import Testing
import Varve
import VarveTestSupport

/// Leaves nothing behind when it is deleted.
@EntityModel
struct Scrap: Equatable {
    let id: Int
    var text: String

    func asDeleted(in context: Context) -> Deleted<Scrap>? { nil }
}

@Suite("Cases that are easy to get wrong")
struct EasyToGetWrongTests {
    private func texts(_ store: Store) -> [String] {
        Scrap.query().resolve(in: store.context).map { "\($0.id) \($0.text)" }
    }

    @Test("What goes for good and comes back in one write keeps its place, live and reopened")
    func deletedAndSavedAgain() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Scrap.self, Author.self)
        try store.write { context in
            for id in 1...3 { try Scrap(id: id, text: "a").save(to: &context) }
            for id in ["x", "y"] { try Author(id: id, name: id).save(to: &context) }
        }
        try store.write { context in
            try Scrap.delete(id: 1, from: &context)
            try Scrap(id: 1, text: "b").save(to: &context)
            try Scrap.delete(id: 2, from: &context)
            try Scrap(id: 2, text: "a").save(to: &context)
            try Scrap(id: 9, text: "new").save(to: &context)
            try Author.delete(id: "x", from: &context)
            try Deleted<Author>.delete(id: "x", from: &context)
            try Author(id: "x", name: "again").save(to: &context)
        }
        store.context.checkInvariants()
        try store.write { context in
            try Scrap.delete(id: 1, from: &context)
            try Author.delete(id: "x", from: &context)
        }
        let live = (texts(store), describe(store.context))
        try store.close()
        let again = try Store(at: place.url, Scrap.self, Author.self)
        #expect(texts(again) == live.0)
        #expect(difference(live.1, describe(again.context)) == nil)
        #expect(texts(again) == ["2 a", "3 a", "9 new"])
    }

    @Test("A body that puts another context in place of its own is refused")
    func foreignContexts() throws {
        let store = try Store.inMemory(Scrap.self)
        try store.write { try Scrap(id: 1, text: "a").save(to: &$0) }
        let old = store.context
        var escaped: Context?
        try store.write { context in
            try Scrap(id: 2, text: "b").save(to: &context)
            escaped = context
        }
        for other in [old, escaped ?? Context(), Context()] {
            #expect(throws: StoreError.self) {
                try store.write { context in
                    context = other
                    try Scrap(id: 3, text: "c").save(to: &context)
                }
            }
        }
        try store.write { context in
            let before = context
            try Scrap(id: 4, text: "d").save(to: &context)
            context = before
            try Scrap(id: 5, text: "e").save(to: &context)
        }
        #expect(texts(store) == ["1 a", "2 b", "5 e"])
    }

    @Test("Figures can be asked for inside a write")
    func figuresInsideWrite() throws {
        let store = try Store.inMemory(Scrap.self)
        try store.write { context in
            try Scrap(id: 1, text: "a").save(to: &context)
            #expect(store.durableTransaction == 0)
            #expect(store.statistics.log.transactions == 0)
        }
        #expect(store.statistics.log.transactions == 1)
        try store.flush()
        #expect(store.durableTransaction == 1)
    }

    @Test("A hook that saves an entity again while its tombstone is saved is told so")
    func savedWhileDeleted() throws {
        var context = Context()
        try Phoenix(id: 1).save(to: &context)
        #expect(throws: ContextError.self) { try Deleted(Phoenix(id: 1)).save(to: &context) }
        #expect(context.count(Phoenix.self) == 1)
        context.checkInvariants()
    }

    @Test("A hook that deletes the very entity changes nothing about its deletion")
    func deletesItself() throws {
        var context = Context()
        try Lemming(id: 1).save(to: &context)
        try Lemming.delete(id: 1, from: &context)
        #expect(context.count(Lemming.self) == 0)
        #expect(context.count(Deleted<Lemming>.self) == 1)
    }

    @Test("A rolled-back insertion leaves the order as it was")
    func rolledBackInsertion() throws {
        struct Stop: Error {}
        let store = try Store.inMemory(Scrap.self)
        try store.write { try Scrap(id: 1, text: "a").save(to: &$0) }
        #expect(throws: Stop.self) {
            try store.write { context in
                try Scrap(id: 2, text: "b").save(to: &context)
                throw Stop()
            }
        }
        try store.write { try Scrap(id: 3, text: "c").save(to: &$0) }
        #expect(texts(store) == ["1 a", "3 c"])
        store.context.checkInvariants()
    }
}

@EntityModel
struct Phoenix {
    let id: Int

    func didDelete(from context: inout Context) throws { try save(to: &context) }
}

@EntityModel
struct Lemming {
    let id: Int

    func willDelete(from context: inout Context) throws { try delete(from: &context) }
}
