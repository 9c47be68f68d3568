/// The types of properties that text predicates and text indexes accept: `String` and `String?`.
public protocol TextProperty: Sendable {
    /// The text, or nil where there is none.
    var _text: String? { get }
}

extension String: TextProperty {
    public var _text: String? { self }
}

extension Optional: TextProperty where Wrapped == String {
    public var _text: String? { self }
}
