/// Writes a whole store into an empty directory. It becomes one with its manifest, which is written
/// last: what an interruption leaves before that is refused by every opening.
final class StoreOutput {
    private static let firstSegment = SegmentID(1)

    let store: StoreID
    let fileSystem: any FileSystem
    private let environment: any LogEnvironment
    private let configuration: LogConfiguration
    private let definitions: () -> [UInt8]
    private var active: SegmentWriter?
    private var checkpoint: CheckpointReference?
    private(set) var lastSequence = LogSequence.none
    private(set) var firstSequence = LogSequence(1)

    /// Takes a directory that is absent or empty.
    ///
    /// Errors: `.targetExists` for one that is neither.
    init(
        in fileSystem: any FileSystem, environment: any LogEnvironment,
        configuration: LogConfiguration, definitions: @escaping () -> [UInt8]
    ) throws(LogError) {
        try Self.requireVacant(fileSystem)
        self.fileSystem = fileSystem
        self.environment = environment
        self.configuration = configuration
        self.definitions = definitions
        store = StoreID(high: environment.randomSalt(), low: environment.randomSalt())
        try LogError.wrapping { () throws(FileSystemError) in try fileSystem.createDirectory() }
    }

    static func requireVacant(_ fileSystem: any FileSystem) throws(LogError) {
        let names = try LogError.wrapping { () throws(FileSystemError) in try fileSystem.list() }
        guard names?.isEmpty ?? true else {
            throw .targetExists(directory: fileSystem.displayPath)
        }
    }

    // MARK: Log

    /// Starts the log before a transaction. What was written before is not part of the store.
    func start(before sequence: LogSequence) throws(LogError) {
        precondition(active == nil, "the log of a store is started once")
        firstSequence = sequence
        lastSequence = LogSequence(sequence.rawValue - 1)
        active = try create(makeHeader(Self.firstSegment, nil))
    }

    /// Makes room for the next transaction: a segment that is full ends, and a new one begins with
    /// the definitions that are known before the transaction.
    func prepare(time: Int64) throws(LogError) {
        if active?.isFull(configuration.segmentBytesMax) ?? false { try roll() }
        guard let active, !active.tally.totals.holdsData else { return }
        let catalog = definitions()
        guard !catalog.isEmpty else { return }
        try LogError.wrapping { () throws(FileSystemError) in
            try active.appendCatalog(catalog, time: time)
        }
    }

    func append(
        sequence: LogSequence, time: Int64, payload: UnsafeRawBufferPointer
    ) throws(LogError) {
        guard let active else { preconditionFailure("a log is started before it is written") }
        precondition(sequence == lastSequence.next, "transactions are numbered without gaps")
        try LogError.wrapping { () throws(FileSystemError) in
            try active.appendTransaction(
                payload, sequence: sequence, time: time,
                frameBytesMax: Int(configuration.frameBytesMax.rawValue))
        }
        lastSequence = sequence
    }

    /// Forgets what was written: the log starts anew.
    func restart() throws(LogError) {
        active = nil
        checkpoint = nil
        try LogError.wrapping { () throws(FileSystemError) in
            for name in try fileSystem.list() ?? [] { try fileSystem.remove(name) }
        }
    }

    private func roll() throws(LogError) {
        guard let writer = active else { return }
        let footer = writer.footer
        let time = environment.wallClockMicroseconds()
        try LogError.wrapping { () throws(FileSystemError) in
            try writer.synchronize()
            try writer.appendFooter(footer, time: time)
            try writer.synchronize()
        }
        active = try create(makeHeader(SegmentID(writer.header.segment.rawValue + 1), footer))
    }

    private func makeHeader(
        _ segment: SegmentID, _ previous: SegmentFooter?
    ) -> SegmentHeader {
        SegmentHeader(
            store: store, segment: segment,
            writerEpoch: 1, firstSequence: lastSequence.following,
            salt: environment.randomSalt(),
            previousLength: previous?.sealedLength ?? .zero,
            previousDigest: previous?.digest ?? .start,
            createdAt: environment.wallClockMicroseconds())
    }

    private func create(_ header: SegmentHeader) throws(LogError) -> SegmentWriter {
        try LogError.wrapping { () throws(FileSystemError) in
            try SegmentWriter.create(header, in: fileSystem)
        }
    }

    // MARK: Checkpoint

    /// Writes the checkpoint of the state behind everything appended so far.
    func writeCheckpoint(
        time: Int64, _ pages: (CheckpointWriter) throws(LogError) -> UInt64
    ) throws(LogError) {
        if active?.tally.totals.holdsData ?? false { try roll() }
        guard let next = active?.header else {
            preconditionFailure("a log is started before its checkpoint is written")
        }
        let writer = try CheckpointWriter(
            CheckpointHeader(
                store: store, number: 1, sequence: lastSequence, sequenceTime: time,
                salt: environment.randomSalt(), nextSegment: next.segment,
                previousLength: next.previousLength, previousDigest: next.previousDigest,
                createdAt: environment.wallClockMicroseconds()), in: fileSystem)
        try writer.finish(contentDigest: try pages(writer))
        try writer.publish()
        checkpoint = writer.header.reference
    }

    // MARK: Ending

    /// Makes everything safe and writes the manifest. Reads all of it back.
    func finish(floor: LogSequence, retention: Retention?) throws(LogError) -> LogVerification {
        guard let active else {
            preconditionFailure("a log is started before it is finished")
        }
        let now = environment.wallClockMicroseconds()
        try LogError.wrapping { () throws(FileSystemError) in
            try active.synchronize()
            try active.appendSeal(.clean, time: now)
            try active.synchronize()
        }
        var manifest = Manifest(
            generation: 1, store: store, createdAt: now, firstSegment: Self.firstSegment,
            firstSequence: firstSequence, chainStartLength: .zero, chainStart: .start,
            floor: floor, checkpoint: checkpoint?.number ?? 0,
            checkpointSequence: checkpoint?.sequence ?? .none)
        manifest.retention = retention
        if checkpoint != nil { manifest.features.incompatible |= FormatFeatures.checkpoint }
        try LogError.wrapping { () throws(FileSystemError) in
            _ = try fileSystem.createDurably(
                .manifest(generation: manifest.generation), content: manifest.encode())
        }
        return try Self.verify(fileSystem, configuration)
    }

    /// Reads a store that was just written, and throws the first thing that is not as it should be.
    static func verify(
        _ fileSystem: any FileSystem, _ configuration: LogConfiguration
    ) throws(LogError) -> LogVerification {
        let verification = try LogVerification.verify(fileSystem, configuration: configuration)
        if let problem = verification.problems.first { throw problem }
        return verification
    }

    /// Removes what was copied into the folder of assets: folders of files, and what has no name yet.
    private static func discardAssets(in directory: any FileSystem) throws(FileSystemError) {
        for name in try directory.list() ?? [] {
            guard name.utf8.count == 2 else {
                try directory.remove(name)
                continue
            }
            let folder = directory.subdirectory(name)
            for file in try folder.list() ?? [] { try folder.remove(file) }
            (directory as? POSIXFileSystem)?.removeEmptyDirectory(name)
        }
    }

    /// Removes what was written, after an error: the directory is empty again, unless removing
    /// fails too. Then there is no manifest, and no opening takes it for a store.
    static func discard(_ fileSystem: any FileSystem) {
        do throws(FileSystemError) {
            // The manifest first: without it the rest is no store.
            let names = (try fileSystem.list() ?? []).sorted { first, second in
                first.hasPrefix("manifest") && !second.hasPrefix("manifest")
            }
            for name in names {
                switch StoreFileName(name) {
                case .assets: try discardAssets(in: fileSystem.subdirectory(name))
                case nil: break
                default: try fileSystem.remove(name)
                }
            }
            (fileSystem as? POSIXFileSystem)?.removeEmptyDirectory(StoreFileName.assets.text)
            if !names.isEmpty { try fileSystem.synchronizeDirectory() }
        } catch {
            // The error that led here is the one to tell.
        }
    }
}
