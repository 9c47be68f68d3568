import Foundation
import Testing
import VarveTestSupport

@testable import VarveInspection
@testable import VarveTool

@Suite("The parts of a report")
struct ReportPageTests {
    private func page(_ path: String) throws -> ParsedPage {
        try ParsedPage(ToolRun("report", path, "-o", "-").output)
    }

    private func statistics(_ path: String) throws -> InspectedStatistics {
        try InspectedStatistics.gather(at: path, now: ToolRun.now)
    }

    @Test("Life has amounts by label, author and scope, and each of them adds up")
    func amounts() throws {
        let store = try SampleStore.filled()
        let (page, statistics) = (try page(store.path), try statistics(store.path))
        let rows = page.rows(of: "life")
        #expect(page.texts(of: "life", "label") == ["By label", "By author", "By scope"])
        let ann = try #require(rows.first { $0[0] == "ann" })
        let authored = try #require(statistics.authors.entries.first { $0.name == "ann" }).amount
        #expect(
            ann == [
                "ann", "1", "1", Numerals.size(authored.stored),
                ReportText.share(authored.stored.rawValue, of: statistics.log.stored.rawValue),
                Numerals.size(authored.raw),
            ])
        #expect(rows.first { $0[0] == "no author" }?[1] == "8")
        #expect(rows.first { $0[0] == "window 1" }?.dropFirst() == ann.dropFirst())
        #expect(rows.first { $0[0] == "no scope" }?[1] == "8")
        #expect(rows.first { $0[0] == "no label" }?[1] == "3")
    }

    @Test("The largest transactions are in the order of their bytes, with what they were")
    func largest() throws {
        let store = try SampleStore.filled()
        let (page, statistics) = (try page(store.path), try statistics(store.path))
        let rows = page.rows(of: "life").filter { $0.count == 7 }
        #expect(rows.count == 9)
        #expect(rows.map { $0[0] } == statistics.largestTransactions.map { "\($0.id.rawValue)" })
        #expect(rows[0].prefix(5) == ["2", "2026-08-03 14:02:00", "Import", "–", "9"])
        #expect(
            rows.map { $0[5] }
                == statistics.largestTransactions.map { Numerals.size($0.storedBytes) })
        #expect(rows.first { $0[0] == "3" }?[3] == "ann")
        #expect(rows.first { $0[0] == "7" }?[2] == "revert of 6")
    }

    @Test("Each file has a bar as long as its share of the largest, in parts that add up to it")
    func fileBars() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        let (page, statistics) = (
            ToolRun("report", store.path, "-o", "-").output, try statistics(store.path)
        )
        let files = statistics.files.filter { $0.kind == .segment }
        let most = try #require(files.map(\.bytes.rawValue).max())
        #expect(files.count > 2)
        for file in files {
            let bar = try Regex(
                #"aria-label="\#(file.name) by type">((?:<i class="c\d" style="width:[\d.]+%"></i>)+)</div>"#
            )
            let parts = try #require(page.firstMatch(of: bar)?.output[1].substring, "\(file.name)")
            let widths = parts.matches(of: #/width:([\d.]+)%/#).compactMap { Double($0.1) }
            let whole = Double(file.bytes.rawValue) / Double(most) * 100
            #expect(abs(widths.reduce(0, +) - whole) < 0.1, "\(file.name)")
        }
        let rows = try ParsedPage(page).rows(of: "files")
        let first = try #require(rows.first { $0[0] == files[0].name })
        #expect(first[1] == Numerals.size(files[0].bytes) && first[3] == "1 to 2")
    }

    @Test("A checkpoint is the state of a transaction, and has a bar of its types")
    func checkpoint() throws {
        let store = try SampleStore.filled(segmentBytesMax: 400)
        #expect(ToolRun("compact", "--keep=3", store.path).status == .success)
        let page = ToolRun("report", store.path, "-o", "-").output
        let row = try #require(
            try ParsedPage(page).rows(of: "files").first { $0[0].hasPrefix("checkpoint") })
        #expect(row[3] == "state of 9")
        #expect(page.contains(#"aria-label="\#(row[0]) by type"><i class="c0""#))
    }

    @Test("Health says how the store ended and that nothing is damaged")
    func ending() throws {
        let store = try SampleStore()
        try store.transaction("Define", kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.flush()
        let open = try page(store.path)
        #expect(open.text(of: "health").contains("open for writing in another process"))
        #expect(open.text(ofClass: "badge") == "open for writing")
        let copy = try store.copied()
        let left = try page(copy.url.path)
        #expect(
            left.text(of: "health").contains("not closed: the last writer ended without closing"))
        #expect(left.text(ofClass: "badge") == "not closed cleanly")
        try store.close()
        let closed = try page(store.path)
        #expect(closed.text(of: "health").contains("Stateclosed cleanly"))
        for page in [open, left, closed] {
            let health = page.text(of: "health")
            #expect(
                health.contains("Damagenone found") && health.contains("Retentionnever compacted"))
            #expect(health.contains("a store does not know its copies and backups"))
        }
    }

    @Test("Health says what history is kept, and by which rule")
    func retention() throws {
        let store = try SampleStore.filled(segmentBytesMax: 400)
        #expect(try page(store.path).text(of: "health").contains("History keptfrom the beginning"))
        #expect(ToolRun("compact", "--keep=3", store.path).status == .success)
        let compacted = try page(store.path)
        let health = compacted.text(of: "health")
        #expect(health.contains("History keptfrom transaction 7 on"))
        #expect(health.contains("Retentionthe last 3 transactions"))
        #expect(health.contains("To be removed"))
        #expect(
            compacted.rows(of: "life").filter { $0.count == 7 }.map { $0[0] }.sorted() == [
                "7", "8", "9",
            ])
    }

    @Test("On paper every panel has its title, and all types are opened")
    func paper() throws {
        let store = try SampleStore(definitions: [
            SampleStore.users, SampleStore.chats,
            TypeDefinition(
                number: TypeNumber(3), name: "Bare", idType: .int64, fields: [], relations: []),
        ])
        try store.transaction(kind: .schema) { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.close()
        let text = ToolRun("report", store.path, "-o", "-").output
        let page = try ParsedPage(text)
        #expect(page.texts(of: "life", "h3").prefix(3) == ["By label", "By author", "By scope"])
        #expect(text.contains("<details><summary><bdi class=\"name\">Bare</bdi>"))
        #expect(text.matches(of: #/<details>/#).count == 3)
        let print = try #require(text.range(of: "@media print")).lowerBound
        let style = text[print...]
        #expect(style.contains(".panel,.paper{display:block}"))
        #expect(!style.contains(".types .bare"))
        #expect(style.contains("details::details-content{content-visibility:visible}"))
        #expect(text.contains("beforeprint"))
    }
}
