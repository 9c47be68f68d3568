import SwiftSyntax

/// How far a declaration can be seen.
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

    /// What a member of an extension writes to be as visible as its type, and no more: that would
    /// be an error where the member mentions the type.
    var memberPrefix: String {
        switch self {
        case .private, .fileprivate: "fileprivate "
        case .internal: ""
        case .package: "package "
        case .public: "public "
        }
    }
}

extension AccessLevel: Comparable {
    private var reach: Int {
        switch self {
        case .private: 0
        case .fileprivate: 1
        case .internal: 2
        case .package: 3
        case .public: 4
        }
    }

    static func < (first: AccessLevel, second: AccessLevel) -> Bool {
        first.reach < second.reach
    }
}
