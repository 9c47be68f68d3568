import Testing
import Varve

@Suite("What a store says, in words")
struct DescriptionTests {
    @Test("A transaction's number is read from a text as it is written")
    func transactionIDs() {
        #expect(
            TransactionID("28") == 28
                && TransactionID("\(TransactionID(.max))") == TransactionID(.max))
        for text in ["", "-1", "2.0", "18446744073709551616", "x"] {
            #expect(TransactionID(text) == nil, "\(text)")
        }
    }

    @Test("A compaction after which the store is larger says why, and what makes it smaller")
    func growth() throws {
        let store = try Store.inMemory(DescribedNote.self)
        for id in 0..<20 { try store.write { try DescribedNote(id: id).save(to: &$0) } }
        let grown = try store.compact()
        #expect(grown.bytesAfter > grown.bytesBefore)
        let growth = try #require(grown.growth)
        #expect(growth.contains("\(grown.bytesAfter.rawValue - grown.bytesBefore.rawValue) bytes"))
        #expect(growth.contains("compact(for: .size)") && "\(grown)".contains(growth))
        let smallest = try store.compact(retaining: .transactions(0), for: .size)
        #expect(smallest.growth == nil && "\(smallest)".contains("after"))
    }

    @Test("A version is a line that says what was made of the entity")
    func versions() throws {
        let store = try Store.inMemory(DescribedNote.self)
        try store.write("Add") { try DescribedNote(id: 1).save(to: &$0) }
        try store.write("Edit", options: WriteOptions(author: "Ann")) {
            try DescribedNote(id: 1, text: "b").save(to: &$0)
        }
        let versions = try store.history(of: DescribedNote.self, id: 1).map { "\($0)" }
        #expect(versions[0].hasPrefix("transaction 2, "))
        #expect(
            versions[0].hasSuffix(#" "Edit" by Ann: updated text: DescribedNote(id: 1, text: "b")"#)
        )
        #expect(versions[1].hasSuffix(#" "Add": inserted: DescribedNote(id: 1, text: "a")"#))
    }
}

@EntityModel
private struct DescribedNote {
    let id: Int
    var text = "a"
}
