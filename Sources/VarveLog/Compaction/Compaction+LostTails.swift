extension Compaction {
    /// Removes the tails that recovery has kept: they may hold what is to be forgotten.
    package func removeLostTails() throws(LogError) {
        try LogError.wrapping { () throws(FileSystemError) in
            let lost = snapshot.fileSystem.subdirectory(StoreFileName.lost.text)
            guard let names = try lost.list(), !names.isEmpty else { return }
            for name in names { try lost.remove(name) }
            try lost.synchronizeDirectory()
        }
    }
}
