extension ScannedLog {
    /// Copies the bytes behind the cut into `lost/`, synced, before they are cut. Returns the tail with the name of the
    /// copy inside the store. At most `lostBytesMax` bytes are kept, and on a full disk as many as there is space for:
    /// cutting the tail gives that space back.
    func keep(
        _ dropped: RecoveryReport.DroppedTail, _ lock: DirectoryLock
    ) throws(LogError) -> RecoveryReport.DroppedTail {
        let name = StoreFileName.lostTail(
            dropped.segment, epoch: layout.active.header.writerEpoch, offset: dropped.offset)
        var kept = dropped
        do throws(LogError) {
            kept.keptBytes = try lock.withRoom { () throws(LogError) in
                try copyTail(dropped, to: name, orPart: false)
            }
        } catch {
            guard error.isFullDisk else { throw error }
            kept.keptBytes = try copyTail(dropped, to: name, orPart: true)
        }
        kept.keptAs = StoreFileName.lost.text + "/" + name
        return kept
    }

    /// - Parameter orPart: whether a full disk ends the copy, if there is one, instead of the recovery.
    /// - Returns: how much was copied.
    private func copyTail(
        _ dropped: RecoveryReport.DroppedTail, to name: String, orPart: Bool
    ) throws(LogError) -> ByteCount {
        try LogError.wrapping { () throws(FileSystemError) in
            let lost = snapshot.fileSystem.subdirectory(StoreFileName.lost.text)
            try lost.createDirectory()
            // A copy that an interrupted recovery began is the beginning of this one.
            let copy = try lost.open(name, .createIfMissing)
            try copy.truncate(to: .zero)
            let count = try copyBytes(of: dropped, to: copy, name: name, orPart: orPart)
            // Zeros at the end of a block take no space: there may be many.
            try copy.truncate(to: count)
            try copy.synchronize()
            try lost.synchronizeDirectory()
            try copy.close()
            return count
        }
    }

    private func copyBytes(
        of dropped: RecoveryReport.DroppedTail, to copy: any StoreFile, name: String, orPart: Bool
    ) throws(FileSystemError) -> ByteCount {
        let sourceName = StoreFileName.segment(dropped.segment).text
        let source = try snapshot.fileSystem.open(sourceName, .read)
        let count = min(dropped.bytes.rawValue, snapshot.configuration.lostBytesMax.rawValue)
        // Small pieces, where not all of them may find space.
        let buffer = ByteBuffer(
            capacity: orPart ? 1 << 12 : SegmentWindow.sequentialBlockBytes)
        var copied: UInt64 = 0
        while copied < count {
            let block = buffer.prefix(Int(min(UInt64(buffer.capacity), count - copied)))
            try source.readExactly(
                into: block, at: FrameOffset(dropped.offset.rawValue + copied),
                name: sourceName)
            let bytes = UnsafeRawBufferPointer(block)
            do throws(FileSystemError) {
                try copy.writeAll(
                    UnsafeRawBufferPointer(rebasing: bytes[..<bytes.countWithoutTrailingZeros]),
                    at: FrameOffset(copied), name: name)
            } catch {
                guard orPart, copied > 0, error.isFullDisk else { throw error }
                break
            }
            copied += UInt64(block.count)
        }
        return ByteCount(copied)
    }
}
