import Foundation
import Testing
import Varve
import VarveTestSupport

@EntityModel("Plant")
private struct PlantV1 {
    let id: String
    @Relationship var seeds: [SeedV1]? = nil
}

@EntityModel("Seed")
private struct SeedV1 {
    let id: String
    var kind = ""
}

/// The same types, of which the seed now says what it is the other side of.
@EntityModel("Plant")
private struct PlantV2 {
    let id: String
    @Relationship var seeds: [SeedV2]? = nil
}

@EntityModel("Seed")
private struct SeedV2 {
    let id: String
    var kind = ""
    @Relationship(deleteRule: .deny, inverse: \.seeds) var plant: PlantV2?
}

/// Two relations that claim one other side.
@EntityModel("Seed")
private struct SeedInConflict {
    let id: String
    @Relationship(inverse: \.seeds) var plant: PlantInConflict?
    // Spelled differently, or the macro would refuse it.
    @Relationship(inverse: \.seeds) var former: FormerPlant?
}

private typealias FormerPlant = PlantInConflict

@EntityModel("Plant")
private struct PlantInConflict {
    let id: String
    @Relationship var seeds: [SeedInConflict]? = nil
}

/// Goes without a tombstone.
@EntityModel
private struct Weed {
    let id: String
    func asDeleted(in context: Context) -> Deleted<Weed>? { nil }
}

@EntityModel
private struct Garden {
    let id: String
    @Relationship() var weeds: [Weed]?
    @Relationship() var plants: [PlantV2]?
}

@EntityModel
private struct Leaf {
    let id: String
}

@EntityModel
private struct Compost {
    let id: String
    @Relationship() var leaves: [Deleted<Leaf>]?
}

@Suite("Relations in a store")
struct RelationPersistenceTests {
    @Test("A link to a tombstone that is gone, or never was, is told alike live and reopened")
    func danglingTombstones() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Compost.self)
        try store.write { context in
            try Compost(id: "c", leaves: .ids(["1", "2", "3"])).save(to: &context)
            for id in ["1", "2"] {
                try Leaf(id: id).save(to: &context)
                try Leaf.delete(id: id, from: &context)
            }
        }
        try store.write { context in
            try Deleted<Leaf>.query("2").resolve(in: context)?.restore(in: &context)
        }
        let live = store.context.danglingLinks()
        #expect(live.map(\.targetID) == ["2", "3"])
        #expect(live.map(\.isDeleted) == [true, true])
        try store.close()
        let again = try Store(at: place.url, mode: .readOnly, Compost.self)
        #expect(again.context.danglingLinks() == live)
    }

    @Test("An inverse that one side declares is in the log on both sides, and survives")
    func oneSided() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, PlantV2.self)
        try store.write { context in
            try PlantV2(id: "a", seeds: .relation([SeedV2(id: "1"), SeedV2(id: "2")])).save(
                to: &context)
            try SeedV2(id: "1", plant: .relation(PlantV2(id: "b"))).save(to: &context)
        }
        try store.close()
        let again = try Store(at: place.url, mode: .readOnly, SeedV2.self)
        again.context.checkInvariants()
        #expect(SeedV2.query("1").related(\.$plant).resolve(in: again.context)?.id == "b")
        #expect(
            PlantV2.query("a").related(\.$seeds).resolve(in: again.context).map(\.id) == ["2"])
    }

    @Test("Both ways to the past of a store that is only read complete the other sides of links")
    func laterInverseInThePast() throws {
        let place = StoreTests.Place()
        let first = try Store(at: place.url, PlantV1.self)
        try first.write { context in
            try PlantV1(id: "a", seeds: .relation([SeedV1(id: "1"), SeedV1(id: "2")])).save(
                to: &context)
        }
        try first.write { try SeedV1(id: "3", kind: "new").save(to: &$0) }
        try first.close()
        let reader = try Store(at: place.url, mode: .readOnly, PlantV2.self)
        for route in [PastRoute.back, .forth] {
            let past = try reader.context(asOf: .transaction(1), route)
            past.checkInvariants()
            #expect(past.count(SeedV2.self) == 2)
            #expect(SeedV2.query("1").related(\.$plant).resolve(in: past)?.id == "a")
        }
    }

    @Test("Links from before a relation had another side are completed when the store is opened")
    func laterInverse() throws {
        let place = StoreTests.Place()
        let first = try Store(at: place.url, PlantV1.self)
        try first.write { context in
            try PlantV1(id: "a", seeds: .relation([SeedV1(id: "1"), SeedV1(id: "2")])).save(
                to: &context)
            try PlantV1(id: "b", seeds: .relation([SeedV1(id: "2"), SeedV1(id: "3")])).save(
                to: &context)
        }
        try first.close()
        func check(_ context: Context) {
            context.checkInvariants()
            #expect(
                PlantV2.query("a").related(\.$seeds).resolve(in: context).map(\.id) == ["1", "2"])
            #expect(PlantV2.query("b").related(\.$seeds).resolve(in: context).map(\.id) == ["3"])
            #expect(SeedV2.query("3").related(\.$plant).resolve(in: context)?.id == "b")
        }
        check(try Store(at: place.url, mode: .readOnly, PlantV2.self).context)
        let second = try Store(at: place.url, PlantV2.self)
        check(second.context)
        #expect(second.lastTransaction.rawValue == 2)
        try second.write { try SeedV2(id: "4", plant: .id("b")).save(to: &$0) }
        try second.close()
        let third = try Store(at: place.url, PlantV2.self)
        #expect(third.lastTransaction.rawValue == 3)
        third.context.checkInvariants()
        #expect(
            PlantV2.query("b").related(\.$seeds).resolve(in: third.context).map(\.id) == ["3", "4"])
    }

    @Test(
        "The completion of links is no step, and undos and rewinds of older steps keep both sides in step"
    )
    func completionIsNoStep() throws {
        for seed in TestSize.choose(1...7, nightly: 1...20 as ClosedRange<UInt64>) {
            var random = SeededGenerator(seed: seed)
            let place = StoreTests.Place()
            let first = try Store(at: place.url, PlantV1.self)
            for _ in 0..<12 {
                try first.write { context in
                    let plant = ["a", "b", "c"].randomElement(using: &random) ?? ""
                    let seeds = ["1", "2", "3", "4"].filter { _ in
                        Bool.random(using: &random)
                    }.shuffled(using: &random)
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0: try SeedV1.delete(id: seeds.first ?? "1", from: &context)
                    case 1: try PlantV1.delete(id: plant, from: &context)
                    case 2: try SeedV1(id: "5", kind: plant).save(to: &context)
                    case 3:
                        try PlantV1(id: plant, seeds: .relation(seeds.map { SeedV1(id: $0) }))
                            .save(to: &context)
                    default: try PlantV1(id: plant, seeds: .ids(seeds)).save(to: &context)
                    }
                }
            }
            let steps = first.undoSteps()
            try first.close()
            let store = try Store(at: place.url, PlantV2.self)
            #expect(store.undoSteps() == steps, "seed \(seed)")
            func check(_ context: Context) -> [String] {
                context.checkInvariants()
                return describePlants(context)
            }
            var states = [check(store.context)]
            while store.canUndo {
                try store.undo(force: true)
                states.append(check(store.context))
            }
            #expect(states.count == steps.count + 1 && states.last == [], "seed \(seed)")
            while store.canRedo {
                try store.redo(force: true)
                states.removeLast()
                #expect(check(store.context) == states.last, "seed \(seed)")
            }
            for transaction in 0...store.lastTransaction.rawValue {
                let point = HistoryPoint.transaction(TransactionID(transaction))
                let expected = check(try store.context(asOf: point))
                #expect(check(try store.context(asOf: point, .forth)) == expected)
                let newest = store.lastTransaction
                try store.rewind(to: point)
                #expect(check(store.context) == expected, "seed \(seed), \(transaction)")
                if store.lastTransaction > newest { try store.undo() }
            }
        }
    }

    private func describePlants(_ context: Context) -> [String] {
        PlantV2.query().id(\.$seeds).resolve(in: context).map {
            "\($0.id) \($0.$seeds.ids ?? [])"
        }
            + SeedV2.query().id(\.$plant).resolve(in: context).map {
                "\($0.id) \($0.kind) \($0.$plant.heldIDs)"
            }
    }

    @Test(
        "What an app changes that does not know the other side is completed, and what that lists is dropped"
    )
    func olderApp() throws {
        let place = StoreTests.Place()
        let newer = try Store(at: place.url, PlantV2.self)
        try newer.write { context in
            try PlantV2(id: "a", seeds: .relation(["1", "2", "3"].map { SeedV2(id: $0) })).save(
                to: &context)
            try PlantV2(id: "b").save(to: &context)
        }
        try newer.close()
        let older = try Store(at: place.url, PlantV1.self)
        try older.write { context in
            try PlantV1(id: "a", seeds: .ids(["3"])).save(to: &context)
            try PlantV1(id: "b", seeds: .ids(["1"])).save(to: &context)
        }
        try older.write { try PlantV1(id: "a", seeds: .ids(["3", "2"])).save(to: &$0) }
        try older.undo()
        try older.close()
        for mode in [Store.Mode.readOnly, .readWrite] {
            let again = try Store(at: place.url, mode: mode, PlantV2.self)
            again.context.checkInvariants()
            let parents = ["1", "2", "3"].map {
                SeedV2.query($0).related(\.$plant).resolve(in: again.context)?.id
            }
            #expect(parents == ["b", nil, "a"])
            for transaction in 1...again.lastTransaction.rawValue {
                let point = HistoryPoint.transaction(TransactionID(transaction))
                for route in [PastRoute.back, .forth] {
                    try again.context(asOf: point, route).checkInvariants()
                }
            }
        }
    }

    @Test("A delete that is denied throws out of the write and changes nothing")
    func deny() throws {
        let store = try Store.inMemory(PlantV2.self)
        try store.write {
            try PlantV2(id: "a", seeds: .relation([SeedV2(id: "1")])).save(to: &$0)
        }
        let error = ContextError.deleteDenied(
            type: "Seed", id: "1", relation: "plant", children: ["a"])
        #expect(throws: error) { try store.write { try SeedV2.delete(id: "1", from: &$0) } }
        #expect(SeedV2.query("1").exists(in: store.context))
        #expect(store.lastTransaction.rawValue == 1)
    }

    @Test("Two relations that claim one other side are a typed error when the store is opened")
    func conflict() throws {
        let error = #expect(throws: StoreError.self) {
            try Store.inMemory(PlantInConflict.self)
        }
        guard case .schema(let problems) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.allSatisfy { $0.reason.contains("Plant.seeds") })
        #expect(problems.map(\.type).contains("Seed"))
    }

    @Test("An id shows in a one-way relation until its entity was there and went, also reopened")
    func formerTargets() throws {
        let place = StoreTests.Place()
        let store = try Store(at: place.url, Garden.self)
        try store.write { context in
            for id in ["1", "2"] { try Weed(id: id).save(to: &context) }
            for id in ["a", "b"] { try PlantV2(id: id).save(to: &context) }
            try Garden(
                id: "g", weeds: .ids(["1", "2", "3", "4"]), plants: .ids(["a", "b", "c", "d"])
            ).save(to: &context)
        }
        try store.write { context in
            try Weed.delete(id: "1", from: &context)
            try Weed(id: "3").save(to: &context)
            try Weed.delete(id: "3", from: &context)
            try PlantV2.delete(id: "a", from: &context)
            try PlantV2.delete(id: "b", from: &context)
            try Deleted<PlantV2>.delete(id: "b", from: &context)
            try Deleted(PlantV2(id: "d")).save(to: &context)
            try Deleted<PlantV2>.delete(id: "d", from: &context)
        }
        func shown(_ context: Context) -> [[String]?] {
            let garden = Garden.query("g").id(\.$weeds).id(\.$plants).resolve(in: context)
            return [garden?.$weeds.ids, garden?.$plants.ids]
        }
        // Weed 3 and the tombstone of d came and went in one transaction: the log knows of neither.
        #expect(shown(store.context) == [["2", "3", "4"], ["c", "d"]])
        try store.close()
        let again = try Store(at: place.url, Garden.self)
        #expect(shown(again.context) == [["2", "3", "4"], ["c", "d"]])
        try again.write { try Weed(id: "1").save(to: &$0) }
        #expect(shown(again.context) == [["1", "2", "3", "4"], ["c", "d"]])
    }
}
