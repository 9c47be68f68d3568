import Foundation
import Testing
import Varve
import VarveTestSupport

/// A store of an earlier build that has a checkpoint and assets, and the present build.
@Suite("The store of an album")
struct AlbumMigrationTests {
    private func open(_ place: StoreTests.Place, _ way: String? = nil) throws -> Store {
        let change = ChangeCase.ofAlbum.first { $0.way == way }
        return try Store(
            at: place.url, retention: .everything, compactsAutomatically: false,
            migrations: change?.migrations ?? [], migrating: MigrationOptions(backup: .none),
            types: change?.types ?? FormerAlbum.types)
    }

    @Test("It holds what the program writes with today's build, in every state")
    func golden() throws {
        let (place, other) = (try EarlierStore.album.copy(), StoreTests.Place())
        let (earlier, today) = (try open(place), try open(other))
        try FormerAlbum.write(in: today)
        #expect(earlier.lastTransaction == today.lastTransaction)
        #expect(earlier.lastTransaction == EarlierStore.album.last)
        #expect(earlier.recovery.checkpoint > .none)
        for transaction in 0...EarlierStore.album.last.rawValue {
            let point = HistoryPoint.transaction(TransactionID(transaction))
            #expect(
                FormerAlbum.describe(try earlier.context(asOf: point))
                    == FormerAlbum.describe(try today.context(asOf: point)), "\(transaction)")
        }
        try FormerAlbum.expectImages(in: earlier)
        try earlier.redo()
        #expect(try FormerAlbum.Picture.require(1, in: earlier.context).title == "one")
    }

    @Test("Steps from before a migration are undone behind it, on both sides of the checkpoint")
    func undo() throws {
        let place = try EarlierStore.album.copy()
        let store = try open(place, "values")
        let migrated = store.context
        typealias Picture = LaterAlbum.Starred
        #expect(try store.undo().label == "Title")
        #expect(try Picture.require(4, in: store.context).caption == "t4")
        #expect(try store.undo().label == "Move")
        let moved = try #require(Picture.query(2).with(.ids).resolve(in: store.context))
        #expect(moved.stars == "*2" && moved.$album.heldIDs == ["s"])
        #expect(try store.undo().label == "Delete")
        #expect(Picture.query(3).resolve(in: store.context)?.stars == "*3")
        for _ in 0..<3 { try store.redo() }
        let describe = try #require(ChangeCase.ofAlbum.first).describe
        #expect(describe(store.context) == describe(migrated))
        let image = try Picture.require(1, in: store.context).image
        #expect(try image?.data(in: store) == FormerAlbum.content(1))
    }

    @Test(
        "Each state from before a migration is shown behind it, and its assets stay as long as it does",
        arguments: ChangeCase.ofAlbum.map(\.way))
    func past(way: String) throws {
        let place = try EarlierStore.album.copy()
        let store = try open(place, way)
        let change = try #require(ChangeCase.ofAlbum.first { $0.way == way })
        func states() throws -> [[String]] {
            try (0...EarlierStore.album.last.rawValue).map {
                change.describe(try store.context(asOf: .transaction(TransactionID($0))))
            }
        }
        let before = try states()
        #expect(before[0].isEmpty && before[2] != before[3])
        #expect(before.last == change.expected)
        #expect(try store.compact().assetsDropped == 0)
        #expect(try states() == before)
        let dropped = try store.compact(retaining: .newestState, for: .size).assetsDropped
        #expect(dropped == (way == "the assets go" ? 4 : 0))
    }
}
