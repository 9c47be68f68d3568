/// Whether to look again at a log that another process may be writing: what is damage in a log at rest
/// may be its progress, a compaction's above all, which removes files between a look at the directory
/// and their reading.
package struct AnotherLook {
    private static let looksMax = 5

    private let fileSystem: any FileSystem
    private var looks = 1
    /// The newest manifest when the last look began, as far as that could be seen.
    private var generation: UInt64?

    /// Right before the first look.
    package init(at fileSystem: any FileSystem) {
        self.fileSystem = fileSystem
        generation = Self.newestGeneration(in: fileSystem)
    }

    /// Whether what failed may go well now: a few times, where somebody has the store open for writing
    /// or has changed what it consists of since the last look.
    package mutating func isWorthwhile(after error: LogError) -> Bool {
        guard looks < Self.looksMax, error.mayBeProgressOfWriter else { return false }
        looks += 1
        // A writer that closes gives back space, and holds no lock any more.
        if error.isOfShorterFile { return true }
        let former = generation
        generation = Self.newestGeneration(in: fileSystem)
        guard generation == former else { return true }
        do throws(LogError) {
            return try DirectoryLock.isHeld(in: fileSystem)
        } catch {
            // Nothing is known: the look that failed says what is wrong.
            return false
        }
    }

    private static func newestGeneration(in fileSystem: any FileSystem) -> UInt64? {
        do throws(LogError) {
            return try StoreListing(fileSystem).manifestGenerations.last
        } catch {
            // The look itself meets the same, and tells it.
            return nil
        }
    }
}
