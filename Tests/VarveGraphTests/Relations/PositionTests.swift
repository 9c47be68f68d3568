import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Positions in to-many relations")
struct PositionTests {
    @EntityModel
    struct Album {
        let id: Int
        @Relationship(inverse: \.albums) var songs: [Song]?
        @Relationship var bonus: [Song]? = nil
        @Relationship(inverse: \.similar) var similar: [Album]?
    }

    @EntityModel
    struct Song {
        let id: Int
        var title = ""
        @Relationship(inverse: \.songs) var albums: [Album]?
    }

    /// An album with as many songs, from 0 on.
    private func context(songs count: Int) throws -> (Context, Album) {
        var context = Context()
        let songs = (0..<count).map { Song(id: $0, title: "\(100 - $0)") }
        try Album(id: 1, songs: .relation(songs), bonus: .ids(Array(0..<count)))
            .save(to: &context)
        return (context, Album(id: 1))
    }

    private func order(_ context: Context) -> [Int] {
        Album.query(1).related(\.$songs).resolve(in: context).map(\.id)
    }

    @Test("A move puts one entity at the position that was asked for")
    func moves() throws {
        for count in [1, 2, 5, 9] {
            for source in 0..<count {
                for destination in 0..<count {
                    var (context, album) = try context(songs: count)
                    try album.move(\.$songs, from: source, to: destination, in: &context)
                    var expected = Array(0..<count)
                    expected.insert(expected.remove(at: source), at: destination)
                    #expect(order(context) == expected)
                    context.checkInvariants()
                }
            }
        }
    }

    @Test("Several entities move before an offset, as a list of SwiftUI hands them over")
    func movesOffsets() throws {
        let count = 5
        for bits in 0..<1 << count {
            for offset in 0...count {
                var (context, album) = try context(songs: count)
                let sources = (0..<count).filter { bits & 1 << $0 != 0 }
                try album.move(\.$songs, fromOffsets: sources, toOffset: offset, in: &context)
                let moved = sources
                let expected =
                    (0..<offset).filter { !moved.contains($0) } + moved
                    + (offset..<count).filter { !moved.contains($0) }
                #expect(order(context) == expected)
            }
        }
    }

    @Test("An inserted entity is saved, linked on both sides and at its position")
    func inserts() throws {
        for position in 0...3 {
            var (context, album) = try context(songs: 3)
            try album.insert(
                Song(id: 9, title: "new"), at: position, relation: \.$songs, in: &context)
            var expected = [0, 1, 2]
            expected.insert(9, at: position)
            #expect(order(context) == expected)
            #expect((context.find(9) as Song?)?.title == "new")
            #expect(Song.query(9).related(\.$albums).resolve(in: context).map(\.id) == [1])
            context.checkInvariants()
        }
    }

    @Test("Ids that are linked already move, and the others are linked from the position on")
    func insertsIDs() throws {
        var (context, album) = try context(songs: 4)
        try Song(id: 9).save(to: &context)
        try album.insert([3, 9, 1], at: 1, relation: \.$songs, in: &context)
        #expect(order(context) == [0, 3, 9, 1, 2])
        try album.insert([], at: 0, relation: \.$songs, in: &context)
        #expect(order(context) == [0, 3, 9, 1, 2])
        try album.insert([0], at: 5, relation: \.$songs, in: &context)
        #expect(order(context) == [3, 9, 1, 2, 0])
        try album.insert([0], at: 0, relation: \.$songs, in: &context)
        #expect(order(context) == [0, 3, 9, 1, 2])
        context.checkInvariants()
    }

    @Test("A relation that is its own inverse keeps both sides in step")
    func insertsIntoItself() throws {
        var context = Context()
        for id in 1...4 { try Album(id: id).save(to: &context) }
        let album = Album(id: 1)
        try album.insert([2, 3], at: 0, relation: \.$similar, in: &context)
        try album.insert([1, 4], at: 1, relation: \.$similar, in: &context)
        #expect(Album.query(1).related(\.$similar).resolve(in: context).map(\.id) == [2, 1, 4, 3])
        #expect(Album.query(4).related(\.$similar).resolve(in: context).map(\.id) == [1])
        try album.detach(\.$similar, at: 2, in: &context)
        #expect(Album.query(1).related(\.$similar).resolve(in: context).map(\.id) == [2, 1, 3])
        #expect(Album.query(4).related(\.$similar).resolve(in: context).isEmpty)
        context.checkInvariants()
    }

    @Test("Detaching a position unlinks both sides and keeps the entity")
    func detaches() throws {
        var (context, album) = try context(songs: 3)
        try album.detach(\.$songs, at: 1, in: &context)
        #expect(order(context) == [0, 2])
        #expect(Song.query(1).related(\.$albums).resolve(in: context).isEmpty)
        #expect((context.find(1) as Song?) != nil)
        context.checkInvariants()
    }

    @Test("Positions leave out links to entities that are not there")
    func positionsOfLiveEntities() throws {
        var (context, album) = try context(songs: 5)
        try Song.delete(id: 1, from: &context)
        // The one-way relation keeps the link to the song that is gone.
        try album.move(\.$bonus, from: 1, to: 3, in: &context)
        try album.insert([4], at: 1, relation: \.$bonus, in: &context)
        #expect(Album.query(1).related(\.$bonus).resolve(in: context).map(\.id) == [0, 4, 3, 2])
        try Song(id: 1).save(to: &context)
        #expect(
            Set(Album.query(1).related(\.$bonus).resolve(in: context).map(\.id)) == [0, 1, 2, 3, 4])
        context.checkInvariants()
    }

    @Test("A list of an entity that the context does not know is an error, and nothing changes")
    func unknownEntities() throws {
        var context = Context()
        let error = ContextError.noSuchEntity(type: "Album", id: "8")
        #expect(throws: error) {
            try Album(id: 8).move(\.$songs, from: 0, to: 1, in: &context)
        }
        #expect(throws: error) { try Album(id: 8).detach(\.$songs, at: 0, in: &context) }
        #expect(throws: error) { try Album(id: 8).sort(\.$songs, by: \.title, in: &context) }
    }

    @Test("Sorting orders a list once, and equal entities keep their order")
    func sorts() throws {
        var (context, album) = try context(songs: 12)
        try album.sort(\.$songs, by: \.title, in: &context)
        let sorted = (0..<12).sorted { "\(100 - $0)" < "\(100 - $1)" }
        #expect(order(context) == sorted)
        try album.sort(\.$songs, in: &context) { $0.id / 4 > $1.id / 4 }
        #expect(
            order(context) == sorted.filter { $0 / 4 == 2 } + sorted.filter { $0 / 4 == 1 }
                + sorted.filter { $0 / 4 == 0 })
        context.checkInvariants()
    }

    @Test("Random changes by position give what an array gives", arguments: UInt64(1)...20)
    func agreesWithAnArray(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var (context, album) = try context(songs: 300)
        var expected = Array(0..<300)
        for step in 0..<200 {
            let source = Int.random(in: expected.indices, using: &random)
            let target = Int.random(in: expected.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where expected.count > 2:
                try album.detach(\.$songs, at: source, in: &context)
                expected.remove(at: source)
            case 1:
                try album.insert(
                    Song(id: 1_000 + step), at: target, relation: \.$songs, in: &context)
                expected.insert(1_000 + step, at: target)
            default:
                try album.move(\.$songs, from: source, to: target, in: &context)
                expected.insert(expected.remove(at: source), at: target)
            }
        }
        #expect(order(context) == expected)
        context.checkInvariants()
    }
}
