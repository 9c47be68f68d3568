/// Room on the disk for what must be written when the disk is full: the end of an interrupted log, the seal of a log that
/// is closed, the manifest that lets a compaction give back space. The lock file holds it, because it is there whenever a
/// store can be written, and no part of the log reads it.
extension DirectoryLock {
    /// The footer of a full segment of tiny transactions, a new segment, and a few blocks of directories. What is not
    /// needed is there for a first deletion.
    static let roomBytes = ByteCount(128 << 10)

    /// Takes the room, where it is to be had and was not given up since this lock was taken: then the disk is full.
    func keepRoom() {
        guard !hasGivenUpRoom else { return }
        // Without it a full disk is met as any store meets it.
        _ = file.allocate(to: Self.roomBytes)
    }

    /// Takes the room again, when files were removed.
    func regainRoom() {
        hasGivenUpRoom = false
        keepRoom()
    }

    /// Runs what needs little space, and once more in the room where the disk is full. Before the second run nothing of
    /// the first may be left that harms it.
    func withRoom<Result>(
        _ body: () throws(LogError) -> Result
    ) throws(LogError) -> Result {
        do throws(LogError) {
            return try body()
        } catch {
            guard error.isFullDisk, giveUpRoom() else { throw error }
            return try body()
        }
    }

    /// Whether there was any.
    private func giveUpRoom() -> Bool {
        do throws(FileSystemError) {
            let note = ByteCount(UInt64(LockNote.byteCount))
            guard try file.length() > note else { return false }
            try file.truncate(to: note)
            hasGivenUpRoom = true
            // Some file systems hand blocks out again only behind this.
            try file.synchronize()
            return true
        } catch {
            // What was to be written for want of space says so again.
            return hasGivenUpRoom
        }
    }
}

extension LogError {
    /// There is no space left for what was to be written.
    package var isFullDisk: Bool {
        if case .fileSystem(let error) = self { error.isFullDisk } else { false }
    }
}
