import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

/// An entity that displaces others, with what hangs on them.
@EntityModel
private struct Seat: Equatable {
    let id: String
    var place: Int
    var label: String = ""

    @Relationship(deleteRule: .cascade, inverse: \.seat) var guests: [Guest]?

    @Unique<Self>(\.place) private var uniquePlace
}

@EntityModel
private struct Guest: Equatable {
    let id: Int
    var name: String

    @Relationship(inverse: \.guests) var seat: Seat?
}

@Suite("Rewinding")
struct RewindTests {
    private func open(_ disk: SimulatedDisk, _ environment: SimulatedEnvironment) throws -> Store {
        try Store(
            in: disk, environment: environment, mode: .readWrite, durability: .commit,
            retention: .everything, compactsAutomatically: false,
            types: [Author.self, Shelf.self, Seat.self])
    }

    /// All that can be seen of a state but the times.
    private func whole(_ context: Context) -> String {
        func seat(_ seat: Seat) -> String {
            "\(seat.id) \(seat.place) \(seat.label) \(seat.$guests.heldIDs)"
        }
        func guest(_ guest: Guest) -> String { "\(guest.id) \(guest.name) \(guest.$seat.heldIDs)" }
        var lines = [UndoModel.whole(context)]
        lines += Seat.query().id(\.$guests).resolve(in: context).map { "Seat " + seat($0) }
        lines += Guest.query().id(\.$seat).resolve(in: context).map { "Guest " + guest($0) }
        lines += Deleted<Seat>.query().resolve(in: context).map { "No seat " + seat($0.entity) }
        lines += Deleted<Guest>.query().resolve(in: context).map { "No guest " + guest($0.entity) }
        return lines.joined(separator: "\n")
    }

    private func change(_ context: inout Context, _ random: inout SeededGenerator) throws {
        guard Int.random(in: 0..<3, using: &random) == 0 else {
            return try ReplayLawTests().change(&context, &random)
        }
        let id = "seat\(Int.random(in: 0..<5, using: &random))"
        switch Int.random(in: 0..<5, using: &random) {
        case 0: try Seat.delete(id: id, from: &context)
        case 1: try Deleted<Seat>.delete(id: id, from: &context)
        case 2:
            try Guest(
                id: Int.random(in: 0..<8, using: &random), name: id, seat: .id(id)
            ).save(to: &context)
        default:
            // Another seat of the place goes, and its guests with it.
            let guests = (0..<2).map { _ in Int.random(in: 0..<8, using: &random) }
            try Seat(
                id: id, place: Int.random(in: 0..<4, using: &random), label: id,
                guests: .ids(guests)
            ).save(to: &context)
        }
    }

    private func perform(
        _ store: Store, _ step: Int, _ random: inout SeededGenerator
    ) throws {
        switch Int.random(in: 0..<16, using: &random) {
        case 0: if store.canUndo { try store.undo(force: true) }
        case 1: if store.canRedo { try store.redo(force: true) }
        case 2:
            try store.purgeDeleted(
                before: Date(timeIntervalSince1970: 1_700_000_000 + Double(step) * 0.01))
        case 3:
            let last = max(1, store.lastTransaction.rawValue)
            let number = UInt64.random(in: 1...last, using: &random)
            guard number <= store.lastTransaction.rawValue else { return }
            try store.revert(TransactionID(number), UndoOptions(force: true))
        case 4:
            let gone = Deleted<Author>.query().resolve(in: store.context)
            if let id = gone.randomElement(using: &random)?.id {
                try store.restoreDeletion(of: Author.self, id: id)
            }
        case 5:
            let gone = Deleted<Seat>.query().resolve(in: store.context)
            if let id = gone.randomElement(using: &random)?.id {
                try store.restore(Seat.self, id: id)
            }
        default:
            var generator = random
            try store.write("step \(step)") { context in
                for _ in 0..<Int.random(in: 1...5, using: &generator) {
                    try change(&context, &generator)
                }
            }
            random = generator
        }
    }

    @Test(
        "Returns to any earlier state exactly, as one step, also after opening again",
        arguments: TestSize.choose(1...4, nightly: 1...12 as ClosedRange<UInt64>))
    func exact(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        let environment = SimulatedEnvironment(seed: seed)
        var store = try open(disk, environment)
        var states = [whole(store.context)]
        func note() {
            store.context.checkInvariants()
            if UInt64(states.count) <= store.lastTransaction.rawValue {
                states.append(whole(store.context))
            }
        }
        func expect(_ state: String, _ comment: String) {
            #expect(difference(state, whole(store.context)) == nil, "seed \(seed), \(comment)")
        }
        for step in 0..<60 {
            do {
                try perform(store, step, &random)
            } catch StoreError.conflicts {
                // A unique value is taken: nothing was done.
                expect(states[states.count - 1], "step \(step)")
            }
            note()
            guard step % 6 == 5 else { continue }
            let number = Int.random(in: states.indices, using: &random)
            let before = whole(store.context)
            let point = HistoryPoint.transaction(TransactionID(UInt64(number)))
            #expect(
                difference(states[number], whole(try store.context(asOf: point))) == nil,
                "seed \(seed), as of \(number)")
            let isChanged = try store.rewind(to: point) != nil
            expect(states[number], "rewind to \(number)")
            note()
            if Bool.random(using: &random) {
                try store.compact()
                note()
            }
            try store.close()
            store = try open(disk, environment)
            expect(states[number], "rewind to \(number), opened again")
            guard isChanged, Bool.random(using: &random) else { continue }
            #expect(try store.undo().label == "Rewind")
            expect(before, "undo of the rewind to \(number)")
            note()
            try store.redo()
            expect(states[number], "redo of the rewind to \(number)")
            note()
            try store.undo()
            note()
            try store.close()
            store = try open(disk, environment)
            expect(before, "undo of the rewind to \(number), opened again")
        }
        for number in states.indices {
            let then = try store.context(asOf: .transaction(TransactionID(UInt64(number))))
            #expect(
                difference(states[number], whole(then)) == nil, "seed \(seed), as of \(number)")
        }
        store.context.checkInvariants()
    }

    @Test("An entity that went for good and came back returns to its former place, and back")
    func place() throws {
        let store = try Store.inMemory(Author.self, Shelf.self)
        try store.write { context in
            for id in ["a", "b", "c"] { try Author(id: id, name: id).save(to: &context) }
        }
        let before = content(store.context)
        try store.group("Replace") {
            try store.write { context in
                try Author.delete(id: "a", from: &context)
                try Deleted<Author>.delete(id: "a", from: &context)
            }
            try store.write { try Author(id: "a", name: "new").save(to: &$0) }
        }
        let after = content(store.context)
        #expect(Author.query().resolve(in: store.context).map(\.id) == ["b", "c", "a"])
        try store.undo()
        #expect(difference(before, content(store.context)) == nil)
        try store.redo()
        #expect(difference(after, content(store.context)) == nil)
        try store.rewind(to: .transaction(1))
        #expect(difference(before, content(store.context)) == nil)
        #expect(difference(after, content(try store.context(asOf: .transaction(3)))) == nil)
        let story = try store.history(of: Author.self, id: "a")
        #expect(story.first?.entity?.name == "a")
        #expect(story.last?.change == .inserted && story.last?.transaction.id == 1)
    }
}
