import Testing

/// Docs/CONFORMANCE.md has every row of the manuals that it accounts for, and names tests that are there.
@Suite("Rows of Docs/CONFORMANCE.md")
struct ConformanceTableTests {
    private struct Row {
        let name: String
        /// S, A or N.
        let kind: String
        /// What stands behind the last bar but one.
        let tests: String
    }

    private func lines() throws -> [String] {
        try Repository.shared.file("Docs/CONFORMANCE.md").lines
    }

    private func table() throws -> [Row] {
        try lines().compactMap { line in
            guard line.hasPrefix("| ") else { return nil }
            let cells = line.replacing("\\|", with: "").split(
                separator: "|", omittingEmptySubsequences: false)
            let name = cells[1].drop { $0 == " " }
            guard cells.count == 7, name.dropFirst(2).first == "-", name != "---" else {
                return nil
            }
            let kind = cells[3].filter { $0 != " " }
            return Row(name: String(name), kind: kind, tests: String(cells[5]))
        }
    }

    /// The text of each file of tests, with those of its aspects (`Suite+Aspect.swift`).
    private static func suites() throws -> [String: String] {
        var texts: [String: String] = [:]
        for file in try Repository.shared.swiftFiles("Tests") {
            let suite = file.name.prefix { $0 != "+" && $0 != "." }
            texts[String(suite), default: ""] += file.lines.joined(separator: "\n") + "\n"
        }
        return texts
    }

    /// The rows that a text names, ranges too: "OR-05 to OR-07" are three.
    private static func rows(in text: String) -> Set<String> {
        var found: Set<String> = []
        for match in text.matches(of: /([A-Z]{2})-(\d\d)(?: to ([A-Z]{2})-(\d\d))?/) {
            let (kind, first) = (match.output.1, Int(match.output.2) ?? 0)
            let last = match.output.4.flatMap { Int($0) } ?? first
            for number in first...max(first, last) {
                found.insert("\(kind)-\(number < 10 ? "0" : "")\(number)")
            }
        }
        return found
    }

    @Test(
        "Every row of the four manuals stands in it",
        arguments: [
            ("SM", 78), ("MD", 43), ("SD", 42), ("OR", 16),
        ])
    func rows(kind: String, count: Int) throws {
        let found = Self.rows(in: try lines().joined(separator: "\n"))
        let missing = (1...count).map { "\(kind)-\($0 < 10 ? "0" : "")\($0)" }
            .filter { !found.contains($0) }
        #expect(missing.isEmpty)
    }

    @Test("Every suite and test that a row names is there")
    func tests() throws {
        let texts = try Self.suites()
        let all = texts.values.joined(separator: "\n")
        for row in try table() {
            for suite in row.tests.matches(of: /[A-Z]\w+Tests\b/).map(\.output) {
                #expect(all.contains("struct \(suite)"), "\(row.name): there is no \(suite)")
            }
            // Titles may begin with the numbers of their rows.
            for match in row.tests.matches(of: /(\w+Tests): "(.*?)"(?=;| *$)/) {
                let file = texts["\(match.output.1)"] ?? ""
                #expect(
                    file.contains("\(match.output.2)\""),
                    "\(row.name): \(match.output.1) has no test \"\(match.output.2)\"")
            }
        }
    }

    @Test("Every row that is taken over names a test")
    func named() throws {
        let rows = try table()
        #expect(rows.count > 100)
        for row in rows where !row.tests.contains("Tests") {
            let isTold = row.tests.contains("–") || row.tests.contains("the suite itself")
            #expect(isTold, "\(row.name) names no test, and does not say so")
        }
    }

    @Test(
        "Every row of the other manuals that is taken over has a test whose name begins with its number"
    )
    func numbered() throws {
        let suites = [
            "MagicDataConformanceTests", "AssetConformanceTests", "SwiftDatastoreConformanceTests",
            "OrderedRelationshipConformanceTests", "OrderedRelationshipDiagnosticTests",
        ]
        let texts = try Self.suites()
        var found: Set<String> = []
        for suite in suites {
            let text = try #require(texts[suite], "\(suite)")
            for match in text.matches(of: /"((?:MD|SD|OR)-[^:"]*):/) {
                found.formUnion(Self.rows(in: String(match.output.1)))
            }
        }
        for row in try table() where row.kind == "S" || row.kind == "A" {
            guard !row.name.hasPrefix("SM"), !row.tests.contains("the suite itself") else {
                continue
            }
            let missing = Self.rows(in: row.name).subtracting(found)
            #expect(missing.isEmpty, "no test is named after \(missing.sorted())")
        }
    }

    @Test("Every example of a manual that is listed is a test")
    func examples() throws {
        let texts = try Self.suites()
        var file = ""
        var count = 0
        for line in try lines().drop(while: { !$0.hasPrefix("## Examples of the manuals") }) {
            if let match = line.firstMatch(of: /^- (\w+Tests) \(/) {
                file = try #require(texts[String(match.output.1)], "\(line)")
            } else if line.hasPrefix("  - ") {
                count += 1
                let title = String(line.dropFirst(4))
                #expect(file.contains("\(title)\""), "\(line)")
            }
        }
        #expect(count > 80)
    }
}
