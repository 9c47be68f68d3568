/// A dense number for one entity id of one type inside one ``Context``.
///
/// Slots are private to a process: no file, event or order depends on them. Generated code passes
/// them on; applications never need one.
@frozen
public struct Slot: Hashable, Sendable {
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(_ rawValue: UInt32) { self.rawValue = rawValue }

    @inlinable
    package init(_ index: Int) { self.rawValue = UInt32(truncatingIfNeeded: index) }

    @inlinable package var index: Int { Int(rawValue) }
}
