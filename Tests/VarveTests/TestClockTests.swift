import Foundation
import Testing
import Varve

@Suite("Stores for tests, with a clock that the test moves")
struct TestClockTests {
    @Test("Transactions and entities have the times that the test decides")
    func times() throws {
        let clock = TestClock(Date(timeIntervalSince1970: 1_000_000))
        let store = try Store.test(clock, Author.self)
        let ann = Author(id: "a", name: "Ann")
        let first = try store.writeReporting { try ann.save(to: &$0) }
        clock.advance(by: .milliseconds(1_500))
        let second = try store.writeReporting { try Author(id: "b", name: "Bob").save(to: &$0) }
        #expect(first.transaction?.info.time == Date(timeIntervalSince1970: 1_000_000))
        #expect(second.transaction?.info.time == Date(timeIntervalSince1970: 1_000_001.5))
        #expect(ann.updatedAt(in: store.context) == Date(timeIntervalSince1970: 1_000_000))
        #expect(clock.now == Date(timeIntervalSince1970: 1_000_001.5))
    }

    @Test("The past is found by the dates of the test, also where the clock was turned back")
    func past() throws {
        let clock = TestClock()
        let store = try Store.test(clock, Author.self)
        for name in ["a", "b", "c"] {
            try store.write { try Author(id: name, name: name).save(to: &$0) }
            clock.advance(by: .seconds(60))
        }
        let then = Date(timeIntervalSinceReferenceDate: 90)
        #expect(try store.context(asOf: .date(then)).count(Author.self) == 2)
        clock.advance(by: .seconds(-180))
        #expect(clock.now == Date(timeIntervalSinceReferenceDate: 0))
        try store.write { try Author(id: "d", name: "d").save(to: &$0) }
        #expect(store.context.count(Author.self) == 4)
    }

    @Test("Writes that are near by the test's clock coalesce, others do not")
    func coalescing() throws {
        let clock = TestClock()
        let store = try Store.test(clock, Author.self)
        let options = WriteOptions(coalescing: Coalescing("name", within: .seconds(1)))
        func rename(_ name: String) throws {
            try store.write("Rename", options: options) {
                try Author(id: "a", name: name).save(to: &$0)
            }
        }
        try rename("A")
        try rename("An")
        clock.advance(by: .seconds(5))
        try rename("Ann")
        try store.undo()
        #expect(try Author.require("a", in: store.context).name == "An")
        try store.undo()
        #expect(store.context.count(Author.self) == 0)
    }
}
