import Synchronization

/// How much memory pages may take of states that are made of a log, each by one thread.
package final class ReplayMemory: Sendable {
    /// What pages of the image may take that are as the image has them. Others are read again.
    package let unchangedBytesMax: Int
    /// What pages may take that transactions have made. Others are kept in a file.
    let changedBytesMax: Int
    private let openFile: @Sendable () -> Int32?
    private let spilled = Atomic(0)

    /// - Parameter openFile: opens a file without a name; returns its descriptor, or nil where there is none.
    package init(
        unchangedBytesMax: Int, changedBytesMax: Int,
        _ openFile: @escaping @Sendable () -> Int32?
    ) {
        self.unchangedBytesMax = unchangedBytesMax
        self.changedBytesMax = changedBytesMax
        self.openFile = openFile
    }

    /// Whether an image whose pages take so much stays in memory as a whole.
    func fits(_ pageBytes: Int) -> Bool { pageBytes < unchangedBytesMax }

    /// What is kept in files, of all states.
    package var spilledBytes: Int { spilled.load(ordering: .relaxed) }

    func noteSpilled(_ byteCount: Int) { spilled.wrappingAdd(byteCount, ordering: .relaxed) }

    func makeSpillFile() -> SpillFile? {
        guard let descriptor = openFile() else { return nil }
        return SpillFile(descriptor)
    }
}
