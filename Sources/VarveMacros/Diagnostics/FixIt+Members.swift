import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension FixIt {
    /// Inserts `let id: String` as the first member, indented as the members are.
    static func insertingID(in type: DeclaredType) -> FixIt {
        let block = type.membersSyntax
        let members = block.members
        let outer = type.keywordSyntax.lineIndentation
        let inner = members.first?.leadingTrivia.indentation ?? outer + .spaces(4)
        let declaration: DeclSyntax = "let id: String"
        var inserted = MemberBlockItemSyntax(decl: declaration)
        inserted.leadingTrivia = .newline + inner

        var changed = block
        changed.members = [inserted] + members
        if members.isEmpty && !block.rightBrace.leadingTrivia.containsNewline {
            changed.leftBrace.trailingTrivia = []
            changed.rightBrace.leadingTrivia = .newline + outer
        } else if let first = members.first, !first.leadingTrivia.containsNewline {
            // `struct User { var name: String }` on one line.
            inserted.leadingTrivia = []
            inserted.trailingTrivia = Trivia(pieces: [.unexpectedText("; ")])
            changed.members = [inserted] + members
        }
        return .replace(
            message: Correction(name: "insertID", message: "insert 'let id: String'"),
            oldNode: block, newNode: changed)
    }

    /// Declares each name of `var (a, b) = (1, 2)` by itself; nil when the value is no tuple of
    /// as many values.
    static func splitting(_ pattern: MemberScan.TuplePattern) -> FixIt? {
        let variable = pattern.declarationSyntax
        guard variable.bindings.count == 1, variable.attributes.isEmpty,
            let names = pattern.bindingSyntax.pattern.as(TuplePatternSyntax.self)?.elements,
            let tuple = pattern.bindingSyntax.initializer?.value.as(TupleExprSyntax.self),
            tuple.elements.count == names.count, pattern.bindingSyntax.typeAnnotation == nil,
            names.allSatisfy({ $0.pattern.is(IdentifierPatternSyntax.self) })
        else { return nil }
        let indentation = variable.leadingTrivia.indentation ?? []
        let words = variable.modifiers.map { $0.trimmedDescription + " " }.joined()
        let lines = zip(names, tuple.elements).map { name, value in
            "\(words)var \(name.pattern.trimmedDescription) = \(value.expression.trimmedDescription)"
        }
        let text = lines.joined(separator: "\n" + indentation.description)
        var changed = DeclSyntax("\(raw: text)")
        changed.leadingTrivia = variable.leadingTrivia
        changed.trailingTrivia = variable.trailingTrivia
        return .replace(
            message: Correction(name: "splitPattern", message: "declare each by itself"),
            oldNode: DeclSyntax(variable), newNode: changed)
    }
}

extension Trivia {
    fileprivate var containsNewline: Bool { contains { $0.isNewline } }

    /// The white space behind the last line break; nil when there is no line break.
    fileprivate var indentation: Trivia? {
        guard containsNewline else { return nil }
        return Trivia(pieces: reversed().prefix { $0.isSpaceOrTab }.reversed())
    }
}

extension TokenSyntax {
    /// The indentation of the line on which the token stands.
    fileprivate var lineIndentation: Trivia {
        var token: TokenSyntax? = self
        while let current = token {
            if let indentation = current.leadingTrivia.indentation { return indentation }
            token = current.previousToken(viewMode: .sourceAccurate)
        }
        return []
    }
}
