import Testing
import Varve
import VarveTestSupport

@EntityModel
private struct Playlist: Equatable {
    let id: Int
    @Relationship(inverse: \.playlist) var tracks: [Track]?
}

@EntityModel
private struct Track: Equatable {
    let id: Int
    var title: String
    @Relationship(inverse: \.tracks) var playlist: Playlist?
}

@Suite("What a change of a long list costs")
struct ListCostTests {
    /// Gets the length of the list, too.
    private typealias Change = @Sendable (Playlist, Int, inout Context) throws -> Void

    private static let changes: [(name: String, change: Change)] = [
        ("move", { try $0.move(\.$tracks, from: 7, to: 60, in: &$2) }),
        ("far move", { try $0.move(\.$tracks, from: 10, to: $1 / 10 * 9, in: &$2) }),
        ("far move back", { try $0.move(\.$tracks, from: $1 / 10 * 9, to: 10, in: &$2) }),
        (
            "far move of several",
            { try $0.move(\.$tracks, fromOffsets: [1, $1 / 2], toOffset: $1 / 10 * 9, in: &$2) }
        ),
        (
            "move of several",
            { try $0.move(\.$tracks, fromOffsets: [1, 5], toOffset: 50, in: &$2) }
        ),
        ("insert", { try $0.insert([1_000_000], at: 30, relation: \.$tracks, in: &$2) }),
        ("detach", { try $0.detach(\.$tracks, at: 40, in: &$2) }),
        (
            "save with all ids, one moved",
            { playlist, _, context in
                let tracks = Playlist.query(playlist.id).id(\.$tracks).resolve(in: context)
                var ids = tracks?.$tracks.ids ?? []
                ids.insert(ids.remove(at: 9), at: 20)
                try Playlist(id: playlist.id, tracks: .ids(ids)).save(to: &context)
            }
        ),
    ]

    /// The bytes that a change of a list of this length adds to the log, before compression.
    private func logged(_ length: Int, _ change: Change) throws -> Int {
        let store = try Store.inMemory(compactsAutomatically: false, Playlist.self)
        let playlist = Playlist(id: 1)
        try store.write { context in
            try Track(id: 1_000_000, title: "spare").save(to: &context)
            let tracks = (0..<length).map { Track(id: $0, title: "track \($0)") }
            try Playlist(id: 1, tracks: .relation(tracks)).save(to: &context)
        }
        let before = store.statistics.log.rawBytes.rawValue
        let report = try store.writeReporting { try change(playlist, length, &$0) }
        let transaction = try #require(report.transaction)
        #expect(try transaction.changes(of: Playlist.self).count == 1)
        #expect(try transaction.changes(of: Track.self).count <= 1, "moved tracks are not changed")
        store.context.checkInvariants()
        return Int(store.statistics.log.rawBytes.rawValue - before)
    }

    @Test("The log keeps what moved: in a list a hundred times as long hardly a byte more")
    func bytes() throws {
        for (name, change) in Self.changes {
            let (short, long) = (try logged(100, change), try logged(10_000, change))
            #expect(long <= short + 16, "\(name): \(short) and \(long) bytes")
        }
    }

    @Test(
        "Moves over many leaves are undone, redone and read again as they were made",
        arguments: 1...3 as ClosedRange<UInt64>)
    func farMoves(seed: UInt64) throws {
        let length = 3_000
        let place = StoreTests.Place()
        var store = try Store(at: place.url, durability: .none, Playlist.self)
        func tracks() -> [Int] {
            Playlist.query(1).related(\.$tracks).resolve(in: store.context).map(\.id)
        }
        try store.write { context in
            let tracks = (0..<length).map { Track(id: $0, title: "track \($0)") }
            try Playlist(id: 1, tracks: .relation(tracks)).save(to: &context)
        }
        var random = SeededGenerator(seed: seed)
        var expected = [tracks()]
        for round in 0..<30 {
            var list = expected[round]
            try store.write("Move") { context in
                for _ in 0..<[1, 2, 8][round % 3] {
                    let source = Int.random(in: 0..<length, using: &random)
                    let target = Int.random(in: 0..<length, using: &random)
                    list.insert(list.remove(at: source), at: target)
                    try Playlist(id: 1).move(\.$tracks, from: source, to: target, in: &context)
                }
            }
            expected.append(list)
            #expect(tracks() == list, "seed \(seed), round \(round)")
        }
        try store.close()
        store = try Store(at: place.url, durability: .none, Playlist.self)
        for list in expected.dropLast().reversed() {
            try store.undo()
            #expect(tracks() == list, "seed \(seed), undone")
        }
        for list in expected.dropFirst() {
            try store.redo()
            #expect(tracks() == list, "seed \(seed), redone")
        }
        store.context.checkInvariants()
        try store.close()
        store = try Store(at: place.url, durability: .none, Playlist.self)
        #expect(tracks() == expected.last)
    }
}
