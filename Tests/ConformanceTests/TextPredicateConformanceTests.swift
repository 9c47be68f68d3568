import Foundation
import RegexBuilder
import Testing
import VarveGraph

private enum Mail {
    @EntityModel
    struct Message {
        let id: String
        var text: String
        var subject: String?
        var words: Int { text.split(separator: " ").count }
        var shout: String { text.uppercased() }
    }
}

@Suite("Manual: text filtering")
struct TextPredicateConformanceTests {
    private typealias Message = Mail.Message

    private func context() throws -> Context {
        var context = Context()
        let messages = [
            Message(id: "1", text: "Hello world", subject: "Re: greetings"),
            Message(id: "2", text: "hello again", subject: nil),
            Message(id: "3", text: "Best regards", subject: "Hello"),
            Message(id: "4", text: "Re: Straße nach Café", subject: ""),
            Message(id: "5", text: "😀😀😀 order 66", subject: nil),
        ]
        for message in messages { try message.save(to: &context) }
        return context
    }

    private func ids(_ predicate: QueryPredicate<Message>) throws -> String {
        try Message.filter(predicate).resolve(in: context()).map(\.id).joined()
    }

    // MARK: - SM-38

    @Test("SM-38: contains, hasPrefix and hasSuffix pay no attention to case")
    func positiveForms() throws {
        #expect(try ids(.string(\.text, contains: "HELLO")) == "12")
        #expect(try ids(.string(\.text, hasPrefix: "re:")) == "4")
        #expect(try ids(.string(\.text, hasSuffix: "REGARDS")) == "3")
        #expect(try ids(.string(\.shout, contains: "again")) == "2")
    }

    @Test("SM-38: caseSensitive: true does")
    func caseSensitive() throws {
        #expect(try ids(.string(\.text, contains: "Hello", caseSensitive: true)) == "1")
        #expect(try ids(.string(\.text, hasPrefix: "re:", caseSensitive: true)) == "")
        #expect(try ids(.string(\.text, hasSuffix: "regards", caseSensitive: true)) == "3")
        #expect(
            try ids(.string(\.text, notHavingPrefix: "Hello", caseSensitive: true)) == "2345")
        #expect(
            try ids(.string(\.text, notHavingSuffix: "World", caseSensitive: true)) == "12345")
    }

    @Test("SM-38: with several properties any serves the positive forms, none the negative ones")
    func severalProperties() throws {
        #expect(try ids(.string(\.text, \.subject, contains: "hello")) == "123")
        #expect(try ids(.string(\.text, \.subject, hasPrefix: "re:")) == "14")
        #expect(try ids(.string(\.subject, \.text, hasSuffix: "s")) == "13")
        #expect(try ids(.string(\.text, \.subject, notHavingPrefix: "re:")) == "235")
        #expect(try ids(.string(\.text, \.subject, notHavingSuffix: "s")) == "245")
        #expect(try ids(.string(\.text, \.subject, notContains: "hello")) == "45")
    }

    @Test("SM-38: a negative form is the opposite of its positive one")
    func negativeForms() throws {
        #expect(try ids(.string(\.text, notHavingPrefix: "hello")) == "345")
        #expect(try ids(.string(\.text, notHavingSuffix: "regards")) == "1245")
        #expect(try ids(.string(\.text, notContains: "e")) == "")
        #expect(try ids(!.string(\.text, contains: "hello")) == "345")
    }

    @Test("a property that is nil meets no positive form, and every negative one")
    func optionals() throws {
        #expect(try ids(.string(\.subject, contains: "")) == "134")
        #expect(try ids(.string(\.subject, notContains: "hello")) == "1245")
        #expect(try ids(.string(\.subject, matches: "greet")) == "1")
    }

    @Test("diacritics count unless told otherwise, however they are typed; ß is ss")
    func diacritics() throws {
        #expect(try ids(.string(\.text, contains: "cafe")) == "")
        #expect(try ids(.string(\.text, contains: "cafe\u{301}")) == "4")
        #expect(try ids(.string(\.text, contains: "cafe", diacriticSensitive: false)) == "4")
        #expect(try ids(.string(\.text, hasSuffix: "CAFE", diacriticSensitive: false)) == "4")
        #expect(try ids(.string(\.text, contains: "STRASSE")) == "4")
        #expect(try ids(.string(\.text, contains: "STRASSE", caseSensitive: true)) == "")
    }

    // MARK: - SM-39

    @Test("SM-39: matches finds what shares a part of a word, without case")
    func fuzzy() throws {
        #expect(
            try ids(.string(\.text, matches: "HELLOS")) == "21"
                || ids(.string(\.text, matches: "HELLOS")) == "12")
        #expect(try Set(ids(.string(\.text, matches: "worldly regard"))) == ["1", "3"])
        #expect(try ids(.string(\.text, matches: "cafeteria")) == "4")
        #expect(try ids(.string(\.text, matches: "zebra")) == "")
    }

    // MARK: - SM-40, SM-41

    @Test("SM-40: NSRegularExpression searches all of the text, also behind emoji")
    func foundationExpressions() throws {
        let order = try NSRegularExpression(pattern: "order \\d+$")
        #expect(try ids(.string(\.text, matches: order)) == "5")
        #expect(try ids(.string(\.text, notMatching: order)) == "1234")
        let hello = try NSRegularExpression(pattern: "hello", options: .caseInsensitive)
        #expect(try ids(.string(\.text, matches: hello)) == "12")
        #expect(try ids(.string(\.text, matches: hello, options: .anchored)) == "12")
        let world = try NSRegularExpression(pattern: "world")
        #expect(try ids(.string(\.text, matches: world, options: .anchored)) == "")
        #expect(try ids(.string(\.text, \.subject, matches: hello)) == "123")
        #expect(try ids(.string(\.text, \.subject, notMatching: hello)) == "45")
    }

    @Test("SM-41: Regex of any output, literal, from text or built")
    func swiftExpressions() throws {
        let erased = try Regex("h[ae]llo")
        #expect(try ids(.string(\.text, matches: erased)) == "2")
        #expect(try ids(.string(\.text, matches: erased.ignoresCase())) == "12")
        #expect(try ids(.string(\.text, notMatching: erased.ignoresCase())) == "345")
        #expect(try ids(.string(\.text, matches: /\d(\d)/)) == "5")
        let built = Regex {
            Anchor.startOfSubject
            Capture(OneOrMore(.word)) { $0.count }
            " world"
        }
        #expect(try ids(.string(\.text, matches: built)) == "1")
        #expect(try ids(.string(\.text, \.subject, matches: /^Hello/)) == "13")
        #expect(try ids(.string(\.subject, notMatching: /./)) == "245")
    }

    @Test("one regular expression serves queries on many threads at once")
    func sharedExpression() async throws {
        let context = try context()
        let query = Message.filter(.string(\.text, matches: /[Hh]ello/))
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { query.count(in: context) } }
            for await count in group { #expect(count == 2) }
        }
    }

    @Test("text conditions combine with others, in any order")
    func combinations() throws {
        #expect(try ids(.string(\.text, contains: "hello") && \.id > "1") == "2")
        #expect(try ids(.string(\.text, hasPrefix: "re") || \.words == 2 && \.id != "3") == "124")
        let context = try context()
        let query = Message.query()
            .filter(\.words == 2)
            .and(.string(\.text, contains: "e"))
            .or(.filter(.string(\.text, contains: "66")))
        #expect(query.resolve(in: context).map(\.id) == ["1", "2", "3", "5"])
    }
}
