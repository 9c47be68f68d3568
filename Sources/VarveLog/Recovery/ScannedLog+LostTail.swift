extension ScannedLog {
    /// Copies the bytes behind the cut into `lost/`, synced, before they are cut. Returns the name
    /// of the copy inside the store. At most `lostBytesMax` bytes are kept.
    func keep(_ dropped: RecoveryReport.DroppedTail) throws(LogError) -> String {
        let name = StoreFileName.lostTail(
            dropped.segment, epoch: layout.active.header.writerEpoch, offset: dropped.offset)
        let count = min(
            dropped.bytes.rawValue, snapshot.configuration.lostBytesMax.rawValue)
        try LogError.wrapping { () throws(FileSystemError) in
            try copyTail(dropped, to: name, count: count)
        }
        return StoreFileName.lost.text + "/" + name
    }

    private func copyTail(
        _ dropped: RecoveryReport.DroppedTail, to name: String, count: UInt64
    ) throws(FileSystemError) {
        let lost = snapshot.fileSystem.subdirectory(StoreFileName.lost.text)
        try lost.createDirectory()
        let sourceName = StoreFileName.segment(dropped.segment).text
        let source = try snapshot.fileSystem.open(sourceName, .read)
        // A copy that an interrupted recovery began is the beginning of this one.
        let copy = try lost.open(name, .createIfMissing)
        try copy.truncate(to: .zero)
        let buffer = ByteBuffer(capacity: SegmentWindow.sequentialBlockBytes)
        var copied: UInt64 = 0
        while copied < count {
            let block = buffer.prefix(Int(min(UInt64(buffer.capacity), count - copied)))
            try source.readExactly(
                into: block, at: FrameOffset(dropped.offset.rawValue + copied),
                name: sourceName)
            let bytes = UnsafeRawBufferPointer(block)
            let content = UnsafeRawBufferPointer(
                rebasing: bytes[..<bytes.countWithoutTrailingZeros])
            try copy.writeAll(content, at: FrameOffset(copied), name: name)
            copied += UInt64(block.count)
        }
        // Zeros at the end of a block take no space: there may be many.
        try copy.truncate(to: ByteCount(count))
        try copy.synchronize()
        try lost.synchronizeDirectory()
        try copy.close()
    }
}
