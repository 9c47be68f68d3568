import Testing
import VarveInspection

@testable import VarveTool

@Suite("Labels in order, and retention in words")
struct OrderAndRetentionTests {
    @Test("Numbers in labels count by their value")
    func labels() {
        let sorted = [
            "", "01", "1", "2", "9 lives", "10", "Import 1-1000", "Import 1001-2000",
            "Import 10001-11000", "Import x", "a", "a1b2", "a1b10", "a2", "é",
            "99999999999999999999998", "99999999999999999999999",
        ].sorted(by: LabelOrder.isBefore)
        #expect(
            sorted == [
                "", "01", "1", "2", "9 lives", "10", "99999999999999999999998",
                "99999999999999999999999", "Import 1-1000", "Import 1001-2000",
                "Import 10001-11000", "Import x", "a", "a1b2", "a1b10", "a2", "é",
            ])
        #expect(!LabelOrder.isBefore("a1", "a1"))
    }

    @Test("Retention is said in the largest unit that fits")
    func retention() {
        #expect(Retention.transactions(10_000).text == "the last 10,000 transactions")
        #expect(Retention.transactions(1).text == "the last transaction")
        #expect(Retention.age(seconds: 30 * 86_400).text == "the last 30 days")
        #expect(Retention.age(seconds: 7_200).text == "the last 2 hours")
        #expect(Retention.age(seconds: 60).text == "the last minute")
        #expect(Retention.age(seconds: 90).text == "the last 90 seconds")
        #expect(Retention.everything.text == "everything")
    }
}
