/// The making of a new, empty store.
package enum LogCreation {
    /// Creates a store when the directory is absent, empty, or holds what an interrupted creation
    /// left; false when a store is there already. The directory's parent must exist.
    ///
    /// A directory with any other file is refused with `.notAStore`, and segments without a
    /// manifest with `.manifestDamaged`: in both cases nothing is changed.
    @discardableResult
    package static func createIfAbsent(
        in fileSystem: any FileSystem, environment: any LogEnvironment = SystemEnvironment()
    ) throws(LogError) -> Bool {
        guard try isVacant(fileSystem) else { return false }
        try LogError.wrapping { () throws(FileSystemError) in try fileSystem.createDirectory() }
        let lock = try DirectoryLock.acquire(in: fileSystem, environment: environment)
        defer { lock.release() }
        // Another process may have been first, between the look and the lock.
        guard try isVacant(fileSystem) else { return false }
        try LogError.wrapping { () throws(FileSystemError) in
            try create(in: fileSystem, environment)
        }
        return true
    }

    private static func isVacant(_ fileSystem: any FileSystem) throws(LogError) -> Bool {
        switch try StoreListing(fileSystem).kind(in: fileSystem) {
        case .vacant: true
        case .store: false
        }
    }

    /// The segment first: the manifest makes it a store, and a manifest whose segment is missing is
    /// a damaged one.
    private static func create(
        in fileSystem: any FileSystem, _ environment: any LogEnvironment
    ) throws(FileSystemError) {
        let store = StoreID(high: environment.randomSalt(), low: environment.randomSalt())
        let now = environment.wallClockMicroseconds()
        let header = SegmentHeader(
            store: store, segment: SegmentID(1), writerEpoch: 1, firstSequence: LogSequence(1),
            salt: environment.randomSalt(), previousLength: .zero, previousDigest: .start,
            createdAt: now)
        _ = try SegmentWriter.create(header, in: fileSystem)
        let manifest = Manifest(
            generation: 1, store: store, createdAt: now, firstSegment: header.segment,
            firstSequence: header.firstSequence, chainStartLength: header.previousLength,
            chainStart: header.previousDigest, floor: header.firstSequence, checkpoint: 0,
            checkpointSequence: .none)
        _ = try fileSystem.createDurably(
            .manifest(generation: manifest.generation), content: manifest.encode())
    }
}
