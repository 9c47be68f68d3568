/// Everything that can be checked about the files of a store, with every problem as a value.
///
/// It reads every byte of every segment. Behind a damaged frame it looks for the next intact
/// header and goes on there, so one bad sector does not hide another.
package struct LogVerification: Sendable {
    /// The first is what opening the store would say; most carry segment, offset, expected and
    /// found.
    package private(set) var problems: [LogError] = []
    package private(set) var segments = 0
    /// Checkpoints whose header and page table are intact.
    package private(set) var checkpoints = 0
    /// Intact frames, whole transactions, and their bytes.
    package private(set) var frames: UInt64 = 0
    package private(set) var transactions: UInt64 = 0
    package private(set) var storedBytes = ByteCount.zero
    package private(set) var rawBytes = ByteCount.zero
    /// An unpromised end that the next writer will cut: the trace of an interruption, no damage.
    package private(set) var unpromisedTail: RecoveryReport.DroppedTail?
    /// Zeros behind the last frame, which the next writer will cut.
    package private(set) var unused: RecoveryReport.UnusedSpace?

    package var isSound: Bool { problems.isEmpty }

    private let fileSystem: any FileSystem
    private let configuration: LogConfiguration
    /// A file of nothing but damage could name a problem every few bytes.
    private static let problemsMax = 10_000

    /// Throws only when there is nothing to verify: no store, or a newer format.
    package static func verify(
        _ fileSystem: any FileSystem, configuration: LogConfiguration = LogConfiguration()
    ) throws(LogError) -> LogVerification {
        var verification = LogVerification(
            fileSystem: fileSystem, configuration: configuration)
        let listing = try StoreListing(fileSystem)
        let (ends, manifest) = try verification.checkOpening(listing)
        // Older ones were replaced by a checkpoint and are not part of the store any more.
        let first = manifest?.firstSegment ?? SegmentID(0)
        var files: [SegmentFile] = []
        for segment in listing.segments where segment >= first {
            do throws(LogError) {
                files.append(try SegmentFile.read(segment, in: fileSystem, mode: .readOnly))
            } catch {
                verification.note(error)
            }
        }
        let lastFilled = files.last { $0.isFilled }?.header.segment
        for file in files {
            verification.check(
                file, isLastFilled: file.header.segment == lastFilled,
                end: ends[file.header.segment])
        }
        if let manifest { verification.checkCheckpoints(manifest) }
        return verification
    }

    private init(fileSystem: any FileSystem, configuration: LogConfiguration) {
        self.fileSystem = fileSystem
        self.configuration = configuration
    }

    /// Opens the log as a reader would. Returns where each segment's frames end, and what the store
    /// consists of, as far as known.
    private mutating func checkOpening(
        _ listing: StoreListing
    ) throws(LogError) -> ([SegmentID: FrameOffset], Manifest?) {
        do throws(LogError) {
            let scanned = try ScannedLog.scan(
                fileSystem, configuration: configuration, mode: .readOnly)
            unpromisedTail = scanned.report.dropped
            unused = scanned.report.unused
            var ends: [SegmentID: FrameOffset] = [:]
            for segment in scanned.snapshot.segments { ends[segment.id] = segment.dataEnd }
            for checkpoint in scanned.manifest.checkpoints { checkBorder(checkpoint, scanned) }
            return (ends, scanned.manifest)
        } catch {
            guard error.isAboutContent else { throw error }
            note(error)
            guard case .store(let generation) = try listing.kind(in: fileSystem) else {
                return ([:], nil)
            }
            return ([:], readableManifest(generation))
        }
    }

    /// The manifest, as far as it can be read: what is wrong with it was noted already.
    private func readableManifest(_ generation: UInt64) -> Manifest? {
        do throws(LogError) {
            return try LogLayout.readManifest(
                fileSystem, generation: generation, mode: .readOnly)
        } catch {
            return nil
        }
    }

    private mutating func checkBorder(_ checkpoint: CheckpointReference, _ scanned: ScannedLog) {
        do throws(LogError) {
            _ = try scanned.open(checkpoint)
        } catch {
            note(error)
        }
    }

    /// Reads every page of every checkpoint that the store names.
    private mutating func checkCheckpoints(_ manifest: Manifest) {
        for reference in manifest.checkpoints {
            do throws(LogError) {
                let file = try CheckpointFile(
                    reference, store: manifest.store, in: fileSystem, mode: .readOnly)
                checkpoints += 1
                try file.verifyPages()
            } catch {
                note(error)
            }
        }
    }

    private mutating func check(
        _ file: SegmentFile, isLastFilled: Bool, end known: FrameOffset?
    ) {
        segments += 1
        storedBytes = ByteCount(storedBytes.rawValue &+ file.length.rawValue)
        do throws(LogError) {
            let end =
                if let known { known } else {
                    try frameEnd(of: file, isLastFilled: isLastFilled)
                }
            var walk = try SegmentVerification(file, in: fileSystem, end: end)
            try walk.run()
            for problem in walk.problems { note(problem) }
            frames &+= walk.frames
            transactions &+= walk.transactions
            rawBytes = ByteCount(rawBytes.rawValue &+ walk.rawBytes)
        } catch {
            note(error)
        }
    }

    /// Where a segment's frames should end when the log cannot be opened as a whole. The last
    /// segment may have an unpromised tail all the same.
    private func frameEnd(
        of file: SegmentFile, isLastFilled: Bool
    ) throws(LogError) -> FrameOffset {
        if let footer = file.footer { return footer.dataEnd }
        let whole = FrameOffset(file.length.rawValue)
        guard isLastFilled else { return whole }
        let name = StoreFileName.segment(file.header.segment).text
        let opened = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        let scan = try SegmentScan.run(
            file.header, opening: file.opening,
            window: SegmentWindow(opened, name: name, end: whole), isSealed: false)
        return scan.decision.keepsFrames ? scan.cut : scan.writtenEnd
    }

    private mutating func note(_ problem: LogError) {
        guard problems.count < Self.problemsMax, !problems.contains(problem) else { return }
        problems.append(problem)
    }
}

extension LogError {
    /// What is in the files is wrong, in contrast to files that cannot be had or understood.
    package var isAboutContent: Bool {
        switch self {
        case .damaged, .chainBroken, .manifestDamaged, .segmentMissing, .successorMissing,
            .unsupportedFrame, .pageTooLarge, .fileSystem, .checkpointDamaged,
            .noUsableCheckpoint, .logEndsBeforeCheckpoint:
            true
        case .notAStore, .missing, .locked, .notWritable, .unsupportedVersion, .unsupportedFeatures,
            .noSuchTransaction, .synchronizationFailed, .displaced, .poisoned, .closed,
            .openedInAnotherProcess, .belowFloor, .compactionCancelled, .targetExists,
            .backupCancelled:
            false
        }
    }
}
