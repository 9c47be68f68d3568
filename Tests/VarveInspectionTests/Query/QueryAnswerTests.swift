import Testing

@testable import VarveInspection

@Suite("Queries")
struct QueryAnswerTests {
    private let store: SampleStore

    init() throws { store = try QueryStore.sample.written() }

    private func found(_ text: String) throws -> [[String]] {
        try QueryStore.answer(text, in: Inspection(at: store.path))
    }

    private func ids(_ condition: String) throws -> String {
        try found("User where \(condition) select id").map {
            $0[0].replacing("\"", with: "")
        }.joined(separator: " ")
    }

    @Test(
        "A condition finds what it says, in the order of the type",
        arguments: [
            ("age == 30", "ann dee"), ("age = 30", "ann dee"), ("age != 30", "bob cy"),
            ("age > 7", "ann dee"), ("age >= 7", "ann cy dee"), ("age < 30.5", "ann cy dee"),
            ("30 == age", "ann dee"), ("age == -7", ""), ("age is null", "bob"),
            ("age is not null", "ann cy dee"), ("age == null", "bob"),
            ("name == \"Ann\"", "ann"), ("name == 'De\u{301}e'", "dee"),
            ("name < \"Bz\"", "ann bob"), ("lower(name) contains \"y\"", "cy"),
            ("bio contains \"tea\"", "ann"), ("name startsWith \"B\"", "bob"),
            ("name endsWith \"y\"", "cy"), ("length(name) == 2", "cy"),
            ("id in (\"ann\", \"cy\", \"eve\")", "ann cy"), ("age in (7, null)", "bob cy"),
            ("not age == 30", "bob cy"), ("age == 30 and name == \"Ann\"", "ann"),
            ("age == 7 or name == \"Ann\" and age == 30", "ann cy"),
            ("(age == 7 or name == \"Ann\") and age == 30", "ann"),
            ("not (age == 7 or age is null)", "ann dee"),
            ("`name` == \"Ann\"", "ann"), ("@ordinal > 2", "cy dee"),
            ("@transaction == 2", "ann bob cy dee"),
            ("@updatedAt >= \"2026-08-03T14:02Z\"", "ann bob cy dee"),
            ("@updatedAt > \"2027-01-01\"", ""),
        ])
    func conditions(condition: String, expected: String) throws {
        #expect(try ids(condition) == expected)
    }

    @Test(
        "Conditions look along relations",
        arguments: [
            ("boss == \"ann\"", "bob dee"), ("boss.id == \"ann\"", "bob dee"),
            ("boss is null", "ann"), ("boss.name == \"Ann\"", "bob dee"),
            ("boss.boss.age == 30", "cy"), ("boss.age is null", "ann cy"),
            ("count(chats) > 1", "ann"), ("count(chats) == 0", "cy"),
            ("count(chats, title contains \"Plan\") == 1", "ann bob dee"),
            ("any(chats, title == \"Tea\")", "ann"),
            ("all(chats, title startsWith \"Plan\")", "bob cy dee"),
            ("any(chats, seen < \"2001-01-01\")", "dee"),
            ("any(chats, seen == \"2001-01-02T00:00:00.5Z\")", "ann"),
            ("any(chats, any(users, id == \"ann\"))", ""),
        ])
    func relations(condition: String, expected: String) throws {
        #expect(try ids(condition) == expected)
    }

    @Test("Columns, order, limit and offset")
    func clauses() throws {
        #expect(
            try found("Chat select id, title order by -id limit 2") == [
                ["9", "\"Plan \\\"B\\\"\""], ["8", "\"Tea\""],
            ])
        #expect(try found("Chat order by title descending offset 1 limit 1 select id") == [["7"]])
        #expect(
            try found("User order by age, -name select id").map { $0[0] } == [
                "\"bob\"", "\"cy\"", "\"dee\"", "\"ann\"",
            ])
        #expect(
            try found("User select boss.name as boss order by boss limit 2") == [
                ["null"], ["\"Ann\""],
            ])
        #expect(try found("Chat limit 0").isEmpty)
        #expect(try found("Chat offset 9").isEmpty)
        let all = try Inspection(at: store.path).answer(InspectionQuery("Chat limit 1"))
        #expect(all.columns == ["id", "title", "seen"])
        #expect(all.rows[0].map(\.json) == ["7", "\"Plans\"", "\"2001-01-01T00:00:00Z\""])
    }

    @Test("A grouping that is selected is a column once, where it is selected")
    func selectedGroupings() throws {
        let query = "User group by age as years, name select count(), age order by years, name"
        let answer = try Inspection(at: store.path).answer(InspectionQuery(query))
        #expect(answer.columns == ["name", "count()", "age"])
        #expect(
            try found(query) == [
                ["\"Bob\"", "1", "null"], ["\"Cy\"", "1", "7"], ["\"Ann\"", "1", "30"],
                ["\"Dée\"", "1", "30"],
            ])
    }

    @Test("Groups have counts, sums, least, most and averages, in which null counts for nothing")
    func groups() throws {
        #expect(
            try found("User group by age select count(), least(name) order by -count(), age") == [
                ["30", "2", "\"Ann\""], ["null", "1", "\"Bob\""], ["7", "1", "\"Cy\""],
            ])
        #expect(
            try found("User select count(), sum(age), least(age), most(age), average(age)") == [
                ["4", "67", "7", "30", "22.333333333333332"]
            ])
        #expect(
            try found("User where id == \"eve\" select count(), sum(age), most(age)") == [
                ["0", "0", "null"]
            ])
        #expect(
            try found("User group by boss.name select sum(count(chats)) as n order by -n") == [
                ["null", "2"], ["\"Ann\"", "2"], ["\"Bob\"", "0"],
            ])
    }

    @Test("Deleted entities are asked apart")
    func deleted() throws {
        let store = try SampleStore()
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.transaction { encoder in
            encoder.insert(encoder.user("ann"), 1, try SampleStore.user("Ann"))
            encoder.insert(encoder.user("bob"), 2, try SampleStore.user("Bob", 3))
        }
        try store.transaction { encoder in
            encoder.delete(
                encoder.user("bob"), keepsTombstone: true, ordinal: Ordinal(2),
                previous: SampleStore.version(2), cause: .direct,
                row: try SampleStore.user("Bob", 3), lists: [])
        }
        try store.close()
        let inspection = try Inspection(at: store.path)
        #expect(try QueryStore.answer("User select name", in: inspection) == [["\"Ann\""]])
        #expect(
            try QueryStore.answer("deleted User where age == 3 select name", in: inspection)
                == [["\"Bob\""]])
    }

    @Test("Earlier states are asked as they were")
    func past() throws {
        let store = try SampleStore.filled()
        let now = try Inspection(at: store.path)
        #expect(try QueryStore.answer("User select id", in: now) == [["\"ann\""], ["\"bob\""]])
        let then = try Inspection(at: store.path)
        try then.goBack(to: .transaction(TransactionID(6)))
        #expect(try QueryStore.answer("User select id", in: then) == [["\"ann\""], ["\"cy\""]])
        let moment = try Inspection(at: store.path)
        try moment.goBack(
            to: .moment(Moment(microseconds: SampleStore.time(6).microseconds + 5)))
        #expect(try QueryStore.answer("User select id", in: moment) == [["\"ann\""], ["\"cy\""]])
        let before = try Inspection(at: store.path)
        try before.goBack(to: .moment(Moment(microseconds: 0)))
        #expect(try QueryStore.answer("User select count()", in: before) == [["0"]])
    }
}
