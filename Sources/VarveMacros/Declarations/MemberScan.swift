import SwiftSyntax

/// What the members of a type say, as far as the macros look.
struct MemberScan {
    var properties: [PropertyDeclaration] = []
    var tuplePatterns: [TuplePattern] = []
    /// Names of stored properties and enum cases inside `#if`, with the place to report.
    var conditionalMembers: [ConditionalMember] = []
    /// Names of index declarations inside `#if`.
    var conditionalIndexes: [ConditionalMember] = []
    /// Functions, initializers, type properties and aliases, as `static patch`, `init(_id:from:)` or
    /// `typealias ID`.
    var signatures: Set<String> = []
    var functions: [FunctionDeclSyntax] = []
    var cases: [CaseDeclaration] = []

    /// `var (a, b) = …`
    struct TuplePattern {
        let declarationSyntax: VariableDeclSyntax
        let bindingSyntax: PatternBindingSyntax
    }

    struct ConditionalMember {
        let name: String
        let syntax: Syntax
    }

    init(_ block: MemberBlockSyntax) {
        for item in block.members { scan(item.decl) }
    }

    private mutating func scan(_ declaration: DeclSyntax) {
        if let variable = declaration.as(VariableDeclSyntax.self) {
            scan(variable)
        } else if let function = declaration.as(FunctionDeclSyntax.self) {
            signatures.insert(function.macroSignature)
            functions.append(function)
        } else if let initializer = declaration.as(InitializerDeclSyntax.self) {
            signatures.insert("init" + initializer.signature.parameterClause.labels)
        } else if let alias = declaration.as(TypeAliasDeclSyntax.self) {
            signatures.insert("typealias " + alias.name.bareText)
        } else if let caseDeclaration = declaration.as(EnumCaseDeclSyntax.self) {
            cases += CaseDeclaration.all(in: caseDeclaration)
        } else if let condition = declaration.as(IfConfigDeclSyntax.self) {
            scan(condition)
        }
    }

    private mutating func scan(_ variable: VariableDeclSyntax) {
        let found = PropertyDeclaration.all(in: variable)
        properties += found
        for property in found where property.isStatic {
            signatures.insert("static " + property.name)
        }
        // A constant tuple pattern is as little a field as any other constant.
        let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
        for binding in variable.bindings where binding.pattern.is(TuplePatternSyntax.self) {
            if variable.modifiers.typeKeyword != nil { continue }
            if isConstant && binding.initializer != nil { continue }
            if binding.isComputed { continue }
            tuplePatterns.append(
                TuplePattern(declarationSyntax: variable, bindingSyntax: binding))
        }
    }

    private mutating func scan(_ condition: IfConfigDeclSyntax) {
        for clause in condition.clauses {
            guard let members = clause.elements?.as(MemberBlockItemListSyntax.self) else {
                continue
            }
            let inside = MemberScan(MemberBlockSyntax(members: members))
            let stored = inside.properties.filter {
                !$0.isStatic && !$0.isFixed && $0.storage != .computed && !$0.isIndex
            }
            let names = stored.map(\.name) + inside.cases.map(\.name)
            conditionalMembers += names.map {
                ConditionalMember(name: $0, syntax: Syntax(clause.poundKeyword))
            }
            conditionalIndexes += inside.properties.filter(\.isIndex).map {
                ConditionalMember(name: $0.name, syntax: Syntax(clause.poundKeyword))
            }
            conditionalIndexes += inside.conditionalIndexes.map {
                ConditionalMember(name: $0.name, syntax: Syntax(clause.poundKeyword))
            }
            conditionalMembers += inside.conditionalMembers.map {
                ConditionalMember(name: $0.name, syntax: Syntax(clause.poundKeyword))
            }
            signatures.formUnion(inside.signatures)
        }
    }
}

extension FunctionDeclSyntax {
    var macroSignature: String {
        let prefix = modifiers.typeKeyword == nil ? "" : "static "
        return prefix + name.bareText + signature.parameterClause.labels
    }
}

extension FunctionParameterClauseSyntax {
    /// `(_:from:)`
    fileprivate var labels: String {
        "(" + parameters.map { $0.firstName.text + ":" }.joined() + ")"
    }
}

extension DeclModifierListSyntax {
    var typeKeyword: String? {
        first { $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class) }?
            .name.text
    }
}
