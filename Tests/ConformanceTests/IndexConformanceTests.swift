import Foundation
import Testing
import VarveGraph

private enum Models {
    @EntityModel
    struct User: Codable, Equatable, Sendable {
        @Index<Self>(\.age) private var ageIndex
        @Index<Self>(\.lastName, \.firstName) private var nameIndex
        @Index<Self>(\.score.desc, \.age) private var scoreIndex
        @Index<Self>(\.bio.count) private var lengthIndex
        @Index<Self>(\.email.nilFirst) private var emailIndex

        let id: String
        var firstName: String = ""
        var lastName: String = ""
        var age: Int = 0
        var score: Double = 0
        var bio: String = ""
        var email: String?
    }

    @EntityModel
    struct Plain: Equatable, Sendable {
        let id: String
        var firstName: String = ""
        var lastName: String = ""
        var age: Int = 0
    }

    @EntityModel
    struct Employee: Sendable {
        @HashIndex<Self>(\.status) private var statusIndex
        @HashIndex<Self>(\.region, \.department) private var regionDeptIndex

        let id: String
        let status: String
        let region: String
        let department: String
    }

    @EntityModel
    struct GenericAttachment<T: Codable & Sendable & Hashable>: Codable, Sendable {
        @HashIndex<Self>(\.kind) private var kindIndex

        let id: String
        var kind: T

        @Relationship
        var message: Message? = .none
    }

    @EntityModel
    struct Message: Codable, Sendable {
        let id: String
    }

    @EntityModel
    struct Article: Codable, Equatable, Sendable {
        @FullTextIndex<Self>(\.title, \.content) private var contentIndex
        @Unique<Self>(\.title, collisions: .throw.ignoringNil) private var uniqueTitle

        let id: String
        var title: String?
        let content: String
    }
}

@Suite("Manual: indexes (SM-05, SM-06, SM-51, SM-52, SM-56)")
struct IndexConformanceTests {
    private func context() throws -> Context {
        var context = Context()
        let names = [("Ada", "Byron"), ("Bob", "Adams"), ("Cy", "Byron"), ("Di", "Adams")]
        for number in 0..<40 {
            let (first, last) = names[number % 4]
            try Models.User(
                id: "\(number)", firstName: first, lastName: last, age: number * 7 % 13 + 10,
                score: Double(number % 5), bio: String(repeating: "x", count: number % 6),
                email: number % 3 == 0 ? nil : "\(number)@x"
            ).save(to: &context)
            try Models.Plain(
                id: "\(number)", firstName: first, lastName: last, age: number * 7 % 13 + 10
            ).save(to: &context)
        }
        return context
    }

    @Test("SM-51: an index on a property serves its comparisons, and answers what a scan answers")
    func comparisons() throws {
        let context = try context()
        for age in 9...24 {
            let pairs = [
                (Models.User.filter(\.age == age), Models.Plain.filter(\.age == age)),
                (Models.User.filter(\.age >= age), Models.Plain.filter(\.age >= age)),
                (Models.User.filter(\.age > age), Models.Plain.filter(\.age > age)),
                (Models.User.filter(\.age <= age), Models.Plain.filter(\.age <= age)),
                (Models.User.filter(\.age < age), Models.Plain.filter(\.age < age)),
                (Models.User.filter(\.age != age), Models.Plain.filter(\.age != age)),
            ]
            for (indexed, plain) in pairs {
                #expect(
                    indexed.resolve(in: context).map(\.id) == plain.resolve(in: context).map(\.id))
            }
        }
        let teens = Models.User.filter(\.age >= 13 && \.age < 20)
        #expect(
            teens.resolve(in: context).map(\.id)
                == Models.Plain.filter(\.age >= 13 && \.age < 20).resolve(in: context).map(\.id))
        #expect(teens.explain(in: context).description.contains("ageIndex"))
    }

    @Test("SM-51: an index on a list of properties serves sorting by that list, and by its start")
    func sorting() throws {
        let context = try context()
        let byBoth = Models.User.query().sorted(by: \.lastName, \.firstName)
        #expect(
            byBoth.resolve(in: context).map(\.id)
                == Models.Plain.query().sorted(by: \.lastName, \.firstName)
                .resolve(in: context).map(\.id))
        #expect(byBoth.explain(in: context).description.contains("nameIndex"))
        let byLast = Models.User.query().sorted(by: \.lastName)
        #expect(
            byLast.resolve(in: context).map(\.id)
                == Models.Plain.query().sorted(by: \.lastName).resolve(in: context).map(\.id))
        let byAge = Models.User.query().sorted(by: \.age.desc).limit(5)
        #expect(
            byAge.resolve(in: context).map(\.id)
                == Models.Plain.query().sorted(by: \.age.desc).limit(5)
                .resolve(in: context).map(\.id))
    }

    @Test("SM-51: a property of an index may be descending, computed, or optional")
    func directions() throws {
        let context = try context()
        let all = Models.User.query().resolve(in: context)
        let byScore = Models.User.query().sorted(by: \.score.desc, \.age).resolve(in: context)
        let expected = all.enumerated().sorted {
            ($1.element.score, $0.element.age, $0.offset)
                < ($0.element.score, $1.element.age, $1.offset)
        }
        #expect(byScore.map(\.id) == expected.map(\.element.id))
        let long = Models.User.filter(\.bio.count >= 4)
        #expect(long.resolve(in: context).map(\.id) == all.filter { $0.bio.count >= 4 }.map(\.id))
        #expect(long.explain(in: context).description.contains("lengthIndex"))
        let byEmail = Models.User.query().sorted(by: \.email.nilFirst).resolve(in: context)
        #expect(byEmail.prefix(14).allSatisfy { $0.email == nil })
        #expect(byEmail.dropFirst(14).compactMap(\.email).count == 26)
        #expect(byEmail.dropFirst(14).compactMap(\.email).sorted() == byEmail.compactMap(\.email))
    }

    @Test("SM-52: a hash index serves equality on its property, a compound one on all of them")
    func hashIndexes() throws {
        var context = Context()
        for number in 0..<30 {
            try Models.Employee(
                id: "\(number)", status: number % 3 == 0 ? "active" : "away",
                region: number % 2 == 0 ? "US" : "EU",
                department: number % 5 == 0 ? "Sales" : "R&D"
            ).save(to: &context)
        }
        let active = Models.Employee.filter(\.status == "active")
        #expect(active.resolve(in: context).count == 10)
        #expect(active.explain(in: context).description.contains("statusIndex"))
        let sales = Models.Employee.filter(\.region == "US" && \.department == "Sales")
        #expect(sales.resolve(in: context).map(\.id) == ["0", "10", "20"])
        #expect(sales.explain(in: context).description.contains("regionDeptIndex"))
        #expect(Models.Employee.filter(\.region == "US").resolve(in: context).count == 15)
    }

    @Test("SM-04, SM-52: a generic entity has its indexes as instance properties")
    func genericEntity() throws {
        var context = Context()
        for number in 0..<6 {
            try Models.GenericAttachment(id: "\(number)", kind: number % 2).save(to: &context)
            try Models.GenericAttachment(id: "\(number)", kind: "\(number % 3)").save(to: &context)
        }
        let odd = Models.GenericAttachment<Int>.filter(\.kind == 1)
        #expect(odd.resolve(in: context).map(\.id) == ["1", "3", "5"])
        #expect(odd.explain(in: context).description.contains("kindIndex"))
        let texts = Models.GenericAttachment<String>.filter(\.kind == "2")
        #expect(texts.resolve(in: context).map(\.id) == ["2", "5"])
    }

    @Test("SM-06: an index is never written, and never missed when decoding")
    func coding() throws {
        let article = Models.Article(id: "1", title: "T", content: "C")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(article), as: UTF8.self)
        #expect(json == #"{"content":"C","id":"1","title":"T"}"#)
        let decoded = try JSONDecoder().decode(Models.Article.self, from: Data(json.utf8))
        #expect(decoded == article)
    }

    @Test("SM-06: an index costs an entity no memory")
    func size() {
        struct Bare {
            let id: String
            var firstName, lastName: String
            var age: Int
            var score: Double
            var bio: String
            var email: String?
        }
        #expect(MemoryLayout<Models.User>.size == MemoryLayout<Bare>.size)
    }

    @Test("SM-55: a full-text index takes its properties as one document")
    func fullText() throws {
        var context = Context()
        try Models.Article(id: "1", title: "search", content: "terms apart").save(to: &context)
        try Models.Article(id: "2", title: nil, content: "search terms").save(to: &context)
        try Models.Article(id: "3", title: "other", content: "words").save(to: &context)
        let articles = Models.Article.query()
            .filter(.string(\.title, \.content, matches: "search terms"))
        #expect(Set(articles.resolve(in: context).map(\.id)) == ["1", "2"])
        #expect(articles.explain(in: context).description.contains("contentIndex"))
    }

    @Test("SM-57: there is no way to write an index by itself, only entities")
    func onlyEntities() throws {
        var context = try context()
        try Models.User.delete(id: "0", from: &context)
        context.checkInvariants()
        #expect(Models.User.filter(\.age == 10).resolve(in: context).allSatisfy { $0.id != "0" })
    }
}

@Suite("Faults of the original that indexes avoid (SM-12, SM-58; 6.1: 1, 2, 14, 17, 20)")
struct IndexFaultConformanceTests {
    private typealias User = Models.User

    @Test("6.1-1, SM-12: a copy of a context keeps its own index entries")
    func copies() throws {
        var context = Context()
        for number in 0..<10 { try User(id: "\(number)", age: number).save(to: &context) }
        let copy = context
        for number in 0..<10 { try User(id: "\(number)", age: 100 - number).save(to: &context) }
        try User.delete(id: "3", from: &context)
        #expect(User.filter(\.age < 50).resolve(in: copy).count == 10)
        #expect(
            User.query().sorted(by: \.age).resolve(in: copy).map(\.id) == (0..<10).map { "\($0)" })
        #expect(User.filter(\.age < 50).resolve(in: context).isEmpty)
        var branch = copy
        try User(id: "new", age: 5).save(to: &branch)
        #expect(User.filter(\.age == 5).resolve(in: copy).map(\.id) == ["5"])
        #expect(User.filter(\.age == 5).resolve(in: branch).map(\.id) == ["5", "new"])
        for each in [context, copy, branch] { each.checkInvariants() }
    }

    @Test("6.1-2, SM-58: an index follows the merged value that is stored")
    func mergedValues() throws {
        var context = Context()
        try User(id: "1", age: 30, email: "a@x").save(to: &context)
        try User(id: "1", age: 30).save(to: &context, options: .fragment)
        let some = User.filter(\.email.nilFirst == Optional("a@x").nilFirst)
        #expect(some.resolve(in: context).map(\.id) == ["1"])
        let keepsOld = MergeStrategy<User> { old, new in old.age > new.age ? old : new }
        try User(id: "1", age: 20).save(to: &context, options: keepsOld)
        #expect(User.filter(\.age == 30).resolve(in: context).map(\.id) == ["1"])
        #expect(User.filter(\.age == 20).resolve(in: context).isEmpty)
        context.checkInvariants()
    }

    @Test("6.1-17: rows of equal values stay in insertion order, also after a change and back")
    func ties() throws {
        var context = Context()
        for number in 0..<20 { try User(id: "\(number)", age: 1).save(to: &context) }
        try User(id: "4", age: 2).save(to: &context)
        try User(id: "4", age: 1).save(to: &context)
        let ids = (0..<20).map { "\($0)" }
        #expect(User.query().sorted(by: \.age).resolve(in: context).map(\.id) == ids)
        #expect(User.query().sorted(by: \.age.desc).resolve(in: context).map(\.id) == ids)
        #expect(User.filter(\.age == 1).resolve(in: context).map(\.id) == ids)
    }

    @Test("6.1-20: a deleted entity leaves nothing in an index, and a restored one is back in it")
    func deletions() throws {
        var context = Context()
        for number in 0..<300 { try User(id: "\(number)", age: number).save(to: &context) }
        for number in 0..<300 where number != 7 {
            try User.delete(id: "\(number)", from: &context)
        }
        // The invariants compare each index with the rows, entry by entry.
        context.checkInvariants()
        #expect(User.query().sorted(by: \.age).resolve(in: context).map(\.id) == ["7"])
        try Deleted<User>.query("5").resolve(in: context)?.restore(in: &context)
        #expect(User.filter(\.age < 100).resolve(in: context).map(\.id) == ["5", "7"])
        context.checkInvariants()
    }

    @Test("NaN is behind every number, once, and no comparison finds it")
    func notANumber() throws {
        var context = Context()
        for (number, score) in [1, .nan, -0.0, .infinity, .nan, 0].enumerated() {
            try User(id: "\(number)", score: score).save(to: &context)
        }
        #expect(User.filter(\.score >= 0).resolve(in: context).map(\.id) == ["0", "2", "3", "5"])
        #expect(User.filter(\.score == .nan).resolve(in: context).isEmpty)
        #expect(
            User.query().sorted(by: \.score).resolve(in: context).map(\.id)
                == ["2", "5", "0", "3", "1", "4"])
        #expect(
            User.query().sorted(by: \.score.desc, \.age).resolve(in: context).map(\.id)
                == ["1", "4", "3", "0", "2", "5"])
    }
}
