/// Which checkpoints of a log are not read any more, because they turned out damaged.
///
/// Opening compares checksums, and takes an older checkpoint where they differ. What is read later may be damaged all the
/// same: a disk changes what it holds, a read fails, a page contradicts itself. Then the reader begins again without
/// that checkpoint: with the one before it and the log from there, or with the log alone.
package struct CheckpointChoice {
    /// What was found, in the order in which it was found.
    package private(set) var problems: [CheckpointProblem] = []
    private let checkpoints: [CheckpointReference]
    private let isWhole: Bool
    /// Checkpoints of later transactions are of no use.
    private var last = LogSequence(.max)

    /// - Parameters:
    ///   - checkpoints: those that there are.
    ///   - isWhole: whether what they hold can be had without any of them.
    package init(of checkpoints: [CheckpointReference], isWhole: Bool) {
        self.checkpoints = checkpoints
        self.isWhole = isWhole
    }

    /// - Parameter errors: say which checkpoints turned out damaged before.
    package init(in scanned: ScannedLog, avoiding errors: [LogError] = []) {
        self.init(
            of: scanned.manifest.checkpoints,
            isWhole: scanned.snapshot.firstSequence == LogSequence(1))
        for error in errors { note(error) }
    }

    /// For the state behind a transaction, without the checkpoints that turned out damaged before.
    package init(in scanned: ScannedLog, through last: LogSequence, avoiding errors: [LogError]) {
        self.init(in: scanned, avoiding: errors)
        self.last = last
    }

    /// Whether a checkpoint is of use, sound or not.
    func serves(_ checkpoint: CheckpointReference) -> Bool { checkpoint.sequence <= last }

    /// What was found wrong with a checkpoint; nil where it may be read.
    package func problem(of checkpoint: CheckpointReference) -> CheckpointProblem? {
        problems.first { $0.file == checkpoint.file.text }
    }

    /// Whether to begin again: an error says that a checkpoint is damaged, and there is something else to begin with.
    package mutating func goesOn(after error: LogError) -> Bool {
        guard isWhole || checkpoints.count > problems.count + 1 else { return false }
        return note(error)
    }

    /// Whether an error says that a checkpoint is damaged of which that was not known.
    @discardableResult
    private mutating func note(_ error: LogError) -> Bool {
        guard let damaged = checkpoints.first(where: { error.reason(against: $0) != nil }),
            let reason = error.reason(against: damaged), problem(of: damaged) == nil
        else { return false }
        problems.append(
            CheckpointProblem(damaged, offset: error.damagedFile?.offset, reason: reason))
        return true
    }
}

extension LogError {
    /// Why a checkpoint cannot be used, where the error says that its bytes are not what was written, or that
    /// reading them failed; nil of every other error.
    package func reason(against checkpoint: CheckpointReference) -> String? {
        switch self {
        case .checkpointDamaged(let file, _, let reason) where file == checkpoint.file.text: reason
        case .fileSystem(let error)
        where error.operation == .read && error.file == checkpoint.file.text:
            "\(error)"
        default: nil
        }
    }

    /// Whether it says that the bytes of some checkpoint are not what was written, or cannot be read.
    package var isAboutCheckpoint: Bool {
        guard let damagedFile, case .checkpoint? = StoreFileName(damagedFile.name) else {
            return false
        }
        return true
    }

    /// The file that is not what was written or cannot be read, and where, as far as that is known; nil of an error
    /// that speaks of no file.
    package var damagedFile: (name: String, offset: FrameOffset?)? {
        switch self {
        case .damaged(let damage), .chainBroken(let damage):
            (StoreFileName.segment(damage.segment).text, damage.offset)
        case .unsupportedFrame(let segment, let offset, _):
            (StoreFileName.segment(segment).text, offset)
        case .checkpointDamaged(let file, let offset, _): (file, offset)
        case .manifestDamaged(let file, _): (file, nil)
        case .segmentMissing(let segment): (StoreFileName.segment(segment).text, nil)
        case .fileSystem(let error)
        where error.operation == .read || (error.operation == .open && error.isNotFound):
            (error.file, nil)
        default: nil
        }
    }
}
