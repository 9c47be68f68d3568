import Foundation
import Testing
import Varve

/// The first version of a small app that shows pictures, and the program that has written `Fixtures/album`.
enum FormerAlbum {
    @Storable struct Size: Equatable {
        var width: Int
        var height: Int
    }

    @Storable enum Origin: Equatable { case scanned, taken(camera: String) }

    @EntityModel("Picture")
    struct Picture {
        let id: Int
        var title: String
        var stars = 0
        var size: Size = Size(width: 0, height: 0)
        var origin: Origin = .scanned
        var image: Asset<Data>?
        @Relationship(inverse: \.pictures) var album: Album?
    }

    @EntityModel("Album")
    struct Album {
        let id: String
        var name: String
        @Relationship(inverse: \.album) var pictures: [Picture]?
    }

    static let types: [any EntityModelProtocol.Type] = [Picture.self, Album.self]

    static func content(_ number: Int) -> Data {
        Data((0..<300).map { UInt8(truncatingIfNeeded: $0 &* number) })
    }

    /// Seven transactions. The checkpoint is behind the third, the last one undoes the sixth.
    static func write(in store: Store) throws {
        try store.write("Add albums") { context in
            try Album(id: "s", name: "Sea").save(to: &context)
            try Album(id: "h", name: "Hills").save(to: &context)
        }
        try store.write("Add pictures") { context in
            for id in 1...5 {
                var picture = Picture(
                    id: id, title: "t\(id)", stars: id, size: Size(width: id, height: 2 * id),
                    origin: id.isMultiple(of: 2) ? .scanned : .taken(camera: "c\(id)"),
                    image: id == 5 ? nil : try Asset(content(id), pathExtension: "png", in: store))
                picture.$album = .id(id < 4 ? "s" : "h")
                try picture.save(to: &context)
            }
        }
        try store.write("Delete") { try Picture.delete(id: 3, from: &$0) }
        try store.compact(retaining: .everything)
        try store.write("Move") { context in
            var second = try Picture.require(2, in: context)
            second.$album = .id("h")
            second.stars = 20
            try second.save(to: &context)
        }
        try store.write("Title") { context in
            _ = try Picture.query(4).update(in: &context) { $0.title = "four" }
        }
        try store.write("Title again") { context in
            _ = try Picture.query(1).update(in: &context) { $0.title = "one" }
        }
        try store.undo()
    }

    static func expectImages(in store: Store) throws {
        for id in [1, 2, 4] {
            let picture = try Picture.require(id, in: store.context)
            #expect(try picture.image?.data(in: store) == content(id))
        }
    }

    /// Everything that a context shows, but for times.
    static func describe(_ context: Context) -> [String] {
        func text(_ picture: Picture) -> String {
            "\(picture.id) \(picture.title) \(picture.stars) \(picture.size) \(picture.origin)"
                + " \(picture.image?.byteCount ?? -1) \(picture.$album.heldIDs)"
        }
        let pictures = Picture.query().id(\.$album).resolve(in: context).map(text)
        let albums = Album.query().id(\.$pictures).resolve(in: context).map {
            "\($0.id) \($0.name) \($0.$pictures.heldIDs)"
        }
        let deleted = Deleted<Picture>.query().resolve(in: context).map { text($0.entity) }
        return pictures + albums + deleted
    }
}

/// Writes `Fixtures/album`: once, by the build from before a change of the format.
@Suite("The program that writes the store of an album")
struct AlbumWriting {
    private static let path = ProcessInfo.processInfo.environment["VARVE_WRITE_ALBUM"]

    @Test("It is written where the environment says so", .enabled(if: path != nil))
    func write() throws {
        let store = try Store(
            at: URL(filePath: try #require(Self.path)), retention: .everything,
            compactsAutomatically: false, types: FormerAlbum.types)
        try FormerAlbum.write(in: store)
        try store.close()
    }
}
