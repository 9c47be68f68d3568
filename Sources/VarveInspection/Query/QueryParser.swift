/// Reads the text of a query.
///
/// The grammar is in Docs/TOOL.md. Words are keywords only where the grammar has one, so a
/// property may be called `order`; back quotes make any word a name.
struct QueryParser {
    private let text: [Character]
    private let tokens: [QueryToken]
    private var position = 0
    private var depth = 0

    /// How deep parentheses, `not` and calls may be nested: reading and answering recurse so far.
    private static let depthMax = 64

    static func parse(_ text: String) throws(QueryError) -> QuerySyntax {
        var parser = QueryParser(text: Array(text), tokens: try QueryToken.tokens(of: text))
        return try parser.query()
    }

    private init(text: [Character], tokens: [QueryToken]) {
        self.text = text
        self.tokens = tokens
    }

    // MARK: Clauses

    private mutating func query() throws(QueryError) -> QuerySyntax {
        var type = try name("a type")
        let selectsDeleted = type.text == "deleted" && current.isName
        if selectsDeleted { type = try name("a type") }
        var syntax = QuerySyntax(type: type, selectsDeleted: selectsDeleted)
        var seen: Set<String> = []
        while current.kind != .end {
            guard case .word(let clause) = current.kind, Self.clauses.contains(clause) else {
                if seen.isEmpty, let error = clauseBefore(type) { throw error }
                throw unexpected("'where', 'group', 'select', 'order', 'limit' or 'offset'")
            }
            if !seen.insert(clause).inserted {
                throw QueryError(problem: .clauseTwice(clause), place: current.place)
            }
            try self.clause(clause, into: &syntax)
        }
        return syntax
    }

    private static let clauses: Set = ["where", "group", "select", "order", "limit", "offset"]

    /// What a query is refused for that begins as in SQL; nil where the type is a name.
    private func clauseBefore(_ type: QueryName) -> QueryError? {
        let word = type.text.lowercased()
        guard word == "from" || Self.clauses.contains(word) else { return nil }
        return QueryError(problem: .clauseBeforeType(type.text), place: type.place)
    }

    private mutating func clause(
        _ clause: String, into syntax: inout QuerySyntax
    ) throws(QueryError) {
        switch clause {
        case "where":
            advance()
            syntax.condition = try condition()
        case "group":
            advance()
            try expect(word: "by")
            syntax.grouping = try list { parser throws(QueryError) in try parser.column() }
        case "select":
            advance()
            syntax.selection = try list { parser throws(QueryError) in try parser.column() }
        case "order":
            advance()
            try expect(word: "by")
            syntax.order = try list { parser throws(QueryError) in try parser.orderKey() }
        case "limit":
            advance()
            syntax.limit = try count()
        default:
            advance()
            syntax.offset = try count()
        }
    }

    private mutating func list<Element>(
        _ element: (inout QueryParser) throws(QueryError) -> Element
    ) throws(QueryError) -> [Element] {
        var elements = [try element(&self)]
        while take(sign: ",") { elements.append(try element(&self)) }
        return elements
    }

    private mutating func column() throws(QueryError) -> QueryColumn {
        let expression = try operand()
        if take(word: "as") {
            let title = try name("a name")
            return QueryColumn(title: title.text, expression: expression, place: title.place)
        }
        return QueryColumn(
            title: String(text[expression.place]), expression: expression,
            place: expression.place)
    }

    private mutating func orderKey() throws(QueryError) -> QueryOrder {
        let isNegated = take(sign: "-")
        let expression = try operand()
        let isDescending = take(word: "descending")
        return QueryOrder(expression: expression, isDescending: isNegated != isDescending)
    }

    private mutating func count() throws(QueryError) -> Int {
        guard case .number(let text) = current.kind, let number = Int(text) else {
            throw unexpected("a whole number")
        }
        advance()
        return number
    }

    // MARK: Conditions

    private mutating func condition() throws(QueryError) -> QueryExpression {
        try nested { parser throws(QueryError) in
            try parser.joined(by: "or", { .or($0) }) { parser throws(QueryError) in
                try parser.joined(by: "and", { .and($0) }) { parser throws(QueryError) in
                    try parser.term()
                }
            }
        }
    }

    private mutating func joined(
        by word: String, _ form: ([QueryExpression]) -> QueryExpression.Form,
        _ part: (inout QueryParser) throws(QueryError) -> QueryExpression
    ) throws(QueryError) -> QueryExpression {
        var parts = [try part(&self)]
        while take(word: word) { parts.append(try part(&self)) }
        guard parts.count > 1 else { return parts[0] }
        let place = parts[0].place.lowerBound..<parts[parts.count - 1].place.upperBound
        return QueryExpression(form: form(parts), place: place)
    }

    private mutating func term() throws(QueryError) -> QueryExpression {
        let start = current.place.lowerBound
        if take(word: "not") {
            let negated = try nested { parser throws(QueryError) in try parser.term() }
            return QueryExpression(
                form: .not(negated), place: start..<negated.place.upperBound)
        }
        if take(sign: "(") {
            let inner = try condition()
            try expect(sign: ")")
            return inner
        }
        return try comparison()
    }

    private mutating func comparison() throws(QueryError) -> QueryExpression {
        let first = try operand()
        let start = first.place.lowerBound
        if let comparison = takeComparison() {
            let second = try operand()
            return QueryExpression(
                form: .comparison(comparison, first, second),
                place: start..<second.place.upperBound)
        }
        if take(word: "is") {
            let isNegated = take(word: "not")
            try expect(word: "null")
            let test = QueryExpression(form: .isNull(first), place: start..<previousEnd)
            return isNegated ? QueryExpression(form: .not(test), place: test.place) : test
        }
        if take(word: "in") {
            try expect(sign: "(")
            let members = try list { parser throws(QueryError) in try parser.operand() }
            try expect(sign: ")")
            return QueryExpression(
                form: .membership(first, in: members), place: start..<previousEnd)
        }
        return first
    }

    private mutating func takeComparison() -> QueryComparison? {
        let found: QueryComparison? =
            switch current.kind {
            case .sign("="): .equal
            case .sign(let sign): QueryComparison(rawValue: sign)
            case .word(let word): QueryComparison(rawValue: word)
            default: nil
            }
        if found != nil { advance() }
        return found
    }

    // MARK: Operands

    private mutating func operand() throws(QueryError) -> QueryExpression {
        let token = current
        let start = token.place.lowerBound
        switch token.kind {
        case .text(let text):
            advance()
            return QueryExpression(form: .literal(.string(text)), place: token.place)
        case .number(let text):
            advance()
            return literal(text, start)
        case .sign("-"):
            advance()
            guard case .number(let text) = current.kind else { throw unexpected("a number") }
            advance()
            return literal("-" + text, start)
        case .word(let word):
            if isFollowed(by: "(") { return try call(word) }
            if let constant = Self.constants[word] {
                advance()
                return QueryExpression(form: .literal(constant), place: token.place)
            }
            return QueryExpression(form: .path(try path()), place: start..<previousEnd)
        case .name:
            return QueryExpression(form: .path(try path()), place: start..<previousEnd)
        default: throw unexpected("a property or a value")
        }
    }

    private static let constants: [String: StoredContent] = [
        "true": .bool(true), "false": .bool(false), "null": .optional(nil),
    ]

    private func literal(_ text: String, _ start: Int) -> QueryExpression {
        let content: StoredContent =
            Int64(text).map { .signed($0) } ?? UInt64(text).map { .unsigned($0) }
            ?? .double(Double(text) ?? .nan)
        return QueryExpression(form: .literal(content), place: start..<previousEnd)
    }

    private mutating func path() throws(QueryError) -> [QueryName] {
        var names = [try name("a property")]
        while take(sign: ".") { names.append(try name("a property")) }
        return names
    }

    /// `any(path, condition)`, `count(path)`, `lower(operand)`, `sum(operand)` and their like.
    private mutating func call(_ word: String) throws(QueryError) -> QueryExpression {
        let start = current.place.lowerBound
        let isKnown =
            QueryQuantifier(rawValue: word) != nil || QueryFunction(rawValue: word) != nil
            || QueryAggregate(rawValue: word) != nil
        guard isKnown else {
            throw unexpected("any, all, count, lower, length, sum, least, most or average")
        }
        advance()
        try expect(sign: "(")
        let form = try nested { parser throws(QueryError) in try parser.arguments(of: word) }
        try expect(sign: ")")
        return QueryExpression(form: form, place: start..<previousEnd)
    }

    private mutating func arguments(
        of word: String
    ) throws(QueryError) -> QueryExpression.Form {
        if let quantifier = QueryQuantifier(rawValue: word) {
            let path = try path()
            try expect(sign: ",")
            return .quantified(quantifier, path, try condition())
        }
        if let function = QueryFunction(rawValue: word) {
            return .function(function, try operand())
        }
        if word == "count" {
            if current.kind == .sign(")") { return .aggregate(.count, nil) }
            let path = try path()
            return .count(path, take(sign: ",") ? try condition() : nil)
        }
        guard let aggregate = QueryAggregate(rawValue: word) else {
            preconditionFailure("a call that the caller does not know")
        }
        return .aggregate(aggregate, try operand())
    }

    // MARK: Tokens

    private var current: QueryToken { tokens[position] }

    private var previousEnd: Int { position > 0 ? tokens[position - 1].place.upperBound : 0 }

    private mutating func advance() { if position < tokens.count - 1 { position += 1 } }

    private func isFollowed(by sign: String) -> Bool {
        position + 1 < tokens.count && tokens[position + 1].kind == .sign(sign)
    }

    private mutating func take(word: String) -> Bool {
        guard current.kind == .word(word) else { return false }
        advance()
        return true
    }

    private mutating func take(sign: String) -> Bool {
        guard current.kind == .sign(sign) else { return false }
        advance()
        return true
    }

    private mutating func expect(word: String) throws(QueryError) {
        if !take(word: word) { throw unexpected("'\(word)'") }
    }

    private mutating func expect(sign: String) throws(QueryError) {
        if !take(sign: sign) { throw unexpected("'\(sign)'") }
    }

    private mutating func name(_ expected: String) throws(QueryError) -> QueryName {
        let token = current
        switch token.kind {
        case .word(let text), .name(let text):
            advance()
            return QueryName(text: text, place: token.place)
        default: throw unexpected(expected)
        }
    }

    private func unexpected(_ expected: String) -> QueryError {
        QueryError(
            problem: .expected(expected, found: current.description), place: current.place)
    }

    private mutating func nested<Result>(
        _ body: (inout QueryParser) throws(QueryError) -> Result
    ) throws(QueryError) -> Result {
        guard depth < Self.depthMax else {
            throw QueryError(problem: .nestedTooDeep(limit: Self.depthMax), place: current.place)
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }
}

extension QueryToken {
    fileprivate var isName: Bool {
        switch kind {
        case .word(let word): word != "where" && word != "select" && word != "order"
        case .name: true
        default: false
        }
    }
}
