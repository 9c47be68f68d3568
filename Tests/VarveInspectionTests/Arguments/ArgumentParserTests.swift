import Testing

@testable import VarveTool

@Suite("Argument parser")
struct ArgumentParserTests {
    static let limit = OptionDefinition(
        name: "limit", letter: "n", valueName: "COUNT", help: "")
    static let reverse = OptionDefinition(name: "reverse", letter: "r", help: "")
    static let full = OptionDefinition(name: "full", letter: "f", help: "")
    static let fill = OptionDefinition(name: "fill", valueName: "X", help: "")

    private func parse(_ arguments: String...) throws(UsageError) -> ParsedArguments {
        try ArgumentParser.parse(
            arguments[...], options: [Self.limit, Self.reverse, Self.full, Self.fill])
    }

    @Test(
        "A value follows its option in all of the four usual ways",
        arguments: [
            ["--limit=5"], ["--limit", "5"], ["-n5"], ["-n", "5"], ["-rn5"], ["-rn", "5"],
        ])
    func values(_ arguments: [String]) throws {
        let parsed = try ArgumentParser.parse(
            arguments[...], options: [Self.limit, Self.reverse])
        #expect(parsed.value(of: Self.limit) == "5")
        #expect(parsed.operands.isEmpty)
    }

    @Test("Options stand anywhere, and behind two dashes everything is an operand")
    func order() throws {
        let parsed = try parse("a", "-r", "b", "--limit=1", "-", "--", "--full", "-n")
        #expect(parsed.operands == ["a", "b", "-", "--full", "-n"])
        #expect(parsed.has(Self.reverse))
        #expect(!parsed.has(Self.full))
    }

    @Test("Letters without values may be joined, and the last of several values counts")
    func joined() throws {
        let parsed = try parse("-rf", "--limit=1", "-n2")
        #expect(parsed.has(Self.reverse) && parsed.has(Self.full))
        #expect(parsed.value(of: Self.limit) == "2")
    }

    @Test("A value may be empty, begin with a dash, or hold an equals sign")
    func oddValues() throws {
        #expect(try parse("--limit=").value(of: Self.limit) == "")
        #expect(try parse("--limit", "-r").value(of: Self.limit) == "-r")
        #expect(try parse("--limit=a=b").value(of: Self.limit) == "a=b")
    }

    @Test("A long option may be shortened to what only it begins with")
    func abbreviations() throws {
        #expect(try parse("--rev").has(Self.reverse))
        #expect(try parse("--lim=3").value(of: Self.limit) == "3")
        #expect(
            throws: UsageError.ambiguousOption("--f", candidates: ["--full", "--fill"])
        ) { try parse("--f") }
    }

    @Test("What cannot be understood is named")
    func errors() {
        #expect(throws: UsageError.unknownOption("--limti", suggestion: "--limit")) {
            try parse("--limti=3")
        }
        #expect(throws: UsageError.unknownOption("--zebra", suggestion: nil)) {
            try parse("--zebra")
        }
        // Two of a few letters differ from "fill": nothing that could have been meant.
        #expect(throws: UsageError.unknownOption("--fix", suggestion: nil)) { try parse("--fix") }
        #expect(throws: UsageError.unknownOption("-x", suggestion: nil)) { try parse("-rx") }
        #expect(throws: UsageError.missingValue(option: "--limit")) { try parse("--limit") }
        #expect(throws: UsageError.missingValue(option: "-n")) { try parse("a", "-rn") }
        #expect(throws: UsageError.unexpectedValue(option: "--reverse")) {
            try parse("--reverse=yes")
        }
        #expect(throws: UsageError.unknownOption("--", suggestion: nil)) { try parse("--=5") }
    }

    @Test("Leading options end at the first operand")
    func leading() throws {
        let leading = try ArgumentParser.parseLeading(
            ["-r", "log", "-n", "5"], options: [Self.reverse])
        #expect(leading.parsed.has(Self.reverse))
        #expect(Array(leading.rest) == ["log", "-n", "5"])
    }
}
