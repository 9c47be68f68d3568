import Testing
import VarveTestSupport

@testable import Varve

@EntityModel
private struct Owner {
    let id: Int
}

@EntityModel
private struct Parcel {
    let id: Int
    var label = ""
    @Relationship var owner: Owner? = nil
    @Relationship var earlier: [Owner]? = nil

    var ownerID: Int { owner?.id ?? 0 }
    var length: Int { label.count }
}

private func parcels() throws -> Store {
    let store = try Store(
        in: SimulatedDisk(), environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
        durability: .commit, types: [Owner.self, Parcel.self])
    try store.write { context in
        try Parcel(id: 1, label: "abc", owner: .relation(Owner(id: 7))).save(to: &context)
    }
    return store
}

@Suite("Values and sections that read relations")
struct RelationValuesTests {
    @Test("The values of a relation, and sections by one, stop the program and name it")
    func refusals() async {
        let ways: [ExitTest.Result?] = [
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let values = try parcels().values(of: Parcel.self, id: 1, \.ownerID)
                var iterator = values.makeAsyncIterator()
                _ = await iterator.next()
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                var iterator = try parcels().values(of: Parcel.self, id: 1, \.$owner)
                    .makeAsyncIterator()
                _ = await iterator.next()
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                var iterator = try parcels().values(of: Parcel.self, id: 1, \.owner?.id)
                    .makeAsyncIterator()
                _ = await iterator.next()
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                var iterator = try parcels().results(
                    of: Parcel.query(), sectionedBy: .property(\.ownerID)
                )
                .makeAsyncIterator()
                _ = await iterator.next()
            },
        ]
        for (index, result) in ways.enumerated() {
            let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(message.contains("the relation Parcel.owner"), "way \(index): \(message)")
        }
    }

    @Test("Entities, stored and computed properties come as ever, a whole entity without relations")
    func values() async throws {
        let store = try parcels()
        var lengths = store.values(of: Parcel.self, id: 1, \.length).makeAsyncIterator()
        #expect(await lengths.next() == 3)
        var entities = store.values(of: Parcel.self, id: 1).makeAsyncIterator()
        let first = await entities.next() ?? nil
        #expect(first?.label == "abc" && first?.owner == nil && first?.$earlier.ids == nil)
        var sections = store.results(
            of: Parcel.query().with(\.$owner), sectionedBy: .property(\.length)
        )
        .makeAsyncIterator()
        let update = await sections.next()
        #expect(update?.sections.keys == [3])
    }
}
