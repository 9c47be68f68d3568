package import VarveLog
internal import VarveTables

extension Compaction {
    /// Whether the checkpoint that the compaction begins with is an image with blocks that were compressed quickly, or of
    /// a form that does not say so. Reads its page table and its root.
    package func hasQuickBase() throws(LogError) -> Bool {
        guard let file = try openBase(), file.header.isImage,
            let image = try file.openImage().image
        else { return false }
        return !image.isThorough
    }
}
