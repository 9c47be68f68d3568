/// Copies a store, which may be written meanwhile, as it is at one moment: through the newest promise
/// of its writer, or where nobody writes, through the last whole transaction.
///
/// Frames and pages are copied as they are. Only what names the store changes, because the copy has
/// an identity of its own: from the moment of the copy on the two take different courses, and what
/// remembers a place in one must not look for it in the other. Segment headers, and with them the
/// chain of digests, are written anew.
///
/// Everything in the copy is synced before its manifest is, and read back in the end.
package struct LogBackup {
    private let source: ScannedLog
    private let target: any FileSystem
    private let environment: any LogEnvironment
    private let configuration: LogConfiguration
    private let store: StoreID
    private let isCancelled: () -> Bool
    private static let blockBytes = 1 << 20

    /// - Parameter isCancelled: asked from time to time; then `.backupCancelled` is thrown.
    ///
    /// Errors: `.targetExists`, what makes the store unreadable, and what the file system says about
    /// the copy. After an error nothing is left of that.
    package static func run(
        from source: any FileSystem, to target: any FileSystem,
        environment: any LogEnvironment = SystemEnvironment(),
        configuration: LogConfiguration = LogConfiguration(),
        isCancelled: () -> Bool = { false }
    ) throws(LogError) -> BackupReport {
        try StoreOutput.requireVacant(target)
        var another = AnotherLook(at: source)
        var damagedCheckpoints: Set<String> = []
        while true {
            // Looked at first: where there is no store, nothing is created.
            let scanned = try ScannedLog.scan(
                source, environment: environment, configuration: configuration, mode: .readOnly)
            do throws(LogError) {
                return try copy(scanned, to: target, configuration, isCancelled)
            } catch {
                StoreOutput.discard(target)
                // A checkpoint that was whole before the segments were copied, and is not behind that: another look leaves it out.
                if case .checkpointDamaged(let file, _, _) = error,
                    damagedCheckpoints.insert(file).inserted
                {
                    continue
                }
                // A compaction may remove files while they are copied: another look finds what
                // replaced them.
                guard another.isWorthwhile(after: error) else { throw error }
            }
        }
    }

    private static func copy(
        _ source: ScannedLog, to target: any FileSystem, _ configuration: LogConfiguration,
        _ isCancelled: () -> Bool
    ) throws(LogError) -> BackupReport {
        try withoutActuallyEscaping(isCancelled) { isCancelled throws(LogError) in
            try LogBackup(source, target, configuration, isCancelled).run()
        }
    }

    private init(
        _ source: ScannedLog, _ target: any FileSystem, _ configuration: LogConfiguration,
        _ isCancelled: @escaping () -> Bool
    ) {
        self.source = source
        self.target = target
        self.configuration = configuration
        self.isCancelled = isCancelled
        environment = source.environment
        store = StoreID(high: environment.randomSalt(), low: environment.randomSalt())
    }

    private func run() throws(LogError) -> BackupReport {
        try LogError.wrapping { () throws(FileSystemError) in try target.createDirectory() }
        let (checkpoints, problems) = try usableCheckpoints()
        let headers = try copySegments()
        for checkpoint in checkpoints { try copy(checkpoint, headers) }
        let manifest = makeManifest(checkpoints.map(\.file.reference))
        try LogError.wrapping { () throws(FileSystemError) in
            _ = try target.createDurably(
                .manifest(generation: manifest.generation), content: manifest.encode())
        }
        let verification = try StoreOutput.verify(target, configuration)
        let bytes = checkpoints.reduce(verification.storedBytes.rawValue) {
            $0 + $1.file.length.rawValue
        }
        return BackupReport(
            store: store, source: source.manifest.store, last: source.lastSequence,
            floor: source.snapshot.oldestSequence, transactions: verification.transactions,
            bytes: ByteCount(bytes), checkpointProblems: problems)
    }

    private func makeManifest(_ checkpoints: [CheckpointReference]) -> Manifest {
        var manifest = source.manifest
        manifest.version = .current
        manifest.features.incompatible &= ~FormatFeatures.checkpoint
        if !checkpoints.isEmpty { manifest.features.incompatible |= FormatFeatures.checkpoint }
        manifest.generation = 1
        manifest.store = store
        manifest.createdAt = environment.wallClockMicroseconds()
        manifest.checkpoint = checkpoints.first?.number ?? 0
        manifest.checkpointSequence = checkpoints.first?.sequence ?? .none
        let previous = checkpoints.dropFirst().first
        manifest.previousCheckpoint = previous?.number ?? 0
        manifest.previousCheckpointSequence = previous?.sequence ?? .none
        return manifest
    }

    private func checkCancellation() throws(LogError) {
        if isCancelled() { throw .backupCancelled }
    }

    // MARK: Segments

    /// Copies all segments; returns their new headers.
    private func copySegments() throws(LogError) -> [SegmentID: SegmentHeader] {
        var headers: [SegmentID: SegmentHeader] = [:]
        var previous: SegmentFooter?
        for segment in source.snapshot.segments {
            try checkCancellation()
            var header = segment.header
            header.version = .current
            header.store = store
            if let previous {
                header.previousLength = previous.sealedLength
                header.previousDigest = previous.digest
            }
            headers[segment.id] = header
            previous = try copy(segment, header)
        }
        return headers
    }

    /// Returns the footer of the copy; nil for the segment at the end of the log.
    private func copy(
        _ segment: SegmentEntry, _ header: SegmentHeader
    ) throws(LogError) -> SegmentFooter? {
        let name = StoreFileName.segment(segment.id)
        let temporary = StoreFileName.temporary(name).text
        let head = try headBytes(of: segment, header)
        let opening = header.opening(head)
        let tally = try tally(of: segment, header, opening)
        let file = try LogError.wrapping { () throws(FileSystemError) in
            let file = try target.open(temporary, .createExclusive)
            try head.withUnsafeBytesTyped { bytes throws(FileSystemError) in
                try file.writeAll(bytes, at: FrameOffset(0), name: temporary)
            }
            return file
        }
        try copyFrames(of: segment, to: file, name: temporary)
        let writer = try LogError.wrapping { () throws(FileSystemError) in
            try SegmentWriter(
                file, header: header, opening: opening, tally: tally, end: segment.dataEnd,
                durableEnd: header.frameStart)
        }
        let footer = segment.footer == nil ? nil : writer.footer
        try LogError.wrapping { () throws(FileSystemError) in
            try writer.synchronize()
            let time = environment.wallClockMicroseconds()
            if let footer {
                try writer.appendFooter(footer, time: time)
            } else if !tally.totals.endsWithCleanSeal {
                try writer.appendSeal(.clean, time: time)
            }
            try writer.synchronize()
            try target.rename(temporary, to: name.text)
            try target.synchronizeDirectory()
        }
        return footer
    }

    /// The segment's header with what a later version may have put behind it.
    private func headBytes(
        of segment: SegmentEntry, _ header: SegmentHeader
    ) throws(LogError) -> [UInt8] {
        let name = StoreFileName.segment(segment.id).text
        let rest = try LogError.wrapping { () throws(FileSystemError) in
            try source.snapshot.fileSystem.open(name, .read).readBytes(
                at: FrameOffset(UInt64(SegmentHeader.byteCount)),
                count: Int(header.headerLength) - SegmentHeader.byteCount, name: name)
        }
        return header.encode() + rest
    }

    /// Counts the frames for the copy's footer, and verifies them on the way.
    private func tally(
        of segment: SegmentEntry, _ header: SegmentHeader, _ opening: ChainDigest
    ) throws(LogError) -> SegmentTally {
        var tally = SegmentTally(header, opening: opening)
        var cursor = try segment.cursor(
            in: source.snapshot.fileSystem, blockBytes: SegmentWindow.sequentialBlockBytes)
        while true {
            switch try cursor.next() {
            case .frame(let frame):
                tally.add(frame.header, at: frame.offset, headerBytes: frame.headerBytes)
            case .stopped(let stop): throw stop.error
            case .end: return tally
            }
        }
    }

    private func copyFrames(
        of segment: SegmentEntry, to file: any StoreFile, name: String
    ) throws(LogError) {
        let sourceName = StoreFileName.segment(segment.id).text
        let buffer = ByteBuffer(capacity: Self.blockBytes)
        var offset = segment.header.frameStart.rawValue
        let opened = try LogError.wrapping { () throws(FileSystemError) in
            try source.snapshot.fileSystem.open(sourceName, .read)
        }
        while offset < segment.dataEnd.rawValue {
            try checkCancellation()
            let count = Int(min(UInt64(Self.blockBytes), segment.dataEnd.rawValue - offset))
            try LogError.wrapping { () throws(FileSystemError) in
                try opened.readExactly(
                    into: buffer.prefix(count), at: FrameOffset(offset), name: sourceName)
                try file.writeAll(
                    UnsafeRawBufferPointer(buffer.prefix(count)), at: FrameOffset(offset),
                    name: name)
            }
            offset += UInt64(count)
        }
    }

    // MARK: Checkpoints

    /// A checkpoint and its file, which is open: a compaction may remove the name.
    private struct OpenCheckpoint {
        let file: CheckpointFile
        let reader: CheckpointReader
    }

    /// Those that the manifest names and that are whole.
    private func usableCheckpoints() throws(LogError) -> ([OpenCheckpoint], [CheckpointProblem]) {
        var usable: [OpenCheckpoint] = []
        var problems: [CheckpointProblem] = []
        for reference in source.manifest.checkpoints {
            do throws(LogError) {
                let file = try source.open(reference)
                let reader = try file.makeReader()
                for page in file.pages { try reader.read(page).deallocate() }
                usable.append(OpenCheckpoint(file: file, reader: reader))
            } catch .checkpointDamaged(_, _, let reason) {
                try source.checkIsNamed(reference)
                problems.append(CheckpointProblem(reference, reason: reason))
            } catch {
                throw error
            }
        }
        guard !usable.isEmpty || source.snapshot.firstSequence == LogSequence(1) else {
            throw .noUsableCheckpoint(problems)
        }
        return (usable, problems)
    }

    private func copy(
        _ checkpoint: OpenCheckpoint, _ headers: [SegmentID: SegmentHeader]
    ) throws(LogError) {
        var header = checkpoint.file.header
        header.version = .current
        header.store = store
        if let next = headers[header.nextSegment] {
            header.previousLength = next.previousLength
            header.previousDigest = next.previousDigest
        }
        let writer = try CheckpointWriter(header, in: target)
        for page in checkpoint.file.pages {
            try checkCancellation()
            try writer.append(page, from: checkpoint.reader)
        }
        try writer.finish(contentDigest: checkpoint.file.contentDigest)
        try writer.publish()
    }
}
