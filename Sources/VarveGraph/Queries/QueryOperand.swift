/// A value given to a predicate, kept for whoever looks it up: an index knows the type.
@usableFromInline
final class QueryOperand: Sendable {
    // Any Sendable value; it is opened once for each look-up, never for each row.
    private let value: any Sendable
    /// The value's own words, for a plan that is shown to a person.
    let description: String

    @usableFromInline
    init(_ value: some Sendable) {
        self.value = value
        description = String(describing: value)
    }

    /// The value, or nil where it is of another type.
    @usableFromInline
    func value<Value>(as type: Value.Type) -> Value? { value as? Value }
}
