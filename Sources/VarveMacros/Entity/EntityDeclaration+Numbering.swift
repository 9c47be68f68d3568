import SwiftDiagnostics
import SwiftSyntax

// What an entity has whose ids the store gives.

extension EntityDeclaration {
    func numberingDiagnostics() -> [Diagnostic] {
        let numbered = members.properties.filter { !$0.autoIncrements.isEmpty }
        guard let first = numbered.first else { return [] }
        if let second = numbered.dropFirst().first ?? numbered.first(where: \.isNumberedTwice) {
            let place = second.autoIncrements.last?.syntax ?? first.autoIncrements[0].syntax
            return [Misuse.numberedTwice(first.name, second.name).diagnostic(at: place)]
        }
        guard first.isIdentity else {
            return [
                Misuse.numberedProperty(first.name).diagnostic(at: first.autoIncrements[0].syntax)
            ]
        }
        if first.storage == .computed || first.initializer != nil {
            return [Misuse.numberedValue.diagnostic(at: first.bindingSyntax)]
        }
        if let type = first.type, !type.mayBeInteger {
            return [Misuse.numberedType(type.text).diagnostic(at: type.syntax)]
        }
        guard !declaresInitializer else { return [] }
        return parameters.filter { $0.type == nil }.map {
            Misuse.unknownParameterType($0.name).diagnostic(at: $0.syntax)
        }
    }

    // MARK: - Giving an id

    func emitNumbering(into source: inout SourceText) {
        guard numbersIDs else { return }
        source.block("\(type.access.memberPrefix)init(_numbering other: Self, as id: ID)") {
            source in
            source.line("self.id = id")
            for field in fields {
                source.line("self.\(field.reference) = other.\(field.reference)")
            }
            for relation in relations {
                source.line("self.\(relation.wrapper) = other.\(relation.wrapper)")
            }
        }
    }

    func emitAssigning(into source: inout SourceText) {
        guard numbersIDs else { return }
        let parameters = "to entity: inout Self, in context: inout \("Context".inLibrary)"
        source.block("\(type.access.memberPrefix)static func _assignID(\(parameters)) throws") {
            source in
            source.line("guard entity.id == 0 else { return }")
            source.line(
                "entity = Self(_numbering: entity, as: try context._nextID(of: Self.self))")
        }
    }

    // MARK: - The initializer without an id

    /// The memberwise initializer, in which the id need not be given; nil where the type declares an initializer, as
    /// it has no memberwise one then. In the type itself: only there all names mean what its author means.
    func emittedInitializer() -> String? {
        guard numbersIDs, !declaresInitializer else { return nil }
        let list = parameters.map { parameter in
            let value = parameter.value.map { " = \($0)" } ?? ""
            return "\(parameter.reference): \(parameter.type ?? "_")\(value)"
        }
        var source = SourceText()
        source.block("\(initializerAccess)init(\(list.joined(separator: ", ")))") { source in
            for parameter in parameters { source.line(parameter.assignment) }
        }
        return source.text
    }

    private var declaresInitializer: Bool {
        members.signatures.contains { $0.hasPrefix("init") }
    }

    private var storedMembers: [PropertyDeclaration] {
        members.properties.filter {
            !$0.isStatic && $0.storage == .stored && !$0.isFixed && !$0.isIndex
        }
    }

    /// As the compiler decides it for its own memberwise initializer.
    private var initializerAccess: String {
        let levels = storedMembers.compactMap { AccessLevel($0.declarationSyntax.modifiers) }
        return levels.contains { $0 < .internal } ? "fileprivate " : ""
    }

    private var parameters: [InitializerParameter] {
        storedMembers.map { property in
            if property.isIdentity {
                return InitializerParameter(
                    property, type: property.type?.text, value: "0")
            }
            if let relation = relations.first(where: { $0.name == property.name }) {
                return InitializerParameter(relation, property)
            }
            let isOptional = property.type?.isOptional == true && !property.isConstant
            return InitializerParameter(
                property, type: property.type?.parameterText ?? property.inferredType,
                value: property.initializer?.text ?? (isOptional ? "nil" : nil))
        }
    }
}

extension PropertyDeclaration {
    fileprivate var isNumberedTwice: Bool { autoIncrements.count > 1 }
}

extension TypeSpelling {
    /// Whether the spelling leaves it open that this is an integer.
    fileprivate var mayBeInteger: Bool {
        guard !isOptional, !isArray else { return false }
        let others: Set<String> = [
            "String", "Substring", "Character", "Bool", "Float", "Double", "Decimal", "UUID",
            "Data",
            "Date", "URL",
        ]
        let name = text.split(separator: ".").last.map(String.init) ?? text
        let isName = syntax.is(IdentifierTypeSyntax.self) || syntax.is(MemberTypeSyntax.self)
        return isName && !others.contains(name)
    }
}
