import Foundation
import Testing
import Varve
import VarveTestSupport

@testable import VarveInspection
@testable import VarveTool

@EntityModel
private struct Task {
    let id: Int
    var title: String
    var isDone = false
}

@EntityModel
private struct Person {
    let id: String
    var name: String
}

@Suite("varve bisect")
struct BisectCommandTests {
    private let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("varve-bisect-\(UUID().uuidString).varve")

    private var path: String { url.path }

    private func withStore(_ body: (Store) throws -> Void) throws {
        let store = try Store(at: url, Task.self, Person.self)
        try body(store)
        try store.close()
    }

    private func bisect(_ arguments: String..., width: Int? = nil) -> ToolRun {
        ToolRun(all: ["bisect", path, "--color=never"] + arguments, terminalWidth: width)
    }

    @Test("The transaction is named, with the results before and behind it")
    func output() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        try withStore { store in
            try store.write("Start") { try Task(id: 1, title: "Plan").save(to: &$0) }
            try store.write("Noise") { try Person(id: "a", name: "Ann").save(to: &$0) }
            try store.write("Rename") { try Task(id: 1, title: "Plans").save(to: &$0) }
            try store.write("More") { try Task(id: 2, title: "Do").save(to: &$0) }
        }
        let run = bisect("Task where id == 1", "--from=2")
        try #require(run.status == .success && run.errors.isEmpty)
        #expect(run.lines[0].hasPrefix("3  ") && run.lines[0].hasSuffix("  Rename"))
        #expect(
            Array(run.lines[1...3]) == [
                "  before: 1 row, after: 1 row", "  − id 1  title Plan  isDone false",
                "  + id 1  title Plans  isDone false",
            ])
        // The person is of no concern to the query.
        #expect(run.lines[4] == "(3 states compared, 2 transactions considered, 1 replay)")
        let same = bisect("Task where id == 1", "--from=3")
        #expect(same.status == .failure)
        #expect(same.lines[0] == "the result is the same from transaction 3 to 4")
        let json = ToolRun("bisect", "--json", "--from=2", path, "Task select title")
        #expect(
            json.output.contains(
                "\"before\":[{\"title\":\"Plan\"}],\"after\":[{\"title\":\"Plans\"}]"))
    }

    @Test(
        "A condition is on the number of rows, or on a column of one row",
        arguments: [
            ("Task", "count > 2", "3"), ("Task", "count>=5", "5"),
            ("Task select sum(id)", "sum(id) >= 10", "4"),
            ("Task where id == 1 select title", "title != \"Task 1\"", "6"),
        ])
    func conditions(_ query: String, _ condition: String, _ expected: String) throws {
        defer { try? FileManager.default.removeItem(at: url) }
        try withStore { store in
            for id in 1...5 {
                try store.write { try Task(id: id, title: "Task \(id)").save(to: &$0) }
            }
            try store.write { try Task(id: 1, title: "Other").save(to: &$0) }
        }
        let run = bisect(query, "--from=1", "--when", condition)
        #expect(run.lines.first?.hasPrefix(expected + "  ") == true, "\(run.output)\(run.errors)")
    }

    @Test("What cannot be understood is refused")
    func refusals() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        try withStore { store in
            try store.write { try Task(id: 1, title: "Plan").save(to: &$0) }
        }
        #expect(bisect("Task where").status == .usage)
        #expect(bisect("Tsak").errors.contains("did you mean 'Task'?"))
        #expect(bisect("Task", "--when=many").status == .usage)
        let column = bisect("Task select title", "--when=sum > 3")
        #expect(column.status == .usage)
        #expect(column.errors.contains("it takes count, or a column of the result: title"))
        #expect(bisect("Task", "--from=99").status == .failure)
    }

    @Test("Found is what a model says, with strides of any length", arguments: [1, 2, 3])
    func model(seed: UInt64) throws {
        defer { try? FileManager.default.removeItem(at: url) }
        var random = SeededGenerator(seed: seed)
        let target = Int.random(in: 5..<60, using: &random)
        var expected: TransactionID?
        try withStore { store in
            for number in 1...60 {
                if number == target {
                    try store.write { try Task(id: 7, title: "Seven").save(to: &$0) }
                    expected = store.lastTransaction
                } else if Bool.random(using: &random) {
                    try store.write { try Person(id: "\(number)", name: "").save(to: &$0) }
                } else {
                    try store.write { try Task(id: 100 + number, title: "").save(to: &$0) }
                }
            }
        }
        for stride in [nil, 1, 2, 3, 7, 20, 1_000] {
            var bisection = QueryBisection(try InspectionQuery("Task where id == 7"))
            bisection.stride = stride
            let inspection = try Inspection(at: path)
            let outcome = try bisection.run(
                in: inspection, after: TransactionID(0), through: inspection.lastTransaction)
            #expect(
                outcome.change?.transaction.id == expected, "seed \(seed), stride \(stride ?? 0)")
            #expect(outcome.change?.before.rows.count == 0)
            #expect(outcome.change?.after.rows.count == 1)
            #expect(outcome.isExact == (stride ?? 1 == 1))
            // No state is asked twice: the ends of a stride are known from the round before.
            guard stride == 7 else { continue }
            let firstRound = (outcome.candidates + 6) / 7 + 1
            #expect(outcome.evaluations <= firstRound + 6 && outcome.replays <= 2)
        }
    }

    @Test("Every change of a result is the first one of some range, also where it came and went")
    func everyChange() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        try withStore { store in
            for number in 1...20 {
                try store.write {
                    try Task(id: 1, title: "\(number)", isDone: number / 3 % 2 == 1).save(to: &$0)
                }
            }
        }
        let changes = (2...20).filter { ($0 / 3 % 2) != (($0 - 1) / 3 % 2) }
        var found: [Int] = []
        var from = 1
        while true {
            let run = bisect("Task where isDone select id", "--from=\(from)")
            guard run.status == .success, let id = Int(run.lines[0].prefix { $0.isNumber }) else {
                break
            }
            found.append(id)
            from = id
        }
        #expect(found == changes)
    }

    @Test("Of a damaged store the sound part is compared, and what is missing is listed")
    func damage() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        try store.flip(byteAt: 464 + 60)
        let run = ToolRun("bisect", "--color=never", store.path, "User where name == \"Bob\"")
        #expect(run.status == .failure)
        #expect(run.errors.hasPrefix("varve: \(store.path) is damaged: "))
        #expect(run.errors.contains("\n  damaged: segment-0000000001"))
        #expect(run.lines.first?.first?.isNumber == true)
    }
}
