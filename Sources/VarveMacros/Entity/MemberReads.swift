import SwiftSyntax

/// A name that the body of a member reads of its own type.
struct MemberRead: Hashable {
    let name: String
    /// The labels of the arguments where it is called; those of trailing closures are unknown.
    let labels: [String]?
}

/// Finds what a body reads of the type that it is a member of: by names without a base, or with `self`.
///
/// Names that the body declares itself, as variables, parameters or patterns, are none as far as their scopes go.
final class MemberReads: SyntaxVisitor {
    private(set) var found: [MemberRead] = []
    private var scopes: [Set<String>] = [[]]

    init(in body: Syntax) {
        super.init(viewMode: .sourceAccurate)
        if let function = body.as(FunctionDeclSyntax.self) {
            walk(bodyOf: function)
        } else {
            walk(body)
        }
    }

    private func note(_ name: String, at node: some SyntaxProtocol) {
        let call = node.parent?.as(FunctionCallExprSyntax.self)
        let isCalled = call?.calledExpression.id == node.id
        let labels = call?.arguments.map { $0.label?.text ?? "_" }
        found.append(MemberRead(name: name, labels: isCalled ? labels : nil))
    }

    private func noteUnlessLocal(_ name: String, at node: some SyntaxProtocol) {
        if !scopes.contains(where: { $0.contains(name) }) { note(name, at: node) }
    }

    private func declare(_ name: TokenSyntax) {
        scopes[scopes.count - 1].insert(name.bareText)
    }

    /// Walks nodes in a scope of their own.
    private func scoped(_ nodes: (any SyntaxProtocol)?..., declaring names: [TokenSyntax] = []) {
        scopes.append([])
        names.forEach(declare)
        for case let node? in nodes { walk(node) }
        scopes.removeLast()
    }

    // MARK: - Names that are read

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if let access = node.parent?.as(MemberAccessExprSyntax.self),
            access.declName.id == node.id
        {
            let base = access.base?.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind
            if base == .keyword(.self) { note(node.baseName.bareText, at: access) }
        } else if node.parent?.is(KeyPathPropertyComponentSyntax.self) != true {
            noteUnlessLocal(node.baseName.bareText, at: node)
        }
        return .skipChildren
    }

    /// `if let team` reads what it is named after.
    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
        if let initializer = node.initializer {
            walk(initializer)
        } else if let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier {
            noteUnlessLocal(name.bareText, at: node)
        }
        walk(node.pattern)
        return .skipChildren
    }

    override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind {
        if let initializer = node.initializer {
            walk(initializer)
        } else {
            noteUnlessLocal(node.name.bareText, at: node)
        }
        declare(node.name)
        return .skipChildren
    }

    // MARK: - Names that are declared

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
        declare(node.identifier)
        return .skipChildren
    }

    /// The value of `let team = team` is what was named so before.
    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        if let initializer = node.initializer { walk(initializer) }
        walk(node.pattern)
        scoped(node.accessorBlock)
        return .skipChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        declare(node.name)
        walk(bodyOf: node)
        return .skipChildren
    }

    private func walk(bodyOf function: FunctionDeclSyntax) {
        let parameters = function.signature.parameterClause.parameters
        scoped(function.body, declaring: parameters.map { $0.secondName ?? $0.firstName })
    }

    override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
        declare(node.name)
        return .skipChildren
    }

    override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
        declare(node.secondName ?? node.firstName)
        return .skipChildren
    }

    // Types inside have members of their own.
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    // MARK: - Scopes

    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind {
        scoped(node.statements)
        return .skipChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        scoped(node.signature, node.statements)
        return .skipChildren
    }

    /// What a condition binds is there in the body, and not behind `else`.
    override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        scoped(node.conditions, node.body)
        scoped(node.elseBody)
        return .skipChildren
    }

    /// What a condition binds is there behind the statement, and not in its body.
    override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
        scoped(node.body)
        walk(node.conditions)
        return .skipChildren
    }

    override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind {
        scoped(node.conditions, node.body)
        return .skipChildren
    }

    override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind {
        walk(node.sequence)
        scoped(node.pattern, node.whereClause, node.body)
        return .skipChildren
    }

    override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
        scoped(node.label, node.statements)
        return .skipChildren
    }

    override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind {
        scoped(node.catchItems, node.body, declaring: [.identifier("error")])
        return .skipChildren
    }
}
