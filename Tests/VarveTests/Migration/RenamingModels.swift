import Testing
import Varve

// Two versions of an app's types, where types, properties and relations got other names and enumerations lost cases.

@EntityModel("Task")
struct TaskV1 {
    let id: Int
    var name: String
    var state: StateV1
    var mood: MoodV1?
    var raw: RawV1

    @Relationship(inverse: \.tasks) var list: ListV1?
}

@EntityModel("List")
struct ListV1 {
    let id: String
    var title = "l"

    @Relationship(inverse: \.list) var tasks: [TaskV1]?
}

@Storable enum StateV1 { case open, paused, done(by: String) }
@Storable enum MoodV1 { case good, bad }
enum RawV1: String, Codable { case low, high }

@EntityModel("Item")
struct ItemV2: Equatable {
    let id: Int
    var title: String
    var state: StateV2
    var mood: MoodV2?
    var raw: RawV2

    @Relationship(inverse: \.items) var folder: FolderV2?
}

@EntityModel("Folder")
struct FolderV2 {
    let id: String
    var title = "l"

    @Relationship(inverse: \.folder) var items: [ItemV2]?
}

@Storable enum StateV2: Equatable { case open, done(by: String) }
@Storable enum MoodV2: Equatable { case good }
enum RawV2: String, Codable { case high }

enum Renamings {
    static let migration = Migration(
        "items",
        .rename(type: "Task", to: "Item"), .rename(type: "List", to: "Folder"),
        .rename("name", of: "Item", to: "title"), .rename("list", of: "Item", to: "folder"),
        .rename("tasks", of: "Folder", to: "items"),
        .rows(of: "Item") { try $0.set("title", to: $0["title", as: String.self] + "!") },
        .removeCase("paused", from: "state", of: "Item", replacement: StateV2.open),
        .removeCase("bad", from: "mood", of: "Item", replacement: MoodV2?.none),
        .removeCase("low", from: "raw", of: "Item", replacement: RawV2.high))

    /// What the first version of the app wrote, in two transactions.
    static func fill(_ store: Store) throws {
        try store.write("Add") { context in
            try TaskV1(id: 1, name: "a", state: .paused, mood: .bad, raw: .low, list: .id("x"))
                .save(to: &context)
            try TaskV1(id: 2, name: "b", state: .done(by: "me"), mood: .good, raw: .high)
                .save(to: &context)
            try ListV1(id: "x").save(to: &context)
        }
        try store.write("Change") { context in
            try TaskV1(id: 1, name: "c", state: .open, mood: nil, raw: .high).save(to: &context)
        }
    }

    /// Everything that a context of the second version shows, but for times.
    static func describe(_ context: Context) -> [String] {
        ItemV2.query().id(\.$folder).resolve(in: context).map {
            "\($0.id) \($0.title), \($0.state), \(String(describing: $0.mood)), \($0.raw)"
                + " in \($0.$folder.heldIDs)"
        }
            + FolderV2.query().id(\.$items).resolve(in: context).map {
                "\($0.id) \($0.title) of \($0.$items.heldIDs)"
            }
    }
}
