internal import Synchronization

/// Counts the bytes of cached leaves in all stored tables of a store.
package final class LeafMemory: Sendable {
    private let byteCount = Atomic(0)

    package init() {}

    /// An estimate.
    package var bytes: Int { byteCount.load(ordering: .relaxed) }

    func add(_ count: Int) { byteCount.wrappingAdd(count, ordering: .relaxed) }

    func remove(_ count: Int) { byteCount.wrappingSubtract(count, ordering: .relaxed) }
}

/// The size of leaves of one kind, and where it is counted.
package struct LeafSize: Sendable {
    let memory: LeafMemory
    let bytes: Int

    /// - Parameters:
    ///   - memory: the counter.
    ///   - bytes: an estimate for one leaf.
    package init(_ memory: LeafMemory, bytes: Int) {
        self.memory = memory
        self.bytes = bytes
    }
}
