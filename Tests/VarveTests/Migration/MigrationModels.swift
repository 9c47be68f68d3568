import Testing
import Varve

// Two versions of an app's types, and what leads from one to the other.

@EntityModel("Worker")
struct WorkerV1: Equatable {
    let id: Int
    var first: String
    var last: String
    var age: Int
    var mail: String?
    var note: String = ""

    @Relationship(inverse: \.workers) var teams: [CrewV1]?
}

@EntityModel("Crew")
struct CrewV1: Equatable {
    let id: String
    var name = ""

    @Relationship(inverse: \.teams) var workers: [WorkerV1]?
}

@EntityModel("Draft")
struct DraftV1: Equatable {
    let id: Int
    var text: String

    @Relationship var author: WorkerV1? = nil
}

@EntityModel("Worker")
struct WorkerV2: Equatable {
    let id: Int
    var fullName: String
    var age: String
    var mail: String
    var note: Int? = nil

    @Relationship(inverse: \.workers) var teams: CrewV2?
}

@EntityModel("Crew")
struct CrewV2: Equatable {
    let id: String
    var name = ""

    @Relationship(inverse: \.teams) var workers: [WorkerV2]?
}

/// Another type that takes the name of one that was removed.
@EntityModel("Draft")
struct DraftV2: Equatable {
    let id: String
    var pages: [Int]
}

enum Migrations {
    static let names = Migration("1 full names", of: "Worker") { row in
        let first = try row["first", as: String.self]
        try row.set("fullName", to: first + " " + row["last", as: String.self])
    }

    static let rest = Migration(
        "2 the rest",
        .convert("age", of: "Worker", from: Int.self, to: String.self) { "\($0) years" },
        .fill("mail", of: "Worker", with: "none"),
        .remove("note", of: "Worker"), .remove("first", of: "Worker"),
        .remove("last", of: "Worker"),
        .toOne("teams", of: "Worker", keeping: .first),
        .remove(type: "Draft"))

    static let all = [names, rest]

    static let types: [any EntityModelProtocol.Type] = [
        WorkerV2.self, CrewV2.self, DraftV2.self,
    ]
    static let formerTypes: [any EntityModelProtocol.Type] = [
        WorkerV1.self, CrewV1.self, DraftV1.self,
    ]

    /// Everything that a context of the second version shows, but for times.
    static func describe(_ context: Context) -> [String] {
        func text(_ worker: WorkerV2) -> String {
            "\(worker.id) \(worker.fullName), \(worker.age), \(worker.mail), \(worker.note ?? -1)"
                + " in \(worker.$teams.heldIDs)"
        }
        return WorkerV2.query().id(\.$teams).resolve(in: context).map(text)
            + CrewV2.query().id(\.$workers).resolve(in: context).map {
                "\($0.id) \($0.name) of \($0.$workers.heldIDs)"
            }
            + Deleted<WorkerV2>.query().resolve(in: context).map { "deleted \(text($0.entity))" }
            + Deleted<CrewV2>.query().resolve(in: context).map { "deleted \($0.entity.id)" }
            + DraftV2.query().resolve(in: context).map { "\($0.id) \($0.pages)" }
    }

    /// What the first version of the app wrote, in four transactions.
    static func fill(_ store: Store) throws {
        try store.write("Hire") { context in
            for id in ["a", "b"] { try CrewV1(id: id).save(to: &context) }
            try WorkerV1(
                id: 1, first: "Ada", last: "Byron", age: 36, mail: "ada@x", note: "n",
                teams: .ids(["b", "a"])
            ).save(to: &context)
            try WorkerV1(id: 2, first: "Bob", last: "Moss", age: 20, teams: .ids(["a"]))
                .save(to: &context)
            try WorkerV1(id: 3, first: "Cy", last: "Poe", age: 70, mail: "cy@x", teams: .ids(["b"]))
                .save(to: &context)
            try DraftV1(id: 1, text: "t", author: .id(1)).save(to: &context)
            try DraftV1(id: 2, text: "u").save(to: &context)
        }
        try store.write("Age") { context in
            var ada = try #require(WorkerV1.query(1).resolve(in: context))
            ada.age = 37
            try ada.save(to: &context)
        }
        try store.write("Fire") { context in
            try WorkerV1.delete(id: 3, from: &context)
            try DraftV1.delete(id: 2, from: &context)
        }
    }
}
