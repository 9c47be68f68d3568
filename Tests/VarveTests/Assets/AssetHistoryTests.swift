import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

@Suite("Assets through history, drafts and feeds", .timeLimit(.minutes(5)))
struct AssetHistoryTests {
    private let disk = SimulatedDisk()
    private let store: Store

    /// Transactions 1 to 3: photo 1 with the contents 1, 2 and 3; photo 2 with the content 10 since the second.
    init() throws {
        store = try openPhotos(disk)
        for number in 1...3 {
            try store.write("set \(number)") { [store] context in
                try Photo(id: "1", image: Asset(bytes(number), in: store)).save(to: &context)
                guard number == 2 else { return }
                try Photo(id: "2", pages: [Asset(bytes(10), in: store)]).save(to: &context)
            }
        }
    }

    private func image(_ id: String = "1", _ context: Context? = nil) throws -> Data? {
        try data(Photo.query(id).resolve(in: context ?? store.context))
    }

    private func data(_ photo: Photo?) throws -> Data? { try photo?.image?.data(in: store) }

    private func save(_ number: Int, id: String = "1", to context: inout Context) throws {
        try Photo(id: id, image: Asset(bytes(number), in: store)).save(to: &context)
    }

    // MARK: Differences and the past

    @Test("A difference has the assets of both sides, whose contents are read, either way round")
    func differences() throws {
        let diff = try store.diff(from: .transaction(1), to: .transaction(3))
        let changes = try diff.changes(of: Photo.self)
        #expect(changes.map(\.id) == ["1", "2"])
        #expect(changes.map(\.changedProperties).first == ["image"])
        #expect(try data(changes[0].before) == bytes(1) && data(changes[0].after) == bytes(3))
        #expect(changes[1].before == nil)
        #expect(try changes[1].after?.pages.first?.data(in: store) == bytes(10))
        let field = try #require(diff.changes.first?.fields.first)
        let digests = try (1...3).map { try Asset(bytes($0), in: store).digest.description }
        #expect(field.before?.contains(digests[0]) == true)
        #expect(field.after?.contains(digests[2]) == true)
        let back = try store.diff(from: .transaction(3), to: .transaction(1))
        let first = try #require(try back.changes(of: Photo.self).first)
        #expect(try data(first.before) == bytes(3) && data(first.after) == bytes(1))
        // Another kind of content is another asset, although the file is the same.
        try store.write { context in
            let image = try Asset(bytes(3), pathExtension: "jpg", in: store)
            try Photo(id: "1", image: image).save(to: &context)
        }
        #expect(try store.diff(from: .transaction(3), to: .transaction(4)).changes.count == 1)
    }

    @Test("A preview shows a new asset, and leaves nothing behind a compaction")
    func preview() throws {
        do {
            let diff = try store.preview { try save(7, to: &$0) }
            let change = try #require(try diff.changes(of: Photo.self).first)
            #expect(try data(change.before) == bytes(3) && data(change.after) == bytes(7))
        }
        #expect(try store.compact().assetsDropped == 1)
        #expect(try image() == bytes(3))
    }

    @Test(
        "A rewind brings contents back, and the way there can be undone", arguments: [false, true])
    func rewinding(isCompacted: Bool) throws {
        try store.setSavepoint("two")
        try store.write { context in
            try save(4, to: &context)
            try Photo.delete(id: "2", from: &context)
        }
        if isCompacted { try store.compact() }
        try store.rewind(to: .savepoint("two"))
        #expect(try image() == bytes(3))
        let page = try Photo.require("2", in: store.context).pages.first
        #expect(try page?.data(in: store) == bytes(10))
        try store.rewind(to: .transaction(1))
        #expect(try image() == bytes(1) && Photo.query("2").resolve(in: store.context) == nil)
        if isCompacted { try store.compact() }
        try store.undo()
        try store.undo()
        #expect(try image() == bytes(4))
    }

    @Test("Reverting one transaction of several brings back the content before it alone")
    func reverting() throws {
        try store.write { try save(11, id: "3", to: &$0) }
        try store.write { try save(12, id: "3", to: &$0) }
        let transaction = store.lastTransaction
        try store.write { try save(4, to: &$0) }
        try store.revert(transaction)
        #expect(try image("3") == bytes(11) && image() == bytes(4))
        try store.compact()
        try store.undo()
        #expect(try image("3") == bytes(12))
        // The newest content of the photo would be lost.
        #expect(throws: StoreError.self) { try store.revert(2) }
        #expect(try image() == bytes(4))
    }

    // MARK: Deletions

    @Test(
        "A deleted entity is restored with its contents, also where the history before is gone",
        arguments: [false, true])
    func restoring(isForgotten: Bool) throws {
        try store.write { context in
            try Photo.delete(id: "1", from: &context)
            try Photo.delete(id: "2", from: &context)
        }
        if isForgotten {
            try store.compact(retaining: .newestState)
            #expect(disk.assetNames.count == 2)
        }
        #expect(try store.restore(Photo.self, id: "1")?.transaction != nil)
        #expect(try image() == bytes(3) && Photo.query("2").resolve(in: store.context) == nil)
        try store.restore(Photo.self, id: "2")
        let page = try Photo.require("2", in: store.context).pages.first
        #expect(try page?.data(in: store) == bytes(10))
        try store.compact(retaining: .newestState)
        #expect(try image() == bytes(3) && page?.data(in: store) == bytes(10))
    }

    @Test("A deletion is restored as a whole, with the contents of what it took along")
    func restoringDeletion() throws {
        let album = try Store(
            in: SimulatedDisk(), environment: SimulatedEnvironment(seed: 1), mode: .readWrite,
            durability: .commit, retention: .everything, compactsAutomatically: false,
            types: [PhotoAlbum.self, AlbumPhoto.self])
        try album.write { context in
            let pictures = try (1...2).map {
                AlbumPhoto(id: $0, image: try Asset(bytes($0), in: album))
            }
            try PhotoAlbum(id: 1, pictures: .relation(pictures)).save(to: &context)
        }
        try album.write { try PhotoAlbum.delete(id: 1, from: &$0) }
        #expect(album.context.count(AlbumPhoto.self) == 0)
        try album.compact()
        #expect(try album.restoreDeletion(of: PhotoAlbum.self, id: 1) != nil)
        for id in 1...2 {
            let picture = try AlbumPhoto.require(id, in: album.context)
            #expect(try picture.image.data(in: album) == bytes(id))
        }
        #expect(
            PhotoAlbum.query(1).id(\.$pictures).resolve(in: album.context)?.$pictures.ids == [1, 2])
    }

    @Test("What is restored although its file is lost is refused, and names the asset")
    func restoringWithoutFile() throws {
        try store.write { try Photo.delete(id: "1", from: &$0) }
        let digest = try Asset(bytes(3), in: store).digest
        let name = digest.description
        try disk.subdirectoryDisk("assets", String(name.prefix(2)))
            .remove(String(name.dropFirst(2)))
        let last = store.lastTransaction
        let error = #expect(throws: StoreError.self) { try store.restore(Photo.self, id: "1") }
        guard case .asset(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.digest == digest && failure.property == "image" && failure.id == "\"1\"")
        #expect(store.lastTransaction == last)
        // Made again, it is there.
        _ = try Asset(bytes(3), in: store)
        try store.restore(Photo.self, id: "1")
        #expect(try image() == bytes(3))
    }

    // MARK: Drafts

    @Test("A draft keeps its assets over compactions until it is committed")
    func drafts() throws {
        let draft = store.draft("Edit")
        try draft.edit { try save(7, to: &$0) }
        let child = draft.draft()
        try child.edit { try save(8, id: "3", to: &$0) }
        try store.compact(retaining: .newestState)
        #expect(try image("1", draft.context) == bytes(7))
        #expect(try image("3", child.context) == bytes(8))
        #expect(try image() == bytes(3))
        let change = try #require(try draft.changes.changes(of: Photo.self).first)
        #expect(try data(change.before) == bytes(3) && data(change.after) == bytes(7))
        try child.commit()
        try store.compact(retaining: .newestState)
        try draft.commit()
        #expect(try image() == bytes(7) && image("3") == bytes(8))
        try store.undo()
        #expect(try image() == bytes(3))
    }

    @Test("The assets of a draft that is reverted or goes are collected")
    func droppedDrafts() throws {
        let before = disk.assetNames
        do {
            let (dropped, reverted) = (store.draft(), store.draft())
            try dropped.edit { try save(7, to: &$0) }
            try reverted.edit { try save(8, to: &$0) }
            try reverted.revert()
            #expect(disk.assetNames.count == before.count + 2)
            #expect(try store.compact().assetsDropped == 1)
            #expect(try image("1", dropped.context) == bytes(7))
        }
        #expect(try store.compact().assetsDropped == 1)
        #expect(disk.assetNames == before)
    }

    @Test("Where a draft and others replaced one asset, the choice decides whose content stays")
    func conflicts() throws {
        for (choice, number) in [(DraftChoice.keepMine, 7), (.takeTheirs, 8)] {
            let draft = store.draft()
            try draft.edit { try save(7, to: &$0) }
            try store.write { try save(8, to: &$0) }
            let conflict = try #require(try draft.conflicts().first)
            #expect(conflict.kind == .property("image"))
            let sides = try [conflict.mine, conflict.theirs].map {
                try $0.value(as: Asset<Data>?.self)??.data(in: store)
            }
            #expect(sides == [bytes(7), bytes(8)])
            try draft.rebase(choice)
            try draft.commit()
            #expect(try image() == bytes(number))
            try store.write { try save(3, to: &$0) }
        }
    }

    // MARK: The change feed

    @Test("The change feed brings assets whose contents of then are read")
    func feed() async throws {
        try delete("1")
        var feed = store.changes().makeAsyncIterator()
        var contents: [Data?] = []
        for _ in 1...4 {
            guard case .transaction(let change) = try #require(try await feed.next()) else {
                Issue.record("no transaction")
                return
            }
            for change in try change.changes(of: Photo.self) where change.id == "1" {
                switch change {
                case .inserted(let photo), .deleted(let photo): contents.append(try data(photo))
                case .updated(let update):
                    contents.append(try data(of: update.old(\.image) ?? nil))
                    contents.append(try data(of: update.new(\.image) ?? nil))
                default: Issue.record("\(change)")
                }
            }
        }
        #expect(contents == [1, 1, 2, 2, 3, 3].map { bytes($0) })
    }

    /// From where `await` is possible.
    private func data(of asset: Asset<Data>?) throws -> Data? { try asset?.data(in: store) }

    private func delete(_ id: String) throws {
        try store.write { try Photo.delete(id: id, from: &$0) }
    }
}

@EntityModel
private struct PhotoAlbum {
    let id: Int
    @Relationship(deleteRule: .cascade, inverse: \.album) var pictures: [AlbumPhoto]?
}

@EntityModel
private struct AlbumPhoto {
    let id: Int
    var image: Asset<Data>
    @Relationship(inverse: \.pictures) var album: PhotoAlbum?
}
