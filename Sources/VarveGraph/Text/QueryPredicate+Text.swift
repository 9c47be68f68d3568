internal import Foundation

extension QueryPredicate {
    /// Any of the properties contains the text.
    public static func string(
        _ paths: KeyPath<Entity, String>..., contains text: String, caseSensitive: Bool = false
    ) -> Self {
        any(of: paths) { property in
            property.range(of: text, options: caseSensitive ? [] : .caseInsensitive) != nil
        }
    }

    /// Any of the properties starts with the text.
    public static func string(
        _ paths: KeyPath<Entity, String>..., hasPrefix text: String, caseSensitive: Bool = false
    ) -> Self {
        any(of: paths) { property in
            property.range(
                of: text, options: caseSensitive ? .anchored : [.anchored, .caseInsensitive])
                != nil
        }
    }

    /// Any of the properties ends with the text.
    public static func string(
        _ paths: KeyPath<Entity, String>..., hasSuffix text: String, caseSensitive: Bool = false
    ) -> Self {
        any(of: paths) { property in
            property.range(
                of: text,
                options: caseSensitive
                    ? [.anchored, .backwards] : [.anchored, .backwards, .caseInsensitive])
                != nil
        }
    }

    private static func any(
        of paths: [KeyPath<Entity, String>], _ test: @escaping @Sendable (String) -> Bool
    ) -> Self {
        let readers = paths.map { PropertyReader($0) }
        return QueryPredicate { row in readers.contains { test($0(row)) } }
    }
}
