extension SegmentWriter {
    /// Creates a segment with nothing but its header, replacing one of the same number that never
    /// held a frame of the log.
    ///
    /// The file gets its name only when its content is safe: whatever is found under a segment's
    /// name was once whole.
    static func create(
        _ header: SegmentHeader, in fileSystem: any FileSystem
    ) throws(FileSystemError) -> SegmentWriter {
        let bytes = header.encode()
        let file = try fileSystem.createDurably(.segment(header.segment), content: bytes)
        let opening = header.opening(bytes)
        return try SegmentWriter(
            file, header: header, opening: opening,
            tally: SegmentTally(header, opening: opening), end: header.frameStart,
            durableEnd: header.frameStart)
    }
}

extension FileSystem {
    /// Writes a file under a temporary name, syncs it, gives it its name, syncs the directory.
    func createDurably(
        _ name: StoreFileName, content: [UInt8]
    ) throws(FileSystemError) -> any StoreFile {
        let temporary = StoreFileName.temporary(name).text
        try removeIfPresent(temporary)
        let file = try open(temporary, .createExclusive)
        try content.withUnsafeBytesTyped { bytes throws(FileSystemError) in
            try file.writeAll(bytes, at: FrameOffset(0), name: temporary)
        }
        try file.synchronize()
        try rename(temporary, to: name.text)
        file.name = name.text
        try synchronizeDirectory()
        return file
    }

    func removeIfPresent(_ name: String) throws(FileSystemError) {
        do {
            try remove(name)
        } catch {
            guard error.isNotFound else { throw error }
        }
    }
}
