import Testing

@testable import VarveInspection

@Suite("Queries that cannot be understood")
struct QueryErrorTests {
    private let store: SampleStore

    init() throws { store = try QueryStore.sample.written() }

    private func error(_ text: String) throws -> QueryError? {
        try QueryStore.error(text, in: Inspection(at: store.path))
    }

    @Test(
        "An error says what is wrong, and where in the text",
        arguments: [
            ("", 0..<0, "expected a type, found the end"),
            ("User where age % 2", 15..<16, "'%' begins nothing"),
            ("User where name == \"Ann", 19..<23, "the text has no closing quotation mark"),
            ("User where age == 3x", 18..<20, "'3x' is not a number"),
            ("User where", 10..<10, "expected a property or a value, found the end"),
            ("User where age ==", 17..<17, "expected a property or a value, found the end"),
            ("User where (age == 3", 20..<20, "expected ')', found the end"),
            (
                "User wher age == 3", 5..<9,
                "expected 'where', 'group', 'select', 'order', 'limit' or 'offset', found 'wher'"
            ),
            ("User limit 1 limit 2", 13..<18, "'limit' is there twice"),
            (
                "User select id, name, id", 22..<24,
                "there is a column 'id' already; leave one out, or name it with 'as'"
            ),
            (
                "User group by age select count(), name as age", 42..<45,
                "there is a column 'age' already; leave one out, or name it with 'as'"
            ),
            ("User limit 1.5", 11..<14, "expected a whole number, found '1.5'"),
            (
                "User where first(name) == 1", 11..<16,
                "expected any, all, count, lower, length, sum, least, most or average, found 'first'"
            ),
            ("Usr", 0..<3, "there is no type 'Usr'; there is User, Chat"),
            (
                "User where nme == 1", 11..<14,
                "'User' has no 'nme'; it has id, name, age, bio, chats, boss, @updatedAt, @transaction, @ordinal"
            ),
            (
                "User where boss.nme == 1", 16..<19,
                "'User' has no 'nme'; it has id, name, age, bio, chats, boss, @updatedAt, @transaction, @ordinal"
            ),
            ("User where age == 1 || age == 2", 20..<22, "'||' begins nothing; write 'or'"),
            ("User where age == 1 && age == 2", 20..<22, "'&&' begins nothing; write 'and'"),
            ("User where !(age == 1)", 11..<12, "'!' begins nothing; write 'not'"),
            (
                "select id from User", 0..<6,
                "a query begins with a type, not with 'select'; write the type in front, as in Chat where … select id"
            ),
            (
                "SELECT * FROM User", 0..<6,
                "a query begins with a type, not with 'SELECT'; write the type in front, as in Chat where … select id"
            ),
            (
                "User where name = Ann", 18..<21,
                "'User' has no 'Ann'; a text needs quotation marks: \"Ann\"; "
                    + "it has id, name, age, bio, chats, boss, @updatedAt, @transaction, @ordinal"
            ),
            (
                "User where name contains Ann", 25..<28,
                "'User' has no 'Ann'; a text needs quotation marks: \"Ann\"; "
                    + "it has id, name, age, bio, chats, boss, @updatedAt, @transaction, @ordinal"
            ),
            ("User where name.first == 1", 16..<21, "a text has no member 'first'"),
            (
                "User where chats == 7", 11..<16,
                "'chats' leads to many: use any(chats, …), all(chats, …) or count(chats)"
            ),
            ("User where any(name, id == 1)", 15..<19, "'name' is not a relation"),
            ("User where name == 1", 19..<20, "a text cannot be compared with a number"),
            ("User where age contains \"3\"", 11..<14, "a number cannot be compared with a text"),
            ("User where name", 11..<15, "a text is not a condition; compare it with something"),
            (
                "Chat where seen > \"yesterday\"", 18..<29,
                "'yesterday' is not a date; write it as 2026-08-03 or 2026-08-03T14:05:22Z"
            ),
            (
                "Chat where seen > \"2026-02-30\"", 18..<30,
                "'2026-02-30' is not a date; write it as 2026-08-03 or 2026-08-03T14:05:22Z"
            ),
            (
                "User select sum(name)", 16..<20,
                "sum() takes numbers, not a text; count() counts rows"
            ),
            (
                "User group by age select name", 25..<29,
                "'name' differs within a group: name it behind 'group by', or take its sum, least, most or average"
            ),
            (
                "User select count(), count(chats)", 21..<33,
                "'chats' differs within a group: name it behind 'group by', or take its sum, least, most or average"
            ),
        ])
    func errors(text: String, place: Range<Int>, message: String) throws {
        let found = try #require(try error(text))
        #expect(found.place == place)
        #expect("\(found)" == message)
    }

    @Test(
        "An aggregate of no group is refused where it is",
        arguments: [
            ("User where count() > 1", 11..<18), ("User order by -count()", 15..<22),
            ("User group by count()", 14..<21), ("User select sum(count())", 16..<23),
            ("User where any(chats, count() > 1)", 22..<29),
        ])
    func misplacedAggregates(text: String, place: Range<Int>) throws {
        let found = try #require(try error(text))
        #expect(found.place == place)
        #expect("\(found)".contains("is known of a group alone"))
    }

    @Test("Deep nesting is refused, long lists are not")
    func depth() throws {
        let deep = String(repeating: "(", count: 10_000) + "age == 1"
        #expect(try error("User where " + deep)?.problem == .nestedTooDeep(limit: 64))
        let nots = String(repeating: "not ", count: 10_000) + "age == 1"
        #expect(try error("User where " + nots)?.problem == .nestedTooDeep(limit: 64))
        let long = (0..<10_000).map { "age == \($0)" }.joined(separator: " or ")
        #expect(try error("User where " + long) == nil)
    }
}
