internal import Synchronization

/// Counts what the leaves take that were made of stored ones, of all tables of a store.
package final class LeafMemory: Sendable {
    private let byteCount = Atomic(0)

    package init() {}

    /// An estimate.
    package var bytes: Int { byteCount.load(ordering: .relaxed) }

    func add(_ count: Int) { byteCount.wrappingAdd(count, ordering: .relaxed) }

    func remove(_ count: Int) { byteCount.wrappingSubtract(count, ordering: .relaxed) }
}

/// What leaves of one kind count for.
package struct LeafSize: Sendable {
    let memory: LeafMemory
    let bytes: Int

    /// - Parameters:
    ///   - memory: what they are counted in.
    ///   - bytes: what one takes, about.
    package init(_ memory: LeafMemory, bytes: Int) {
        self.memory = memory
        self.bytes = bytes
    }
}
