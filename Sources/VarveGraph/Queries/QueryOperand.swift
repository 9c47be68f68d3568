internal import Foundation

/// A value given to a predicate, kept for whoever looks it up: an index knows the type.
@usableFromInline
final class QueryOperand: Sendable {
    // Any Sendable value; it is opened once for each look-up, never for each row.
    private let value: any Sendable

    @usableFromInline
    init(_ value: some Sendable) { self.value = value }

    /// The value, or nil where it is of another type.
    @usableFromInline
    func value<Value>(as type: Value.Type) -> Value? { value as? Value }

    /// Whether the value is not even equal to itself.
    var isNaN: Bool {
        switch value {
        case let value as Double: value.isNaN
        case let value as Float: value.isNaN
        case let value as Date: value.timeIntervalSinceReferenceDate.isNaN
        // NilFirst and its like: whoever is not sure says that it may be.
        default: true
        }
    }

    /// The value in words, for a plan that is shown to a person.
    var description: String {
        var value: Any = value
        let mirror = Mirror(reflecting: value)
        // An optional that holds something shows what it holds.
        if mirror.displayStyle == .optional, let wrapped = mirror.children.first?.value {
            value = wrapped
        }
        if let text = value as? String { return "\"\(text)\"" }
        return String(describing: value)
    }
}
