import SwiftSyntax

/// The type that a macro is attached to, without its members.
struct DeclaredType {
    enum Keyword: String {
        case `struct`
        case `enum`
        case `class`
        case actor
        case `protocol`
    }

    /// Whether an extension of the type may hold a `static let`.
    enum StaticStorage {
        case allowed
        /// The type, or one around it, is generic. Where an extension around it does not show
        /// that, the compiler says so at the `static let`.
        case notAllowed
    }

    let keyword: Keyword
    let name: String
    /// How file-scope code names the type: `Schema.V1.User`.
    let reference: String
    /// The names of the types around it, outermost first.
    let enclosingNames: [String]
    let statedAccess: AccessLevel?
    /// The level that the type effectively has, where it stands.
    let access: AccessLevel
    let availability: [String]
    let genericParameters: [String]
    let staticStorage: StaticStorage
    let isNested: Bool
    /// Declared inside a function, a closure or an accessor.
    let isLocal: Bool
    /// The type does not conform yet: the extension states the conformance.
    let needsConformance: Bool
    let persistedName: PersistedName.Reading

    let keywordSyntax: TokenSyntax
    let nameSyntax: TokenSyntax
    let modifiersSyntax: DeclModifierListSyntax
    let membersSyntax: MemberBlockSyntax

    /// The name in the log, unless the type is generic and its arguments have to be added.
    var baseName: String {
        if case .given(let name) = persistedName { return name.text }
        return (enclosingNames + [name]).joined(separator: ".")
    }
}
