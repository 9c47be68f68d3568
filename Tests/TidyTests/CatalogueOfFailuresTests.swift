import Testing

/// Docs/RECOVERY.md accounts for every failure of the catalogue: with tests that exist and say so.
@Suite("Catalogue of failures")
struct CatalogueOfFailuresTests {
    private struct Row {
        let numbers: [Int]
        /// `Suite.function`.
        let tests: [String]
        /// Parts of the torture campaign.
        let parts: [String]
    }

    /// What has no test of its own, with the reason in the table: macOS alone, and encryption.
    private static let untested = [26, 54, 55]

    @Test("Every row from 1 to 60 stands in it once")
    func rows() throws {
        #expect(try catalogue().flatMap(\.numbers) == Array(1...60))
    }

    @Test("Every row names tests that are there, and one of them says the row's number")
    func tests() throws {
        let titles = try titlesOfTests()
        for row in try catalogue() {
            for test in row.tests {
                #expect(titles[test] != nil, "row \(row.numbers): there is no test \(test)")
            }
            let said = row.tests.flatMap { titles[$0, default: []] }.flatMap(Self.rows(in:))
            for number in row.numbers where !Self.untested.contains(number) {
                #expect(said.contains(number), "no test of row \(number) says so")
            }
        }
    }

    @Test("Every part of the campaign that it names is there")
    func parts() throws {
        let lines = try Repository.shared.file("Tools/torture-campaign/Campaign.swift").lines
        for row in try catalogue() {
            for part in row.parts {
                let isThere = lines.contains { $0.contains("Part(name: \"\(part)\"") }
                #expect(isThere, "row \(row.numbers): torture \(part)")
            }
        }
    }

    // MARK: The table

    private func catalogue() throws -> [Row] {
        let lines = try Repository.shared.file("Docs/RECOVERY.md").lines
            .drop { $0 != "## The catalogue of failures" }.dropFirst().prefix {
                !$0.hasPrefix("## ")
            }
        return lines.compactMap { line in
            let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
            guard cells.count >= 3 else { return nil }
            let numbers = cells[0].split { !$0.isNumber }.compactMap { Int($0) }
            guard !numbers.isEmpty else { return nil }
            let quoted = Self.quoted(in: cells[2])
            return Row(
                numbers: numbers, tests: Self.tests(in: quoted), parts: Self.parts(in: quoted))
        }
    }

    /// What stands in backquotes.
    private static func quoted(in cell: Substring) -> [Substring] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
    }

    /// `.function` is of the suite named before; a suite alone names no test.
    private static func tests(in quoted: [Substring]) -> [String] {
        var suite: Substring = ""
        return quoted.compactMap { name in
            if name.hasPrefix(".") { return String(suite + name) }
            suite = name.prefix { $0 != "." }
            return suite.hasSuffix("Tests") ? String(name) : nil
        }
    }

    private static func parts(in quoted: [Substring]) -> [String] {
        quoted.filter { $0.allSatisfy { $0.isLetter && $0.isLowercase } }.map { String($0) }
    }

    // MARK: The tests

    /// Titles by `Suite.function`; suites of equal name in several modules count together.
    private func titlesOfTests() throws -> [String: [String]] {
        var titles: [String: [String]] = [:]
        for file in try Repository.shared.swiftFiles("Tests") {
            var suite: Substring = ""
            var title: String?
            for line in file.lines {
                let text = line.drop { $0 == " " }
                if let name = Self.word(behind: ["struct ", "extension "], in: line[...]) {
                    suite = name
                } else if text.hasPrefix("@Test") {
                    title = Self.literal(in: text) ?? ""
                } else if title?.isEmpty == true, let literal = Self.literal(in: text) {
                    // It stands on the line behind the attribute.
                    title = literal
                }
                if let function = Self.word(behind: ["func "], in: text), let found = title {
                    titles["\(suite).\(function)", default: []].append(found)
                    title = nil
                }
            }
        }
        return titles
    }

    private static func word(behind starts: [String], in line: Substring) -> Substring? {
        for start in starts where line.hasPrefix(start) {
            return line.dropFirst(start.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        }
        return nil
    }

    private static func literal(in line: Substring) -> String? {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.count >= 3 ? String(parts[1]) : nil
    }

    /// "Row 7: …" or "Rows 1 to 4, 8 and 12: …".
    private static func rows(in title: String) -> [Int] {
        guard title.hasPrefix("Row"), let list = title.split(separator: ":").first else {
            return []
        }
        var rows: [Int] = []
        var isRange = false
        for word in list.split(whereSeparator: { $0 == " " || $0 == "," }) {
            if word == "to" { isRange = true }
            guard let number = Int(word) else { continue }
            if isRange, let first = rows.last, first < number { rows += (first + 1)..<number }
            isRange = false
            rows.append(number)
        }
        return rows
    }
}
