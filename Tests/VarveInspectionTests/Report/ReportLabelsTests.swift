import Foundation
import Testing
import VarveText

@testable import VarveInspection
@testable import VarveTool

@Suite("The labels of a report")
struct ReportLabelsTests {
    private static let amount = InspectedStatistics.Amount(
        transactions: 1, events: 2, raw: ByteCount(30), stored: ByteCount(20))

    private static func statistics(
        _ labels: [String], others: InspectedStatistics.Amount = .init()
    ) -> NameStatistics {
        let entries = labels.enumerated().map { position, label in
            let transaction = StoreSummary.Transaction(
                id: TransactionID(UInt64(position) + 1),
                time: Moment(microseconds: SampleStore.start + Int64(position) * 1_000_000))
            return NameStatistics.Entry(
                name: label, amount: amount, first: transaction, last: transaction)
        }
        return NameStatistics(entries: entries, others: others)
    }

    private static func section(_ statistics: NameStatistics) throws -> ParsedPage {
        let markup = LabelsSection(labels: statistics).markup.source
        return try ParsedPage("<body><section id=\"labels\">\(markup)</section></body>")
    }

    /// What the script searches.
    private static func data(of page: ParsedPage) throws -> [[Any]] {
        let text = try #require(page.texts(of: "labels", "script").first)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[Any]])
    }

    @Test("Every label of tens of thousands can be found, and the table has the first ones")
    func many() throws {
        let labels = (1...20_000).map { "Add “item \($0)”" }
        let page = try Self.section(Self.statistics(labels.shuffled()))
        #expect(page.rows(of: "labels").map { $0[0] } == Array(labels.prefix(100)))
        #expect(page.text.contains("Search in 20,000 labels"))
        #expect(page.text.contains("The first 100 of 20,000 labels are listed."))
        #expect(!page.text.contains("no room"))
        let data = try Self.data(of: page)
        #expect(data.compactMap { $0[0] as? String } == labels)
        // No more than a line for each.
        #expect(LabelsSection(labels: Self.statistics(labels)).markup.source.utf8.count < 1_600_000)
    }

    @Test("Data say of a label what its row says")
    func figures() throws {
        let page = try Self.section(Self.statistics(["Import"]))
        let row = try #require(try Self.data(of: page).first)
        #expect(row.count == 6 && row[0] as? String == "Import")
        #expect(
            row.dropFirst().compactMap { $0 as? Int64 } == [
                1, 20, 1, 1, SampleStore.start / 1_000_000,
            ])
        #expect(
            page.rows(of: "labels") == [
                ["Import", "1", "20 bytes", "1", "1", "2026-08-03 14:00:00"]
            ])
        #expect(!page.text.contains("are listed"))
    }

    @Test("Labels that could end the script or hide stay text, also before a combining mark")
    func hostile() throws {
        let labels = ["</script><b>", "<\u{301}/script>", "]]>&amp;", "a\u{202E}b\u{2028}c\0"]
        let page = try Self.section(Self.statistics(labels))
        #expect(page.count(of: "script") == 1 && page.count(of: "b") == 0 && page.hidden.isEmpty)
        let texts = try Self.data(of: page).compactMap { $0[0] as? String }
        #expect(Set(texts) == Set(labels.map(\.escapedForDisplay)))
    }

    @Test("Times that no script writes are texts")
    func times() throws {
        for time in [Int64.min, -1, Int64.max] {
            let transaction = StoreSummary.Transaction(id: 1, time: Moment(microseconds: time))
            let entry = NameStatistics.Entry(
                name: "x", amount: Self.amount, first: transaction, last: transaction)
            let page = try Self.section(
                NameStatistics(entries: [entry], others: .init()))
            let text = try #require(try Self.data(of: page).first?[5] as? String)
            #expect(text == transaction.time.iso8601Seconds)
        }
    }

    @Test("Labels beyond those that are kept are said to be missing")
    func bound() throws {
        var tally = NameTally(namesMax: 65_536)
        let place = StoreSummary.Transaction(id: 1, time: Moment(microseconds: 0))
        for number in 0..<65_540 { _ = tally.add("label \(number)", Self.amount, in: place) }
        #expect(tally.entries.count == 65_536 && tally.othersAmount.transactions == 4)
        // Long names are fewer.
        var long = NameTally(namesMax: 65_536)
        for number in 0..<30_000 {
            let name = "\(number)" + String(repeating: "x", count: 395)
            _ = long.add(name, Self.amount, in: place)
        }
        #expect(long.entries.count < 22_000 && long.entries.count > 20_000)
        #expect(long.entries.count + Int(long.othersAmount.transactions) == 30_000)
        for (count, sentence) in [
            (4, "4 more transactions have labels that this page has no room for"),
            (1, "1 more transaction has a label that this page has no room for"),
        ] as [(UInt64, String)] {
            let others = InspectedStatistics.Amount(
                transactions: count, events: 0, raw: .zero, stored: .zero)
            let page = try Self.section(Self.statistics(["a"], others: others))
            #expect(page.text.contains(sentence))
        }
    }

    @Test("A store's page finds a label that is not among the first ones")
    func store() throws {
        let store = try SampleStore()
        for number in 1...150 { try store.transaction("Step \(number)") { _ in } }
        try store.close()
        let run = ToolRun("report", store.path, "-o", "-")
        #expect(run.status == .success)
        let page = try ParsedPage(run.output)
        #expect(page.rows(of: "labels").count == 100)
        #expect(try Self.data(of: page).last?[0] as? String == "Step 150")
    }
}
