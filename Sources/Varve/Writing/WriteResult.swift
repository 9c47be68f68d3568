public import Synchronization

/// What the body of a write came to, on its way to the one who asked for it.
///
/// `@unchecked Sendable`: the thread that runs the body sets the value before the flag, and who asked takes it behind
/// the flag. When the write has ended the flag is always set; it says so to the processor, and to a thread sanitizer,
/// which does not see what a continuation puts in order.
@usableFromInline
final class WriteResult<Value: Sendable>: @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var value: Value?
    @usableFromInline let isSet = Atomic(false)

    @inlinable
    init() {}

    @inlinable
    func set(_ value: Value) {
        self.value = value
        isSet.store(true, ordering: .releasing)
    }

    @inlinable
    func take() -> Value {
        guard isSet.load(ordering: .acquiring), let value else {
            preconditionFailure("a body that neither returned nor threw")
        }
        return value
    }
}
