import Foundation
import Testing
import VarveEvents
import VarveTestSupport

@testable import Varve

@Suite("The newest transactions, kept in memory")
struct RecentTransactionsTests {
    private func bytes(of transaction: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: transaction &* 31 &+ UInt64($0)) }
    }

    @Test("A transaction is kept until a mebibyte came behind it, and never given out for another")
    func bounds() {
        let seed: UInt64 = 7
        var random = SeededGenerator(seed: seed)
        let recent = RecentTransactions()
        var noted: [(id: UInt64, count: Int)] = []
        for id in 41...6_000 as ClosedRange<UInt64> {
            let count = Int.random(in: 0...700, using: &random)
            noted.append((id, count))
            bytes(of: id, count: count).withUnsafeBytes { recent.note(TransactionID(id), $0) }
        }
        var behind = 0
        var isHeld = true
        for (id, count) in noted.reversed() {
            behind += count
            let found = recent.with(TransactionID(id)) { Array($0) }
            #expect(found == nil || found == bytes(of: id, count: count), "seed \(seed)")
            if behind <= 512 << 10 { #expect(found != nil, "transaction \(id) is kept") }
            if behind > 1 << 20 { #expect(found == nil, "transaction \(id) is let go") }
            // What is kept has no gap.
            #expect(isHeld || found == nil)
            isHeld = found != nil
            #expect(recent.holds(TransactionID(id)) == isHeld)
        }
        #expect(!recent.holds(40) && !recent.holds(6_001))
    }

    @Test("Behind a gap, and behind a transaction that is too large, nothing older is given out")
    func gaps() {
        let recent = RecentTransactions()
        func note(_ id: UInt64, _ count: Int) {
            bytes(of: id, count: count).withUnsafeBytes { recent.note(TransactionID(id), $0) }
        }
        note(1, 10)
        note(2, 10)
        note(4, 10)
        #expect(!recent.holds(2) && !recent.holds(3) && recent.holds(4))
        note(5, 600 << 10)
        #expect(!recent.holds(4) && !recent.holds(5))
        note(6, 10)
        #expect(recent.holds(6) && !recent.holds(5))
        recent.removeAll()
        #expect(!recent.holds(6))
    }

    @Test("Undo in a store that was suspended takes back what another opener wrote meanwhile")
    func suspension() throws {
        let directory = try TemporaryDirectory()
        let store = try Store(at: directory.url, Author.self, Shelf.self)
        for name in ["one", "two"] {
            try store.write(name) { try Author(id: "a", name: name).save(to: &$0) }
        }
        try store.suspend()
        let other = try Store(at: directory.url, Author.self, Shelf.self)
        try other.undo()
        try other.write("three") { try Author(id: "a", name: "three").save(to: &$0) }
        try other.close()
        try store.resume()
        #expect(try store.undo().label == "three")
        #expect(Author.query("a").resolve(in: store.context)?.name == "one")
        #expect(try store.undo().label == "one")
        #expect(Author.query("a").resolve(in: store.context) == nil)
        #expect(try store.redo().label == "one")
        try store.close()
    }
}
