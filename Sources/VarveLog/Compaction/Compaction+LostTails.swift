extension Compaction {
    /// Removes the tails that recovery has kept and that may hold what is to be forgotten: those of
    /// segments from before the end of that.
    ///
    /// Once a manifest is in force whose log begins behind it nothing is removed any more: the tails
    /// that are there then were cut later, and what is unreadable is never deleted otherwise. Must come
    /// before such a manifest is installed.
    package func removeLostTails(forgetting forgotten: LogSequence) throws(LogError) {
        guard forgotten > .none, manifest.firstSequence <= forgotten else { return }
        try checkLock()
        let clean = firstSegment(behind: forgotten).segment
        try LogError.wrapping { () throws(FileSystemError) in
            let lost = snapshot.fileSystem.subdirectory(StoreFileName.lost.text)
            let names = try lost.list()?.filter { name in
                StoreFileName.segment(ofLostTail: name).map { $0 < clean } ?? false
            }
            guard let names, !names.isEmpty else { return }
            for name in names { try lost.remove(name) }
            try lost.synchronizeDirectory()
        }
    }
}
