import Varve
import VarveGraph

// One app and what may become of its types. Each version keeps the names of the types, and each opens what the first one
// has written.

/// A version of the app, and what it shows in words that all versions share.
protocol ItemApp {
    associatedtype Item: EntityModelProtocol where Item.ID == Int
    associatedtype Owner: EntityModelProtocol where Owner.ID == String

    /// The properties of an item.
    static func words(_ item: Item) -> String
    /// Items with the ids of their owners and friends, and owners with the ids of their items.
    static func linked(_ context: Context) -> [String]
    /// What of the first version's words this one says as well.
    static func seen(_ words: String) -> String
    /// Whether the first version opens what this one has written.
    static var isReadByFirst: Bool { get }
    /// Properties that the first version has written and this one does not know.
    static var unknownNames: Set<String> { get }
    /// What this version writes that the first one does not know, as its conflicts say it.
    static var namesUnknownToFirst: Set<String> { get }
}

extension ItemApp {
    static func seen(_ words: String) -> String { words }
    static var isReadByFirst: Bool { true }
    static var unknownNames: Set<String> { [] }
    static var namesUnknownToFirst: Set<String> { [] }

    static var name: String { "\(Self.self)" }
    static var types: [any EntityModelProtocol.Type] { [Item.self, Owner.self] }

    /// All that is seen of a state.
    static func lines(_ context: Context) -> String {
        let deleted = Deleted<Item>.query().resolve(in: context)
            .map { "deleted \($0.entity.id) \(words($0.entity))" }
        return (linked(context) + deleted.sorted()).joined(separator: "\n")
    }

    /// The words of each live item.
    static func items(_ context: Context) -> [Int: String] {
        Dictionary(
            uniqueKeysWithValues: Item.query().resolve(in: context).map { ($0.id, words($0)) })
    }

    static func text(_ name: String?, _ city: String, _ level: Int64?, _ note: String?) -> String {
        let level = level.map { " L\($0)." } ?? ""
        return "\(name ?? "nil") \(city)\(level) \((note ?? "nil").hashValue)"
    }
}

enum FirstModel {
    @EntityModel("Item")
    struct Item {
        let id: Int
        var name: String
        var city: String
        var level: Int32
        var note: String

        @Relationship(inverse: \.items) var owner: FirstModel.Owner?
        @Relationship var friend: FirstModel.Item? = nil
    }

    @EntityModel("Owner")
    struct Owner {
        let id: String
        var title: String

        @Relationship(inverse: \.owner) var items: [FirstModel.Item]?
    }
}

enum FirstItems: ItemApp {
    typealias Item = FirstModel.Item
    typealias Owner = FirstModel.Owner

    static func words(_ item: Item) -> String {
        text(item.name, item.city, Int64(item.level), item.note)
    }

    static func linked(_ context: Context) -> [String] {
        Item.query().id(\.$owner).id(\.$friend).resolve(in: context).map {
            "\($0.id) \(words($0)) of \($0.$owner.heldIDs) friend \($0.$friend.heldIDs)"
        }
            + Owner.query().id(\.$items).resolve(in: context).map {
                "owner \($0.id) \($0.title) \($0.$items.heldIDs)"
            }
    }
}

/// The properties come in another order.
enum ReorderedModel {
    @EntityModel("Item")
    struct Item {
        let id: Int
        var note: String
        var city: String
        var name: String
        var level: Int32

        @Relationship var friend: ReorderedModel.Item? = nil
        @Relationship(inverse: \.items) var owner: ReorderedModel.Owner?
    }

    @EntityModel("Owner")
    struct Owner {
        let id: String
        var title: String

        @Relationship(inverse: \.owner) var items: [ReorderedModel.Item]?
    }
}

enum ReorderedItems: ItemApp {
    typealias Item = ReorderedModel.Item
    typealias Owner = ReorderedModel.Owner

    static func words(_ item: Item) -> String {
        text(item.name, item.city, Int64(item.level), item.note)
    }

    static func linked(_ context: Context) -> [String] {
        Item.query().id(\.$owner).id(\.$friend).resolve(in: context).map {
            "\($0.id) \(words($0)) of \($0.$owner.heldIDs) friend \($0.$friend.heldIDs)"
        }
            + Owner.query().id(\.$items).resolve(in: context).map {
                "owner \($0.id) \($0.title) \($0.$items.heldIDs)"
            }
    }
}

/// Properties, a relation and a type are new.
enum ExtendedModel {
    @EntityModel("Item")
    struct Item {
        let id: Int
        var color: String?
        var name: String
        var size: Int = 7
        var city: String
        var level: Int32
        var note: String

        @Relationship var tags: [ExtendedModel.Tag]? = nil
        @Relationship(inverse: \.items) var owner: ExtendedModel.Owner?
        @Relationship var friend: ExtendedModel.Item? = nil
    }

    @EntityModel("Owner")
    struct Owner {
        let id: String
        var title: String

        @Relationship(inverse: \.owner) var items: [ExtendedModel.Item]?
    }

    @EntityModel("Tag")
    struct Tag {
        let id: String
    }
}

enum ExtendedItems: ItemApp {
    typealias Item = ExtendedModel.Item
    typealias Owner = ExtendedModel.Owner

    static func words(_ item: Item) -> String {
        text(item.name, item.city, Int64(item.level), item.note)
            + (item.color == nil && item.size == 7 ? "" : " not filled")
    }

    static func linked(_ context: Context) -> [String] {
        Item.query().id(\.$owner).id(\.$friend).resolve(in: context).map {
            "\($0.id) \(words($0)) of \($0.$owner.heldIDs) friend \($0.$friend.heldIDs)"
        }
            + Owner.query().id(\.$items).resolve(in: context).map {
                "owner \($0.id) \($0.title) \($0.$items.heldIDs)"
            }
    }
}

/// A property in the middle is not there any more.
enum ReducedModel {
    @EntityModel("Item")
    struct Item {
        let id: Int
        var name: String
        var city: String
        var note: String

        @Relationship(inverse: \.items) var owner: ReducedModel.Owner?
        @Relationship var friend: ReducedModel.Item? = nil
    }

    @EntityModel("Owner")
    struct Owner {
        let id: String
        var title: String

        @Relationship(inverse: \.owner) var items: [ReducedModel.Item]?
    }
}

enum ReducedItems: ItemApp {
    typealias Item = ReducedModel.Item
    typealias Owner = ReducedModel.Owner

    static var unknownNames: Set<String> { ["level"] }

    static func words(_ item: Item) -> String { text(item.name, item.city, nil, item.note) }

    static func seen(_ words: String) -> String {
        words.replacing(#/ L-?\d+\./#, with: "")
    }

    static func linked(_ context: Context) -> [String] {
        Item.query().id(\.$owner).id(\.$friend).resolve(in: context).map {
            "\($0.id) \(words($0)) of \($0.$owner.heldIDs) friend \($0.$friend.heldIDs)"
        }
            + Owner.query().id(\.$items).resolve(in: context).map {
                "owner \($0.id) \($0.title) \($0.$items.heldIDs)"
            }
    }
}

/// Properties have other names in Swift, and come in another order.
enum RenamedModel {
    @EntityModel("Item")
    struct Item {
        let id: Int
        @PersistedName("city") var town: String
        @PersistedName("name") var title: String
        var level: Int32
        var note: String

        @Relationship(inverse: \.items) var owner: RenamedModel.Owner?
        @Relationship var friend: RenamedModel.Item? = nil
    }

    @EntityModel("Owner")
    struct Owner {
        let id: String
        var title: String

        @Relationship(inverse: \.owner) var items: [RenamedModel.Item]?
    }
}

enum RenamedItems: ItemApp {
    typealias Item = RenamedModel.Item
    typealias Owner = RenamedModel.Owner

    static func words(_ item: Item) -> String {
        text(item.title, item.town, Int64(item.level), item.note)
    }

    static func linked(_ context: Context) -> [String] {
        Item.query().id(\.$owner).id(\.$friend).resolve(in: context).map {
            "\($0.id) \(words($0)) of \($0.$owner.heldIDs) friend \($0.$friend.heldIDs)"
        }
            + Owner.query().id(\.$items).resolve(in: context).map {
                "owner \($0.id) \($0.title) \($0.$items.heldIDs)"
            }
    }
}

/// A number is wider, and texts have become optional: short ones, and long ones of which changes are logged as what
/// differs.
enum WidenedModel {
    @EntityModel("Item")
    struct Item {
        let id: Int
        var name: String?
        var city: String
        var level: Int64
        var note: String?

        @Relationship(inverse: \.items) var owner: WidenedModel.Owner?
        @Relationship var friend: WidenedModel.Item? = nil
    }

    @EntityModel("Owner")
    struct Owner {
        let id: String
        var title: String

        @Relationship(inverse: \.owner) var items: [WidenedModel.Item]?
    }
}

enum WidenedItems: ItemApp {
    typealias Item = WidenedModel.Item
    typealias Owner = WidenedModel.Owner

    static var isReadByFirst: Bool { false }

    static func words(_ item: Item) -> String {
        text(item.name, item.city, item.level, item.note)
    }

    static func linked(_ context: Context) -> [String] {
        Item.query().id(\.$owner).id(\.$friend).resolve(in: context).map {
            "\($0.id) \(words($0)) of \($0.$owner.heldIDs) friend \($0.$friend.heldIDs)"
        }
            + Owner.query().id(\.$items).resolve(in: context).map {
                "owner \($0.id) \($0.title) \($0.$items.heldIDs)"
            }
    }
}

/// What was to-one is to-many, with the other side and without; properties come in another order too.
enum ManyModel {
    @EntityModel("Item")
    struct Item {
        let id: Int
        var level: Int32
        var note: String
        var name: String
        var city: String

        @Relationship(inverse: \.items) var owner: [ManyModel.Owner]?
        @Relationship var friend: [ManyModel.Item]? = nil
    }

    @EntityModel("Owner")
    struct Owner {
        let id: String
        var title: String

        @Relationship(inverse: \.owner) var items: [ManyModel.Item]?
    }
}

enum ManyItems: ItemApp {
    typealias Item = ManyModel.Item
    typealias Owner = ManyModel.Owner

    static var isReadByFirst: Bool { false }

    static func words(_ item: Item) -> String {
        text(item.name, item.city, Int64(item.level), item.note)
    }

    static func linked(_ context: Context) -> [String] {
        Item.query().id(\.$owner).id(\.$friend).resolve(in: context).map {
            "\($0.id) \(words($0)) of \($0.$owner.heldIDs) friend \($0.$friend.heldIDs)"
        }
            + Owner.query().id(\.$items).resolve(in: context).map {
                "owner \($0.id) \($0.title) \($0.$items.heldIDs)"
            }
    }
}

/// A relation has another side.
enum MutualModel {
    @EntityModel("Item")
    struct Item {
        let id: Int
        var city: String
        var name: String
        var note: String
        var level: Int32

        @Relationship(inverse: \.items) var owner: MutualModel.Owner?
        @Relationship(inverse: \.fans) var friend: MutualModel.Item?
        @Relationship(inverse: \.friend) var fans: [MutualModel.Item]?
    }

    @EntityModel("Owner")
    struct Owner {
        let id: String
        var title: String

        @Relationship(inverse: \.owner) var items: [MutualModel.Item]?
    }
}

enum MutualItems: ItemApp {
    typealias Item = MutualModel.Item
    typealias Owner = MutualModel.Owner

    // The third relation of its definition.
    static var namesUnknownToFirst: Set<String> { ["relation 3"] }

    static func words(_ item: Item) -> String {
        text(item.name, item.city, Int64(item.level), item.note)
    }

    static func linked(_ context: Context) -> [String] {
        Item.query().id(\.$owner).id(\.$friend).resolve(in: context).map {
            "\($0.id) \(words($0)) of \($0.$owner.heldIDs) friend \($0.$friend.heldIDs)"
        }
            + Owner.query().id(\.$items).resolve(in: context).map {
                "owner \($0.id) \($0.title) \($0.$items.heldIDs)"
            }
    }
}
