import Foundation
import Testing
import Varve
import VarveTestSupport

@testable import VarveGraph

@EntityModel
private struct Track: Equatable {
    @Unique<Self>(\.code, collisions: .throw) private var uniqueCode
    @Index<Self>(\.title) private var titleIndex
    @HashIndex<Self>(\.length) private var lengthIndex

    let id: String
    var title: String
    var code: String
    var length: Int

    @Relationship(inverse: \.tracks) var disc: Disc?
}

@EntityModel
private struct Disc: Equatable {
    let id: Int
    var name: String

    @Relationship(deleteRule: .cascade, inverse: \.disc) var tracks: [Track]?
}

/// A number that is not read again where it is negative.
private struct Size: RawRepresentable, Equatable, Sendable {
    let rawValue: Int

    init?(rawValue: Int) {
        guard rawValue >= 0 else { return nil }
        self.rawValue = rawValue
    }

    init(unchecked rawValue: Int) { self.rawValue = rawValue }
}

@EntityModel
private struct Crate: Equatable {
    let id: Int
    var size: Size
}

@EntityModel
private struct Mark: Equatable {
    @HashIndex<Self>(\.link) private var linkIndex

    let id: Int
    var link: URL
}

@EntityModel
private struct Parcel: Equatable {
    let id: UUID
    var content: String
}

/// Rows that fill leaves within a transaction are kept as the bytes that were logged. Nobody may notice.
@Suite("Saved rows that are kept as bytes")
struct PackedSavesTests {
    private struct Stop: Error {}

    private static func track(_ number: Int, title: String? = nil) -> Track {
        Track(
            id: "the track number \(number)",
            title: title ?? "a title of some length \(number % 5)",
            code: "code \(number)", length: number % 11)
    }

    private static func makeStore() throws -> Store {
        try Store.inMemory(Track.self, Disc.self)
    }

    private static func isPacked(_ store: Store, _ slot: Int) throws -> Bool {
        let table = try #require(store.context.table(of: Track.self))
        return table.settledPlace(at: Slot(slot))?.isPacked ?? false
    }

    private static func save(_ numbers: Range<Int>, in store: Store) throws {
        try store.write { for number in numbers { try track(number).save(to: &$0) } }
    }

    @Test("Rows that fill leaves in one transaction are kept as bytes, and read as they were saved")
    func packs() throws {
        let store = try Self.makeStore()
        try Self.save(0..<20, in: store)
        #expect(try Self.isPacked(store, 0) && Self.isPacked(store, 15))
        #expect(try !Self.isPacked(store, 16))
        for number in 0..<20 {
            let found: Track? = store.context.find("the track number \(number)")
            #expect(found == Self.track(number))
        }
        let one = Track.filter(\.code == "code 4").resolve(in: store.context)
        #expect(one == [Self.track(4)])
        store.context.checkInvariants()
    }

    @Test("Rows that come one at a time, or are watched, are kept as values")
    func keepsValues() throws {
        let store = try Self.makeStore()
        for number in 0..<16 { try Self.save(number..<number + 1, in: store) }
        #expect(try !Self.isPacked(store, 0) && !Self.isPacked(store, 8))
        let watched = store.results(of: Track.query()).makeAsyncIterator()
        try Self.save(16..<32, in: store)
        #expect(try !Self.isPacked(store, 16) && !Self.isPacked(store, 24))
        withExtendedLifetime(watched) {}
    }

    @Test("A transaction that fails leaves nothing, and the next one is packed as any other")
    func failing() throws {
        let store = try Self.makeStore()
        try Self.save(0..<8, in: store)
        #expect(throws: Stop.self) {
            try store.write { context in
                for number in 8..<40 { try Self.track(number).save(to: &context) }
                throw Stop()
            }
        }
        #expect(Track.query().count(in: store.context) == 8)
        #expect(throws: (any Error).self) {
            try store.write { context in
                for number in 8..<40 { try Self.track(number).save(to: &context) }
                // The code of another.
                try Track(id: "x", title: "", code: "code 1", length: 0).save(to: &context)
            }
        }
        try Self.save(100..<116, in: store)
        #expect(try Self.isPacked(store, 8) && Self.isPacked(store, 16))
        let all = Track.query().resolve(in: store.context).map(\.length)
        #expect(all == (Array(0..<8) + Array(100..<116)).map { $0 % 11 })
        store.context.checkInvariants()
    }

    @Test("A transaction that cannot be encoded leaves nothing to the next one")
    func unencodable() throws {
        let store = try Store.inMemory(Crate.self)
        func save(_ numbers: Range<Int>, last: Int) throws {
            try store.write { context in
                for number in numbers {
                    try Crate(id: number, size: Size(unchecked: number)).save(to: &context)
                }
                try Crate(id: last, size: Size(unchecked: last)).save(to: &context)
            }
        }
        #expect(throws: StoreError.self) { try save(100..<108, last: -1) }
        try save(0..<3, last: 3)
        let crates = Crate.query().resolve(in: store.context)
        #expect(crates.map(\.id) == [0, 1, 2, 3])
        store.context.checkInvariants()
    }

    @Test("A URL with a base stays the value that the index knows")
    func relativeURLs() throws {
        let store = try Store.inMemory(Mark.self)
        let base = try #require(URL(string: "https://example.org/a/"))
        let links = try (0..<8).map { try #require(URL(string: "page \($0)", relativeTo: base)) }
        try store.write { context in
            for (id, link) in links.enumerated() { try Mark(id: id, link: link).save(to: &context) }
        }
        for (id, link) in links.enumerated() {
            #expect(Mark.filter(\.link == link).resolve(in: store.context).map(\.id) == [id])
        }
        store.context.checkInvariants()
    }

    @Test("Rows with ids of other types than text are found, up to the largest that are packed")
    func otherIDs() throws {
        let store = try Store.inMemory(Parcel.self)
        // An id and a length of two bytes beside the text: 4,096 and 4,104 bytes for eight rows.
        for size in [512 - 18, 512 - 17] {
            let parcels = (0..<8).map { _ in
                Parcel(id: UUID(), content: String(repeating: "c", count: size))
            }
            try store.write { context in for parcel in parcels { try parcel.save(to: &context) } }
            let table = try #require(store.context.table(of: Parcel.self))
            let isPacked = try #require(table.place(at: Slot(table.slotCount - 1))).isPacked
            #expect(isPacked == (size == 512 - 18))
            for parcel in parcels {
                #expect(store.context.find(parcel.id) == parcel)
                #expect(store.context.find(UUID()) as Parcel? == nil)
            }
        }
        store.context.checkInvariants()
    }

    @Test("A snapshot keeps its bytes while rows beside are changed, deleted and undone")
    func snapshots() throws {
        let store = try Self.makeStore()
        try Self.save(0..<16, in: store)
        let snapshot = store.context
        let time = Self.track(3).updatedAt(in: snapshot)
        #expect(time != nil)
        try store.write { context in
            try Self.track(3, title: "new").save(to: &context)
            try Track.delete(id: "the track number 4", from: &context)
        }
        #expect(Track.query("the track number 3").resolve(in: store.context)?.title == "new")
        try store.undo()
        for context in [snapshot, store.context] {
            #expect(Track.query().resolve(in: context) == (0..<16).map { Self.track($0) })
            context.checkInvariants()
        }
        #expect(Self.track(3).updatedAt(in: snapshot) == time)
    }

    @Test("A pass over all rows leaves bytes as they are; the second one keeps what it makes")
    func passes() throws {
        let store = try Self.makeStore()
        try Self.save(0..<24, in: store)
        let all = (0..<24).map { Self.track($0) }
        var passed: [Track] = []
        Track.query().forEach(in: store.context) { passed.append($0) }
        #expect(passed == all)
        #expect(try Self.isPacked(store, 0) && Self.isPacked(store, 23))
        #expect(Track.query().resolve(in: store.context) == all)
        #expect(try !Self.isPacked(store, 0) && !Self.isPacked(store, 23))
        #expect(Track.query().resolve(in: store.context) == all)
    }

    @Test("Many rows are copied out by several threads, in their order", arguments: [1, 2, 3])
    func manyRows(pass: Int) throws {
        let store = try Self.makeStore()
        let count = 3 * RowParts.rowCountMin + 5
        try Self.save(0..<count, in: store)
        try store.write { try Track.delete(id: "the track number 9", from: &$0) }
        let expected = (0..<count).filter { $0 != 9 }.map { Self.track($0) }
        for _ in 0..<pass { #expect(Track.query().resolve(in: store.context) == expected) }
    }

    @Test(
        "Whatever comes, goes and fails, a store holds what a dictionary does, also when opened again",
        arguments: TestSize.choose(1...4, nightly: 1...12 as ClosedRange<UInt64>))
    func law(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let place = StoreTests.Place()
        var store = try Store(at: place.url, durability: .none, Track.self, Disc.self)
        var model: [String: Track] = [:]
        var snapshots: [(Context, [String: Track])] = []
        for round in 0..<30 {
            var changed = model
            let fails = Int.random(in: 0..<5, using: &random) == 0
            do {
                try store.write { context in
                    let start = Int.random(in: 0..<150, using: &random)
                    for number in start..<start + Int.random(in: 1...40, using: &random) {
                        try Self.change(number, round, &context, &changed, &random)
                    }
                    if fails { throw Stop() }
                }
                model = changed
            } catch is Stop {}
            switch Int.random(in: 0..<4, using: &random) {
            case 0: snapshots.append((store.context, model))
            case 1:
                try store.close()
                store = try Store(at: place.url, durability: .none, Track.self, Disc.self)
            default: break
            }
            Self.compare(store.context, model, "seed \(seed), round \(round)")
        }
        for (context, model) in snapshots { Self.compare(context, model, "seed \(seed), snapshot") }
        store.context.checkInvariants()
    }

    private static func change(
        _ number: Int, _ round: Int, _ context: inout Context, _ model: inout [String: Track],
        _ random: inout SeededGenerator
    ) throws {
        var track = track(number)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            try Track.delete(id: track.id, from: &context)
            model[track.id] = nil
        case 1:
            track.title = "changed in round \(round)"
            try track.save(to: &context)
            model[track.id] = track
        case 2:
            // Mentions a disc, whose slot comes before its row.
            track.$disc = .id(number % 4)
            try track.save(to: &context)
            track.$disc = .none
            model[track.id] = track
        default:
            try track.save(to: &context)
            model[track.id] = track
        }
    }

    private static func compare(_ context: Context, _ model: [String: Track], _ place: String) {
        var seen = 0
        Track.query().forEach(in: context) { track in
            seen += 1
            #expect(model[track.id] == track, "\(place)")
        }
        #expect(seen == model.count, "\(place)")
        for length in 0..<11 {
            let found = Track.filter(\.length == length).count(in: context)
            #expect(found == model.values.count { $0.length == length }, "\(place)")
        }
        context.checkInvariants()
    }
}
