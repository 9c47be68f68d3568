import SwiftSyntax

/// One property of a type: one binding of a `var` or `let`.
struct PropertyDeclaration {
    enum Storage: Equatable {
        case stored
        case computed
        /// `lazy`, `weak` or `unowned`, by that word.
        case unusual(String)
    }

    /// The name with backticks where the source needs them.
    let reference: String
    /// The name without backticks.
    let name: String
    let isConstant: Bool
    /// The word that makes it a property of the type: `static` or `class`.
    let typeKeyword: String?
    let storage: Storage
    let type: TypeSpelling?
    let initializer: Initializer?
    let attributes: [AttributeDeclaration]
    let persistedName: PersistedName.Reading

    let declarationSyntax: VariableDeclSyntax
    let bindingSyntax: PatternBindingSyntax

    /// The value that a declaration gives its property.
    struct Initializer {
        let text: String
        /// It calls something, so that it may give another value each time: `UUID()`.
        let makesNewValues: Bool
    }

    var isStatic: Bool { typeKeyword != nil }

    /// A `let` with a value is the same for every instance that is decoded, and cannot be assigned.
    var isFixed: Bool { isConstant && initializer != nil && storage == .stored }

    var relationship: AttributeDeclaration? {
        attributes.first { $0.name == KnownAttribute.relationship }
    }

    /// The attributes that say that the store gives the value; more than one by mistake.
    var autoIncrements: [AttributeDeclaration] {
        attributes.filter { $0.name == KnownAttribute.autoIncrement }
    }

    var isIndex: Bool { attributes.contains { KnownAttribute.indexes.contains($0.name) } }

    /// A property wrapper, or what looks like one, that the macros do not know.
    var unknownWrapper: AttributeDeclaration? {
        attributes.first {
            $0.wrapsValue && $0.name != KnownAttribute.relationship
                && !KnownAttribute.indexes.contains($0.name)
        }
    }

    /// The name under which the property is persisted.
    var nameInLog: String {
        if case .given(let name) = persistedName { return name.text }
        return name
    }
}

/// A persisted property that is no relation, in an entity or a storable struct.
struct FieldDeclaration {
    let reference: String
    let name: String
    let nameInLog: String
    let type: TypeSpelling?
    /// Source of the value that rows of older logs get; nil when there is none.
    let fillValue: String?
    /// Whether the declaration gives that value itself.
    let hasInitializer: Bool

    init(_ property: PropertyDeclaration) {
        self.reference = property.reference
        self.name = property.name
        self.nameInLog = property.nameInLog
        self.type = property.type
        let isOptional = property.type?.isOptional ?? false
        self.hasInitializer = property.initializer != nil
        self.fillValue = property.initializer?.text ?? (isOptional ? "nil" : nil)
    }

    var isOptional: Bool { type?.isOptional ?? false }

    /// The field's value in `owner`. An implicitly unwrapped one is passed as the optional that it
    /// is, or a call might force it.
    func value(in owner: String) -> String {
        let access = "\(owner).\(reference)"
        guard case .implicitlyUnwrapped = type?.optionality else { return access }
        return "\("_FieldCodec".inLibrary).optional(\(access))"
    }
}
