/// A condition on text properties of rows: true where any of them meets the test.
@usableFromInline
struct TextCondition: Sendable {
    @usableFromInline let fields: [TextField]
    @usableFromInline let test: TextTest

    @usableFromInline
    init(_ fields: [TextField], _ test: TextTest) {
        self.fields = fields
        self.test = test
    }

    /// The properties that the condition looks at.
    @usableFromInline var paths: [AnyKeyPath] { fields.map(\.path) }

    /// Whether a query with the condition orders what it finds by how well it matches.
    @usableFromInline var isRanked: Bool { rankedWords != nil }

    /// The words of a ranked condition.
    var rankedWords: TextWords? {
        if case .words(let words) = test.kind { return words }
        return nil
    }

    /// Whether a row meets the condition. O(length of its texts).
    func matches(_ row: UnsafeRawPointer) -> Bool { test.isMet(by: fields, in: row) }
}

/// What a ``TextCondition`` asks of a text.
@usableFromInline
struct TextTest: Sendable {
    enum Kind: Sendable {
        case pattern(TextPattern)
        /// Any token of the words is in the text.
        case words(TextWords)
        case expression(TextExpression)
    }

    let kind: Kind

    static func pattern(_ pattern: TextPattern) -> TextTest { TextTest(kind: .pattern(pattern)) }
    static func words(_ words: TextWords) -> TextTest { TextTest(kind: .words(words)) }
    static func expression(_ expression: TextExpression) -> TextTest {
        TextTest(kind: .expression(expression))
    }

    @usableFromInline
    func isMet(by fields: [TextField], in row: UnsafeRawPointer) -> Bool {
        for field in fields {
            if let text = field.text(in: row), isMet(by: text) { return true }
        }
        return false
    }

    func isMet(by text: String) -> Bool {
        switch kind {
        case .pattern(let pattern): pattern.isFound(in: text)
        case .words(let words): words.haveTokens(in: text)
        case .expression(let expression): expression.isFound(text)
        }
    }
}

extension TextTest: CustomStringConvertible {
    /// For a plan that is shown to a person: `contains "fox"`.
    @usableFromInline var description: String {
        switch kind {
        case .pattern(let pattern):
            let verb =
                switch pattern.place {
                case .anywhere: "contains"
                case .atStart: "has prefix"
                case .atEnd: "has suffix"
                }
            return "\(verb) \"\(pattern.text)\"\(pattern.folding.notes)"
        case .words(let words): return "matches \"\(words.text)\""
        case .expression(let expression): return "matches \(expression.description)"
        }
    }
}

extension TextFolding {
    /// What differs from the defaults.
    fileprivate var notes: String {
        (foldsCase ? "" : ", case-sensitive")
            + (passesOver == .nothing ? "" : ", without diacritics")
    }
}
