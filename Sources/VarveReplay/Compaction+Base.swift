package import VarveLog
package import VarveTables

extension Compaction {
    /// Whether the checkpoint that the compaction begins with is an image with blocks that were compressed quickly, or of
    /// a form that does not say so. Reads its page table and its root.
    package func hasQuickBase() throws(LogError) -> Bool {
        guard let file = try openBase(), file.header.isImage,
            let image = try file.openImage().image
        else { return false }
        return !image.isThorough
    }

    /// Opens the checkpoint that was written, with what it notes of rows that were tried. Each block is compared with its
    /// checksum when it is read.
    package func openWritten(memory: ReplayMemory) throws(LogError) -> LoadedCheckpoint? {
        guard let file = try openWrittenFile(), file.header.isImage else { return nil }
        return try file.openNotedImage(memory: memory)
    }
}
