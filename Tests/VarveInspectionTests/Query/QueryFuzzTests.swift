import Testing
import VarveFuzzing
import VarveTestSupport

@Suite("Queries of any text")
struct QueryFuzzTests {
    private static let words = [
        "User", "where", "select", "order", "by", "group", "limit", "offset", "deleted", "and",
        "or",
        "not", "in", "is", "null", "true", "as", "descending", "any", "all", "count", "lower",
        "length",
        "sum", "least", "most", "average", "name", "age", "friends", "id", "@ordinal", "@updatedAt",
        "==", "!=", "<", ">=", "contains", "startsWith", "(", ")", ",", ".", "-", "1", "1e308",
        "99999999999999999999", "\"a\"", "'2026-08-03'", "`x`", "\"", "%", "\u{301}", "😀",
    ]

    @Test("Any sequence of words is answered, or refused with a place in the text")
    func words() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1_500 {
            let start =
                ["User where ", "User select ", "User ", ""].randomElement(using: &random) ?? ""
            let words = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                Self.words.randomElement(using: &random) ?? ""
            }
            let text = start + words.joined(separator: Bool.random(using: &random) ? " " : "")
            // Stops the process with the text where one is not.
            FuzzTarget.query.run(Array(text.utf8))
        }
    }

    @Test(
        "A query of which any character is lost or another one is answered, or refused with a place"
    )
    func mutations() {
        let text = """
            User where (age > 1 or lower(name) contains "b") and any(friends, count(friends) == 1) \
            group by age select count(), sum(age) as n order by -n limit 3
            """
        var random = SeededGenerator(seed: 7)
        let characters = Array(text)
        for position in characters.indices {
            var changed = characters
            changed.remove(at: position)
            FuzzTarget.query.run(Array(String(changed).utf8))
            changed = characters
            changed[position] = Array("()\"'`,.-<=% a0").randomElement(using: &random) ?? "x"
            FuzzTarget.query.run(Array(String(changed).utf8))
        }
    }
}
