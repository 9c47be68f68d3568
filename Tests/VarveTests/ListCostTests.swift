import Testing
import Varve

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
    private typealias Change = @Sendable (Playlist, inout Context) throws -> Void

    private static let changes: [(name: String, change: Change)] = [
        ("move", { try $0.move(\.$tracks, from: 7, to: 60, in: &$1) }),
        (
            "move of several",
            { try $0.move(\.$tracks, fromOffsets: [1, 5], toOffset: 50, in: &$1) }
        ),
        ("insert", { try $0.insert([1_000_000], at: 30, relation: \.$tracks, in: &$1) }),
        ("detach", { try $0.detach(\.$tracks, at: 40, in: &$1) }),
        (
            "save with all ids, one moved",
            { playlist, context in
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
        let report = try store.writeReporting { try change(playlist, &$0) }
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
}
