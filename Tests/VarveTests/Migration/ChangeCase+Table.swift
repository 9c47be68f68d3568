import Foundation
import Varve

extension ChangeCase {
    static let all = properties + names + values + relations + typesAsAWhole

    private static let properties: [ChangeCase] = [
        .byItself(
            "another order of properties", ["1 n1 10", "2 n2 2", "deleted 3 n3 3"]
        ) { (part: Later.Reordered) in "\(part.id) \(part.name) \(part.count)" },
        .byItself(
            "a new optional property, or one with a default value",
            ["1 - 7", "2 - 7", "deleted 3 - 7"]
        ) { (part: Later.Longer) in "\(part.id) \(part.nickname ?? "-") \(part.weight)" },
        .step(
            "a new property that needs a value", way: "filled", isRefused: true,
            [.fill("mail", of: "Part", with: "none")], ["1 none", "2 none", "deleted 3 none"]
        ) { (part: Later.WithMail) in "\(part.id) \(part.mail)" },
        .step(
            "a new property that needs a value", way: "computed", isRefused: true,
            [.rows(of: "Part") { try $0.set("mail", to: $0["name", as: String.self] + "@x") }],
            ["1 n1@x", "2 n2@x", "deleted 3 n3@x"]
        ) { (part: Later.WithMail) in "\(part.id) \(part.mail)" },
        .byItself(
            "a property is gone",
            ["1 10", "2 2", "deleted 3 3"]
        ) {
            (part: Later.Counted) in "\(part.id) \(part.count)"
        },
        .step(
            "a property of an own struct or enumeration is gone, and has no default value",
            isRefused: true, [.remove("mood", of: "Memo")], ["1"]
        ) { (memo: LaterRelations.BareMemo) in "\(memo.id)" },
        .step(
            "a property shall be gone for good", isRefused: false, gone: "Part.name",
            [.remove("name", of: "Part")],
            ["1 10", "2 2", "deleted 3 3"]
        ) { (part: Later.Counted) in "\(part.id) \(part.count)" },
        .byItself(
            "a wider number; `T` to `T?`; a raw-value type and its raw type",
            ["1 n1 0 low", "2 n2 7 high", "deleted 3 n3 0 high"]
        ) { (part: Later.Wider) in
            "\(part.id) \(part.name ?? "-") \(part.level) \(part.mood)"
        },
        .step(
            "another type of a property", isRefused: true,
            [.convert("count", of: "Part", from: Int.self, to: String.self) { "\($0)!" }],
            ["1 10!", "2 2!", "deleted 3 3!"]
        ) { (part: Later.Spelled) in "\(part.id) \(part.count)" },
        .step(
            "`T?` to `T`", isRefused: true, [.fill("size", of: "Part", with: -1)],
            ["1 -1", "2 20", "deleted 3 -1"]
        ) { (part: Later.Sized) in "\(part.id) \(part.size)" },
        .step(
            "a name that another property had", isRefused: true, [.remove("name", of: "Part")],
            ["1 nil", "2 nil", "deleted 3 nil"]
        ) { (part: Later.Renumbered) in "\(part.id) \(part.name.map { "\($0)" } ?? "nil")" },
        .step(
            "one property becomes several, or several one", isRefused: true,
            [
                .rows(of: "Part") { row in
                    let name = try row["name", as: String.self]
                    try row.set("letter", to: String(name.prefix(1)))
                    try row.set("digits", to: String(name.dropFirst()))
                }, .remove("name", of: "Part"),
            ], ["1 n 1", "2 n 2", "deleted 3 n 3"]
        ) { (part: Later.Split) in "\(part.id) \(part.letter) \(part.digits)" },
    ]

    private static let names: [ChangeCase] = [
        .byItself(
            "another name of a property", way: "in Swift alone", ["1 n1", "2 n2", "deleted 3 n3"]
        ) { (part: Later.Persisted) in "\(part.id) \(part.title)" },
        .step(
            "another name of a property", way: "in the log", isRefused: true,
            [.rename("name", of: "Part", to: "title")], ["1 n1", "2 n2", "deleted 3 n3"]
        ) { (part: Later.Titled) in "\(part.id) \(part.title)" },
        .byItself(
            "another name of a type", way: "in Swift alone", ["1 n1", "2 n2", "deleted 3 n3"]
        ) { (part: Later.Named) in "\(part.id) \(part.name)" },
        .step(
            "another name of a type", way: "in the log", isRefused: false,
            [.rename(type: "Part", to: "Piece")], ["1 n1", "2 n2", "deleted 3 n3"]
        ) { (part: Later.Piece) in "\(part.id) \(part.name)" },
        .step(
            "another name of a relation", isRefused: false,
            [.rename("boxes", of: "Part", to: "cases")],
            ["1 b,a", "2 a", "deleted 3 b"]
        ) { (part: Later.Cased) in "\(part.id) \(part.$cases.heldIDs.joined(separator: ","))" },
    ]

    private static let values: [ChangeCase] = [
        .byItself(
            "an enumeration has a new case",
            ["1 low paused", "2 high done(by: \"me\")", "deleted 3 high open"]
        ) { (part: LaterValues.Tempered) in "\(part.id) \(part.mood) \(part.state)" },
        .byItself(
            "another name of a member of a `@Storable` struct, or of a case",
            ["1 halted -1 1", "2 done(by: \"me\") -2 2", "deleted 3 open -3 3"]
        ) { (part: LaterValues.Renamed) in
            "\(part.id) \(part.state) \(part.place.height) \(part.place.x)"
        },
        .step(
            "a case of an enumeration is gone", isRefused: true,
            [
                .removeCase(
                    "paused", from: "state", of: "Part", replacement: LaterValues.State.open),
                .removeCase("low", from: "mood", of: "Part", replacement: LaterValues.Mood.high),
            ], ["1 high open", "2 high done(by: \"me\")", "deleted 3 high open"]
        ) { (part: LaterValues.Cheerful) in "\(part.id) \(part.mood) \(part.state)" },
        .step(
            "the payload of a case of a `@Storable` enumeration is another", isRefused: true,
            [
                .convert(
                    "state", of: "Part", from: Former.State.self, to: LaterValues.DatedState.self
                ) { state in
                    switch state {
                    case .open: .open
                    case .paused: .paused
                    case .done(let name): .done(by: name, day: 1)
                    }
                }
            ], ["1 paused", "2 done(by: \"me\", day: 1)", "deleted 3 open"]
        ) { (part: LaterValues.Dated) in "\(part.id) \(part.state)" },
        .byItself(
            "a `@Storable` struct has a new member that is optional or has a default value, or its members another order",
            ["1 1 -1 nil 5", "2 2 -2 nil 5", "deleted 3 3 -3 nil 5"]
        ) { (part: LaterValues.Deeper) in
            let depth = part.place.z.map { "\($0)" } ?? "nil"
            return "\(part.id) \(part.place.x) \(part.place.y) \(depth) \(part.place.w)"
        },
        .step(
            "a `@Storable` struct lost a member, or has a new one that needs a value",
            isRefused: true,
            [
                .convert(
                    "place", of: "Part", from: Former.Place.self, to: LaterValues.Point.self
                ) { LaterValues.Point(x: $0.x, height: $0.y * 2) }
            ], ["1 1 -2", "2 2 -4", "deleted 3 3 -6"]
        ) { (part: LaterValues.Pointed) in "\(part.id) \(part.place.x) \(part.place.height)" },
        .byItself(
            "a `Codable` struct has a new member", way: "read where it is there",
            ["1 t1 1 0", "2 t2 2 0", "deleted 3 t3 3 0"]
        ) { (part: LaterValues.Tagged) in
            "\(part.id) \(part.note.text) \(part.note.size) \(part.note.tags?.count ?? 0)"
        },
        .step(
            "a `Codable` struct has a new member", way: "converted", isRefused: true,
            [
                .convert(
                    "note", of: "Part", from: Former.Note.self, to: LaterValues.MarkedNote.self
                ) { LaterValues.MarkedNote(text: $0.text, mark: $0.size + 1) }
            ], ["1 t1 2", "2 t2 3", "deleted 3 t3 4"]
        ) { (part: LaterValues.Marked) in "\(part.id) \(part.note.text) \(part.note.mark)" },
        .byItself("a `Codable` struct lost a member", ["1 t1", "2 t2", "deleted 3 t3"]) {
            (part: LaterValues.Short) in "\(part.id) \(part.note.text)"
        },
    ]

    private static let relations: [ChangeCase] = [
        .byItself("a to-one relation becomes to-many", ["1 a", "2 ", "deleted 3 "]) {
            (part: LaterRelations.ManyOwners) in
            "\(part.id) \(part.$owner.heldIDs.joined(separator: ","))"
        },
        .step(
            "a to-many relation becomes to-one", isRefused: true,
            [.toOne("boxes", of: "Part", keeping: .first)], ["1 b", "2 a", "deleted 3 b"]
        ) { (part: LaterRelations.OneBox) in
            "\(part.id) \(part.$boxes.heldIDs.joined(separator: ","))"
        },
        .byItself(
            "a relation gets another side", ["a of 1", "b of "]
        ) { (box: LaterRelations.OwningBox) in
            "\(box.id) of \(box.$owned.heldIDs.map { "\($0)" }.joined(separator: ","))"
        },
        .step(
            "a relation is gone for good", isRefused: false, gone: "Part.boxes",
            [.remove("boxes", of: "Part")],
            ["1 10", "2 2", "deleted 3 3"]
        ) { (part: Later.Counted) in "\(part.id) \(part.count)" },
    ]

    private static let typesAsAWhole: [ChangeCase] = [
        .byItself("a type is not named any more", ["a l", "b l"]) {
            (box: LaterRelations.PlainBox) in "\(box.id) \(box.label)"
        },
        .step(
            "a type is gone for good", isRefused: false, gone: "Memo", [.remove(type: "Memo")],
            ["1 n1", "2 n2", "deleted 3 n3"]
        ) { (part: Later.Named) in "\(part.id) \(part.name)" },
        .step(
            "other ids of entities, also of another type", isRefused: true,
            [.newIDs(of: "Part") { row in "p\(try row.id(as: Int.self))" }],
            ["p1 n1 b,a", "p2 n2 a", "deleted p3 n3 b"]
        ) { (part: LaterEntities.Component) in
            "\(part.id) \(part.name) \(part.$boxes.heldIDs.joined(separator: ","))"
        },
        .step(
            "another target of a relation", isRefused: true, [.remove("owner", of: "Part")],
            ["1 []", "2 []", "deleted 3 []"]
        ) { (part: LaterEntities.Misled) in "\(part.id) \(part.$owner.heldIDs)" },
        ChangeCase(
            row: "one type becomes several",
            migrations: [
                Migration(
                    "change",
                    .split("Part", into: "Stock", linkedBy: .relation("stock")) { row in
                        var stock = SplitEntity()
                        try stock.take("count", from: row)
                        return stock
                    }, .remove("count", of: "Part"))
            ], types: [LaterEntities.Stocked.self, LaterEntities.Stock.self],
            describe: { context in
                description { (part: LaterEntities.Stocked) in
                    "\(part.id) \(part.name) \(part.$stock.heldIDs)"
                }(context)
                    + description { (stock: LaterEntities.Stock) in
                        "\(stock.id) \(stock.count)"
                    }(context)
            },
            expected: [
                "1 n1 [1]", "2 n2 [2]", "deleted 3 n3 [3]", "1 10", "2 2", "deleted 3 3",
            ],
            gone: "Part.count"),
        .step(
            "several types become one", isRefused: false, gone: "Part.owner",
            [
                .join("owner", of: "Part") { row, box in
                    try row.set("label", to: box["label", as: String.self])
                }, .remove("owner", of: "Part"),
            ], ["1 l", "2 -", "deleted 3 -"]
        ) { (part: LaterEntities.Labelled) in "\(part.id) \(part.label)" },
    ]
}
