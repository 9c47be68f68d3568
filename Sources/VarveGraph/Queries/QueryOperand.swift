internal import Foundation

/// A value given to a predicate, kept for whoever looks it up: an index knows the type.
@usableFromInline
struct QueryOperand: Sendable {
    @usableFromInline let box: OperandBox

    @inlinable
    init<Value: Sendable>(_ value: Value) { self.init(unchecked: value) }

    /// With a value of which the caller knows that it may be sent, though its type does not say so.
    @inlinable
    init<Value>(unchecked value: Value) { box = TypedOperandBox(value) }

    /// The value, or nil where it is of another type.
    @inlinable
    func value<Value>(as type: Value.Type) -> Value? {
        // Asked first: a cast takes as long as the look-up that it is for.
        if Swift.type(of: box) == TypedOperandBox<Value>.self {
            return unsafeDowncast(box, to: TypedOperandBox<Value>.self).value
        }
        return value as? Value
    }

    @usableFromInline var value: Any { box.anyValue }

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

/// Where the value of an operand stands.
@usableFromInline
class OperandBox {
    @inlinable
    init() {}

    @usableFromInline var anyValue: Any { preconditionFailure("an operand without a value") }
}

/// The box of a value of one type.
@usableFromInline
final class TypedOperandBox<Value>: OperandBox {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) { self.value = value }

    @usableFromInline override var anyValue: Any { value }
}

// A box only ever holds a constant, which may be sent: see the initialisers of `QueryOperand`.
extension OperandBox: @unchecked Sendable {}
// The same: a subclass has to say it again.
extension TypedOperandBox: @unchecked Sendable {}
