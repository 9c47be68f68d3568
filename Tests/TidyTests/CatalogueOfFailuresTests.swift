import Testing

/// Docs/RECOVERY.md accounts for every failure of the catalogue, and names tests that exist.
@Suite("Catalogue of failures")
struct CatalogueOfFailuresTests {
    private struct Row {
        let numbers: [Int]
        /// `Suite` or `Suite.function`.
        let tests: [String]
    }

    @Test("Every row from 1 to 60 stands in it once")
    func rows() throws {
        #expect(try catalogue().flatMap(\.numbers) == Array(1...60))
    }

    @Test("Every test that it names is there")
    func tests() throws {
        let files = try Repository.shared.swiftFiles("Tests")
        for row in try catalogue() {
            for test in row.tests {
                let parts = test.split(separator: ".")
                let suite = files.filter { file in
                    file.lines.contains {
                        $0.hasPrefix("struct \(parts[0])") || $0.hasPrefix("extension \(parts[0])")
                    }
                }
                #expect(!suite.isEmpty, "row \(row.numbers): \(test)")
                guard parts.count > 1 else { continue }
                let isThere = suite.contains { file in
                    file.lines.contains { $0.contains("func \(parts[1])(") }
                }
                #expect(isThere, "row \(row.numbers): \(test)")
            }
        }
    }

    private func catalogue() throws -> [Row] {
        let lines = try Repository.shared.file("Docs/RECOVERY.md").lines
            .drop { $0 != "## The catalogue of failures" }.dropFirst().prefix {
                !$0.hasPrefix("## ")
            }
        return lines.compactMap { line in
            let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
            guard cells.count >= 3 else { return nil }
            let numbers = cells[0].split { !$0.isNumber }.compactMap { Int($0) }
            return numbers.isEmpty ? nil : Row(numbers: numbers, tests: Self.tests(in: cells[2]))
        }
    }

    /// What stands in backquotes; `.function` is of the suite named before.
    private static func tests(in cell: Substring) -> [String] {
        var suite: Substring = ""
        let quoted = cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map(\.element)
        return quoted.compactMap { name in
            if name.hasPrefix(".") { return String(suite + name) }
            suite = name.prefix { $0 != "." }
            return suite.hasSuffix("Tests") ? String(name) : nil
        }
    }
}
