import Foundation
import Varve

// Later versions of the types of `FormerAlbum`, and what a store of these becomes.

enum LaterAlbum {
    @EntityModel("Picture")
    struct Starred {
        let id: Int
        var caption: String
        var stars: String
        var image: Asset<Data>?
        var place = "nowhere"
        @Relationship(inverse: \.pictures) var album: StarredAlbum?
    }

    @EntityModel("Album")
    struct StarredAlbum {
        let id: String
        @Relationship(inverse: \.album) var pictures: [Starred]?
    }

    @EntityModel("Picture")
    struct Measured {
        let id: Int
        var title: String
        @Relationship(inverse: \.picture) var sheet: Sheet?
    }

    @EntityModel("Sheet")
    struct Sheet {
        let id: Int
        var size: FormerAlbum.Size
        var image: Asset<Data>?
        @Relationship(inverse: \.sheet) var picture: Measured?
    }

    @EntityModel("Picture")
    struct Lone {
        let id: Int
        var title: String
        var albumName = ""
        var image: Asset<Data>?
    }

    @EntityModel("Picture")
    struct Renumbered {
        let id: Int
        var image: Asset<Data>?
        @Relationship(inverse: \.pictures) var album: NumberedAlbum?
    }

    @EntityModel("Album")
    struct NumberedAlbum {
        let id: Int
        var name: String
        @Relationship(inverse: \.album) var pictures: [Renumbered]?
    }

    @EntityModel("Picture")
    struct Untitled {
        let id: Int
        var stars: Int
    }
}

extension ChangeCase {
    /// What becomes of the store of `Fixtures/album`.
    static let ofAlbum = albumValues + albumEntities

    private static let albumValues: [ChangeCase] = [
        .ofAlbum(
            "values", isRefused: true,
            [
                .rename("title", of: "Picture", to: "caption"),
                .convert("stars", of: "Picture", from: Int.self, to: String.self) { "*\($0)" },
                .remove("size", of: "Picture"), .remove("origin", of: "Picture"),
            ],
            [
                "1 t1 *1 300 nowhere s", "2 t2 *20 300 nowhere h", "4 four *4 300 nowhere h",
                "5 t5 *5 0 nowhere h", "deleted 3 t3 *3 300 nowhere s",
            ]
        ) { (picture: LaterAlbum.Starred) in
            "\(picture.id) \(picture.caption) \(picture.stars) \(picture.image?.byteCount ?? 0)"
                + " \(picture.place) \(picture.$album.heldIDs.joined())"
        },
        .ofAlbum(
            "the assets go",
            [.remove("image", of: "Picture"), .remove("title", of: "Picture")],
            gone: "Picture.image", ["1 1", "2 20", "4 4", "5 5", "deleted 3 3"]
        ) { (picture: LaterAlbum.Untitled) in "\(picture.id) \(picture.stars)" },
    ]

    private static let albumEntities: [ChangeCase] = [
        .ofAlbum(
            "split",
            [
                .split("Picture", into: "Sheet", linkedBy: .relation("sheet")) { row in
                    var sheet = SplitEntity()
                    try sheet.take("size", from: row)
                    try sheet.take("image", from: row)
                    return sheet
                }, .remove("size", of: "Picture"), .remove("image", of: "Picture"),
            ], gone: "Picture.size",
            [
                "1 2 300 of [1]", "2 4 300 of [2]", "4 8 300 of [4]", "5 10 0 of [5]",
                "deleted 3 6 300 of [3]",
            ]
        ) { (sheet: LaterAlbum.Sheet) in
            "\(sheet.id) \(sheet.size.height) \(sheet.image?.byteCount ?? 0)"
                + " of \(sheet.$picture.heldIDs)"
        },
        .ofAlbum(
            "join",
            [
                .join("album", of: "Picture") { row, album in
                    try row.set("albumName", to: album["name", as: String.self])
                }, .remove("album", of: "Picture"), .remove(type: "Album"),
            ], gone: "Album",
            [
                "1 t1 Sea 300", "2 t2 Hills 300", "4 four Hills 300", "5 t5 Hills 0",
                "deleted 3 t3 Sea 300",
            ]
        ) { (picture: LaterAlbum.Lone) in
            "\(picture.id) \(picture.title) \(picture.albumName) \(picture.image?.byteCount ?? 0)"
        },
        .ofAlbum(
            "other ids",
            [.newIDs(of: "Album") { row in try row["name", as: String.self].count }],
            ["3 Sea 1", "5 Hills 4,5,2"]
        ) { (album: LaterAlbum.NumberedAlbum) in
            let pictures = album.$pictures.heldIDs.map { "\($0)" }.joined(separator: ",")
            return "\(album.id) \(album.name) \(pictures)"
        },
    ]

    private static func ofAlbum<Entity: EntityModelProtocol>(
        _ way: String, isRefused: Bool = false, _ steps: [MigrationStep], gone: String? = nil,
        _ expected: [String],
        _ text: @escaping @Sendable (Entity) -> String
    ) -> ChangeCase {
        var change = step(
            "an album", way: way, isRefused: isRefused, gone: gone, steps, expected, text)
        change.origin = .album
        return change
    }
}
