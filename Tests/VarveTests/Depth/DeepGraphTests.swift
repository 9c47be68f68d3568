import Foundation
import Testing
import Varve
import VarveTestSupport

@EntityModel
private struct Bead {
    let id: Int
    var name = ""
    @Relationship(deleteRule: .cascade, inverse: \.previous) var next: Bead?
    @Relationship(inverse: \.next) var previous: Bead?
}

/// A pearl whose relation has no other side yet.
@EntityModel("Pearl")
private struct PearlV1 {
    let id: Int
    @Relationship() var next: PearlV1?
}

@EntityModel("Pearl")
private struct PearlV2 {
    let id: Int
    @Relationship(inverse: \.previous) var next: PearlV2?
    @Relationship(inverse: \.next) var previous: PearlV2?
}

/// No frame is so small that a recursion as deep as this would fit in 512 KiB. `VARVE_DEPTH=1000000` makes chains of a
/// million, for a night.
private let depth = Int(ProcessInfo.processInfo.environment["VARVE_DEPTH"] ?? "") ?? 20_000

@Suite("Long chains in a store, on a thread of 512 KiB", .serialized)
struct DeepGraphTests {
    @Test("Saved, deleted by cascade, undone, redone, compared, seen in the past, and replayed")
    func chain() throws {
        let place = StoreTests.Place()
        let url = place.url
        try onSmallStack {
            let store = try Store(at: url, durability: .none, Bead.self)
            try store.write { context in
                try (0..<depth).map { Bead(id: $0, next: $0 + 1 < depth ? .id($0 + 1) : .none) }
                    .save(to: &context)
            }
            #expect(store.context.count(Bead.self) == depth)
            try store.write { try Bead.delete(id: 0, from: &$0) }
            #expect(store.context.count(Bead.self) == 0)
            #expect(try store.context(asOf: .transaction(1)).count(Bead.self) == depth)
            #expect(
                try store.diff(from: .transaction(1), to: .transaction(2)).changes.count == depth)
            try store.undo()
            #expect(
                Bead.query(0).reachable(along: \.$next).count(in: store.context) == depth - 1)
            try store.redo()
            try store.undo()
            try store.close()
        }
        try onSmallStack {
            let store = try Store(at: url, Bead.self)
            #expect(
                Bead.query(depth - 1).reachable(along: \.$previous).count(in: store.context)
                    == depth - 1)
            try store.rewind(to: .transaction(2))
            try store.restore(Bead.self, id: depth / 2)
            #expect(store.context.count(Bead.self) == 1)
            try store.close()
        }
        withExtendedLifetime(place) {}
    }

    @Test("The other side of the links of a chain is completed when it is opened")
    func completing() throws {
        let place = StoreTests.Place()
        let url = place.url
        let first = try Store(at: url, durability: .none, PearlV1.self)
        try first.write { context in
            try (0..<depth).map { PearlV1(id: $0, next: $0 + 1 < depth ? .id($0 + 1) : .none) }
                .save(to: &context)
        }
        try first.close()
        try onSmallStack {
            let store = try Store(at: url, PearlV2.self)
            #expect(
                PearlV2.query(depth - 1).reachable(along: \.$previous).count(in: store.context)
                    == depth - 1)
        }
        withExtendedLifetime(place) {}
    }
}
