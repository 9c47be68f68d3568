/// Swift source that is being written, line by line, with its indentation.
struct SourceText {
    private(set) var text = ""
    private var depth = 0

    mutating func line(_ line: String) {
        text += String(repeating: "    ", count: depth) + line + "\n"
    }

    /// Writes `header {`, the body one step deeper, and the closing brace with `tail` behind it.
    mutating func block(
        _ header: String, closing tail: String = "", _ body: (inout SourceText) -> Void
    ) {
        line(header + " {")
        indented(body)
        line("}" + tail)
    }

    mutating func indented(_ body: (inout SourceText) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }
}

extension String {
    /// The text of a string literal that means this string.
    var asStringLiteral: String {
        var literal = "\""
        for character in self {
            if character == "\"" || character == "\\" { literal.append("\\") }
            literal.append(character)
        }
        return literal + "\""
    }

    /// The name in the module that every user of the library sees. Unqualified, a user's own
    /// `Context` or `Slot` would capture the generated code.
    var inLibrary: String { "VarveGraph." + self }
}
