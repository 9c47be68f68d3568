/// A dense number that stands for one entity id of one type inside one ``Context``.
///
/// Slots are private to a process: no file, event or order depends on them. Generated code passes
/// them on; applications never need one.
@frozen
public struct Slot: Hashable, Sendable {
    @usableFromInline let rawValue: UInt32

    @inlinable
    init(_ rawValue: UInt32) { self.rawValue = rawValue }

    @inlinable
    init(_ index: Int) { self.rawValue = UInt32(truncatingIfNeeded: index) }

    @inlinable var index: Int { Int(rawValue) }
}
