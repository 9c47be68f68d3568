import SwiftSyntax

/// How far a declaration can be seen, from near to far.
enum AccessLevel: String {
    case `private`
    case `fileprivate`
    case `internal`
    case `package`
    case `public`

    /// The level that a list of modifiers states. `private(set)` states none.
    init?(_ modifiers: DeclModifierListSyntax) {
        let stated = modifiers.lazy.filter { $0.detail == nil }
            .compactMap { AccessLevel(rawValue: $0.name.text) }
        guard let level = stated.first else { return nil }
        self = level
    }

    /// What a member of an extension writes to be as visible as its type. A private type at file
    /// scope is visible in its file.
    var memberPrefix: String {
        switch self {
        case .private, .fileprivate: "fileprivate "
        case .internal: ""
        case .package: "package "
        case .public: "public "
        }
    }
}
