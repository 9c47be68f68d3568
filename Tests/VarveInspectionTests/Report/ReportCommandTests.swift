import Foundation
import FoundationXML
import Testing
import VarveTestSupport

@testable import VarveInspection
@testable import VarveTool

@Suite("varve report")
struct ReportCommandTests {
    /// A page that is removed with the test.
    private final class Page {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-report-\(UUID().uuidString)")
        var path: String { folder.appendingPathComponent("page.html").path }
        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        }
        func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
        deinit { try? FileManager.default.removeItem(at: folder) }
    }

    private let page: Page

    init() throws { page = try Page() }

    private func report(_ path: String, _ arguments: String...) throws -> (ToolRun, ParsedPage) {
        let run = ToolRun(all: ["report", path, "-o", page.path] + arguments)
        return (run, try ParsedPage(try page.text()))
    }

    @Test("The page has its parts, with the values of the store")
    func sample() throws {
        let store = try SampleStore.filled()
        let (run, parsed) = try report(store.path)
        #expect(run.status == .success && run.errors.isEmpty)
        #expect(run.output.hasPrefix("\(page.path): ") && run.output.hasSuffix(" KiB, sound\n"))
        #expect(
            parsed.headings == [
                "Contents", "Schema", "Life", "Files", "Entities", "Health", "Labels",
            ])
        let contents = parsed.rows(of: "contents")
        #expect(contents[0].prefix(6) == ["User", "2", "", "0", "3", "1.3 KiB"])
        #expect(contents[1].prefix(6) == ["Chat", "1", "", "0", "2", "22 bytes"])
        #expect(contents[2].prefix(3) == ["less than a day ago", "3", "1.3 KiB"])
        #expect(parsed.rows(of: "labels").map { $0[0] }.contains("Rename chat"))
        #expect(parsed.rows(of: "labels").count == 6)
        #expect(
            parsed.texts(of: "schema", "title").filter { $0 == "User" || $0 == "Chat" } == [
                "User", "Chat",
            ])
        #expect(parsed.text(of: "health").contains("closed cleanly"))
        #expect(parsed.text(of: "entities").contains("Chat 7"))
        #expect(parsed.count(of: "script") == 2 && parsed.count(of: "style") == 1)
    }

    @Test("Nothing is loaded from elsewhere")
    func selfContained() throws {
        let store = try SampleStore.filled()
        let (_, parsed) = try report(store.path)
        for name in ["link", "img", "iframe", "object", "embed"] {
            #expect(parsed.count(of: name) == 0)
        }
        #expect(parsed.attributes("src").isEmpty)
        #expect(parsed.attributes("href").allSatisfy { $0.hasPrefix("#") })
        let text = try page.text()
        #expect(
            !text.contains("http://") && !text.contains("https://") && !text.contains("@import"))
        #expect(text.contains("default-src 'none'"))
    }

    @Test("Names and labels of any content are text and nothing else")
    func hostile() throws {
        let everywhere = try HostileStore()
        let (run, parsed) = try report(everywhere.path)
        #expect(run.status == .success, "\(run.errors)")
        #expect(parsed.hidden.isEmpty)
        let store = try SampleStore()
        let label =
            "</script><script>alert(1)</script><b a=\"'&amp;\u{202E}]]> 😀 שלום "
            + String(repeating: "long ", count: 500)
        try store.transaction(label, kind: .schema) { header in
            header.author = label
            header.scope = label
        } events: { encoder in
            for definition in store.definitions { try encoder.define(definition) }
        }
        try store.transaction("--><style>*{}</style>") { encoder in
            encoder.insert(
                encoder.user("<img src=x onerror=alert(1)>"), 1, try SampleStore.user(label))
        }
        try store.close()
        let (second, other) = try report(store.path, "--force")
        #expect(second.status == .success)
        #expect(
            other.count(of: "script") == 2 && other.count(of: "style") == 1
                && other.count(of: "img") == 0)
        #expect(other.count(of: "b") == 0 && other.hidden.isEmpty)
        let shown = "</script><script>alert(1)</script><b a=\"'&amp;\\u{202E}]]> 😀 שלום"
        #expect(other.rows(of: "labels").contains { $0[0].hasPrefix(shown) })
        #expect(other.text(of: "entities").contains("<img src=x onerror=alert(1)>"))
    }

    @Test("An empty store has a page that says so")
    func empty() throws {
        let store = try SampleStore()
        try store.close()
        let (run, parsed) = try report(store.path)
        #expect(run.status == .success)
        #expect(parsed.text.contains("Nothing was ever written to it"))
        #expect(parsed.text(of: "contents") == "Contents" + "No types are defined.")
        #expect(parsed.text(of: "life").contains("There are no transactions in the log."))
        #expect(parsed.text(of: "entities").contains("There are no entities."))
        #expect(parsed.text(of: "labels").contains("No transaction has a label."))
    }

    @Test("A damaged store has a page of what is sound, with what is missing in front")
    func damaged() throws {
        let store = try SampleStore.filled(segmentBytesMax: 600)
        try store.flip(byteAt: 464 + 60)
        let (run, parsed) = try report(store.path)
        #expect(run.status == .failure && run.errors.isEmpty)
        #expect(run.output.contains("not everything could be read: the page says what is missing"))
        let notice = parsed.text(ofClass: "notice")
        #expect(notice.contains("This report is of what is sound."))
        #expect(notice.contains("segment-0000000001, offset 464"))
        #expect(notice.contains("cannot be read and is not counted below."))
        #expect(parsed.text(of: "life").contains("Delete cy"))
    }

    @Test(
        "A file that is there stays, unless it is to be replaced, and a store gets no foreign file")
    func overwriting() throws {
        let store = try SampleStore.filled()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: page.path))
        let run = ToolRun("report", store.path, "-o", page.path)
        #expect(run.status == .failure)
        #expect(
            run.errors
                == "varve: cannot write the output: \(page.path) exists; --force replaces it\n")
        #expect(try page.text() == "mine")
        #expect(ToolRun("report", "-f", store.path, "-o", page.path).status == .success)
        #expect(try page.text().hasPrefix("<!DOCTYPE html>"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: page.folder.path) == ["page.html"])
        let inside = ToolRun("report", store.path, "-o", store.path + "/page.html")
        #expect(
            inside.status == .failure && inside.errors.contains("would be a file inside the store"))
        #expect(
            ToolRun("report", store.path, "-o", page.folder.path).errors.contains("is a directory"))
        #expect(
            ToolRun("report", store.path).errors.hasPrefix(
                "varve: the option '--output' is missing\n"))
        #expect(try store.files().keys.allSatisfy { !$0.contains("html") })
    }

    @Test("JSON says what was written")
    func json() throws {
        let store = try SampleStore.filled()
        let json = try JSONObject(ToolRun("report", "--json", store.path, "-o", page.path).output)
        #expect(json["output"] == page.path && json["sound"] == "true")
        #expect(json["bytes"] == "\(try page.text().utf8.count)")
    }
}

/// A page, parsed as XML, which is stricter than what browsers take.
final class ParsedPage: NSObject, XMLParserDelegate {
    private struct Element {
        let name: String
        let attributes: [String: String]
        var text = ""
    }

    private var open: [Element] = []
    private var closed: [(element: Element, section: String?)] = []
    private var failure: (any Error)?
    private var section: String?
    private(set) var text = ""

    init(_ page: String) throws {
        super.init()
        // Neither is XML inside.
        let plain = page.replacing(#/<style>(?s:.*?)<\/style>/#, with: "<style></style>")
            .replacing(#/<script>(?s:.*?)<\/script>/#, with: "<script></script>")
        let parser = XMLParser(data: Data(plain.utf8))
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.coderReadCorrupt) }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        open.append(Element(name: name, attributes: attributes))
        if name == "section" { section = attributes["id"] }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        self.text += text
        for position in open.indices { open[position].text += text }
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard let element = open.popLast() else { return }
        closed.append((element, section))
        if name == "section" { section = nil }
    }

    var headings: [String] { closed.filter { $0.element.name == "h2" }.map(\.element.text) }

    func count(of name: String) -> Int { closed.count { $0.element.name == name } }

    func attributes(_ name: String) -> [String] {
        closed.compactMap { $0.element.attributes[name] }
    }

    func text(of section: String) -> String {
        closed.first { $0.element.name == "section" && $0.element.attributes["id"] == section }?
            .element.text ?? ""
    }

    func text(ofClass name: String) -> String {
        closed.first { $0.element.attributes["class"] == name }?.element.text ?? ""
    }

    func texts(of section: String, _ name: String) -> [String] {
        closed.filter { $0.section == section && $0.element.name == name }.map(\.element.text)
    }

    /// The cells of each row of a section's tables.
    func rows(of section: String) -> [[String]] {
        var rows: [[String]] = []
        var cells: [String] = []
        for (element, own) in closed where own == section {
            if element.name == "td" { cells.append(element.text) }
            if element.name == "tr", !cells.isEmpty {
                rows.append(cells)
                cells = []
            }
        }
        return rows
    }

    /// Characters that show nothing or turn the direction of writing, in text and in attributes.
    var hidden: [Unicode.Scalar] {
        let all = [text] + closed.flatMap { $0.element.attributes.values }
        return all.flatMap(\.unicodeScalars).filter { $0.isHidden && $0 != "\n" }
    }
}
