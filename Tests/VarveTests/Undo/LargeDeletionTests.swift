import Testing
import Varve
import VarveTestSupport

@EntityModel
private struct Branch {
    let id: Int
    @Relationship(inverse: \.children) var parent: Branch?
    @Relationship(deleteRule: .cascade, inverse: \.parent) var children: [Branch]?
}

/// Deletions of sizes at which a cost of their square would not come to an end.
@Suite("Large deletions")
struct LargeDeletionTests {
    private let store: Store

    init() throws { store = try Store.inMemory(Branch.self) }

    private func parents() -> [Int?] {
        Branch.query().id(\.$parent).resolve(in: store.context).sorted { $0.id < $1.id }
            .map(\.$parent.id)
    }

    private func children(of id: Int) -> [Int] {
        Branch.query(id).id(\.$children).resolve(in: store.context)?.$children.ids ?? []
    }

    @Test("A chain of cascades is restored as deep as it is, and no more than it")
    func deep() throws {
        let depth = 10_000
        try store.write { context in
            try Branch(id: 0).save(to: &context)
            for id in 1..<depth { try Branch(id: id, parent: .id(id - 1)).save(to: &context) }
            try Branch(id: depth).save(to: &context)
        }
        let before = parents()
        try store.write { context in
            try Branch.delete(id: 1, from: &context)
            try Branch.delete(id: depth, from: &context)
        }
        #expect(store.context.count(Branch.self) == 1)
        try store.restoreDeletion(of: Branch.self, id: 1)
        #expect(parents() == Array(before.dropLast()), "the last went by a call of its own")
        try store.undo()
        #expect(store.context.count(Branch.self) == 1)
        try store.undo()
        #expect(parents() == before)
        try store.redo()
        try store.restoreDeletion(of: Branch.self, id: depth / 2)
        #expect(store.context.count(Branch.self) == 1 + depth / 2)
    }

    @Test("A long list goes and returns, and is undone, in its order")
    func wide() throws {
        let width = TestSize.choose(5_000, nightly: 20_000)
        // In no order that slots or ids have.
        let ids = (1...width).map { 1 + ($0 * 7_919) % width }
        try store.write { context in
            for id in 1...width { try Branch(id: id).save(to: &context) }
            try Branch(id: 0, children: .ids(ids)).save(to: &context)
        }
        #expect(children(of: 0) == ids && Set(ids).count == width)
        try store.write { try Branch.delete(id: 0, from: &$0) }
        try store.restoreDeletion(of: Branch.self, id: 0)
        #expect(children(of: 0) == ids)
        try store.undo()
        try store.undo()
        #expect(children(of: 0) == ids)
        try store.redo()
        #expect(store.context.count(Branch.self) == 0)
        try store.restore(Branch.self, id: 0)
        #expect(children(of: 0) == [])
        try store.undo()
        try store.undo()
        #expect(children(of: 0) == ids)
        try store.undo()
        #expect(store.context.count(Branch.self) == 0)
        try store.redo()
        #expect(children(of: 0) == ids)
        #expect(parents() == [nil] + Array(repeating: 0, count: width))
    }
}
