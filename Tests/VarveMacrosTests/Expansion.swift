import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import VarveMacros

/// What the library's macros make of a piece of source.
struct Expansion {
    /// The generated extensions.
    let extensions: [ExtensionDeclSyntax]
    let diagnostics: [Diagnostic]
    /// The initializers that types were given, without their bodies.
    let initializers: [String]

    init(_ source: String) {
        let file = Parser.parse(source: source)
        let shared = BasicMacroExpansionContext()
        let expanded = file.expand(
            macroSpecs: Self.macros,
            contextGenerator: { node in
                // The surroundings are those of the declaration, without itself.
                let parents = node.parent.map { $0.allMacroLexicalContexts() } ?? []
                return BasicMacroExpansionContext(sharingWith: shared, lexicalContext: parents)
            })
        let items = expanded.as(SourceFileSyntax.self)?.statements ?? []
        let original = Set(file.statements.map(\.trimmedDescription))
        self.extensions = items.compactMap { $0.item.as(ExtensionDeclSyntax.self) }
            .filter { !original.contains($0.trimmedDescription) && $0.isGenerated }
        self.diagnostics = shared.diagnostics
        let known = Self.initializers(in: Syntax(file))
        self.initializers = Self.initializers(in: Syntax(expanded)).filter { initializer in
            !known.contains(initializer) && !initializer.contains("_")
        }
    }

    private static func initializers(in syntax: Syntax) -> [String] {
        if var initializer = syntax.as(InitializerDeclSyntax.self) {
            initializer.body = nil
            return [initializer.trimmedDescription]
        }
        return syntax.children(viewMode: .sourceAccurate).flatMap { initializers(in: $0) }
    }

    private static let macros: [String: MacroSpec] = [
        "EntityModel": MacroSpec(
            type: EntityModelExpansion.self, conformances: ["EntityModelProtocol"]),
        "Storable": MacroSpec(type: StorableExpansion.self, conformances: ["Storable"]),
        "PersistedName": MacroSpec(type: PersistedNameExpansion.self),
        "AutoIncrement": MacroSpec(type: AutoIncrementExpansion.self),
    ]

    /// The text of the one generated extension.
    var text: String { extensions.map(\.trimmedDescription).joined(separator: "\n") }

    /// The generated extension up to its brace, attributes included.
    var header: String {
        String(text.prefix { $0 != "{" }).trimmingTrailingSpace
    }

    /// The text of each generated member whose first line contains `fragment`, without the
    /// extension's indentation.
    func member(_ fragment: String) -> String {
        let members = extensions.flatMap { $0.memberBlock.members.map(\.trimmedDescription) }
        let found = members.filter { $0.prefix { $0 != "\n" }.contains(fragment) }
        return found.map { $0.replacing(indentation: "    ") }.joined(separator: "\n")
    }

    var messages: [String] { diagnostics.map(\.message) }

    /// The source that the diagnostics point at.
    var places: [String] { diagnostics.map { $0.node.trimmedDescription } }

    /// What each offered fix makes of the declaration.
    var fixes: [Fix] {
        diagnostics.flatMap { diagnostic in
            diagnostic.fixIts.map { fixIt in
                Fix(
                    fixIt.message.message,
                    fixIt.edits.applied(to: diagnostic.node.root.description))
            }
        }
    }

    struct Fix: Equatable {
        let message: String
        let result: String

        init(_ message: String, _ result: String) {
            self.message = message
            self.result = String(result.drop { $0.isNewline })
        }
    }
}

extension ExtensionDeclSyntax {
    fileprivate var isGenerated: Bool {
        modifiers.contains { $0.name.text == "nonisolated" }
    }
}

extension [SourceEdit] {
    /// Later edits first, so that the earlier ones' offsets stay true.
    fileprivate func applied(to source: String) -> String {
        var bytes = Array<UInt8>(source.utf8)
        for edit in sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            let range = edit.range.lowerBound.utf8Offset..<edit.range.upperBound.utf8Offset
            bytes.replaceSubrange(range, with: Array<UInt8>(edit.replacement.utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate func replacing(indentation: String) -> String {
        let lines = split(separator: "\n", omittingEmptySubsequences: false)
        let stripped = lines.map { line in
            line.hasPrefix(indentation) ? line.dropFirst(indentation.count) : line
        }
        return stripped.joined(separator: "\n")
    }

    fileprivate var trimmingTrailingSpace: String {
        var text = self
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
