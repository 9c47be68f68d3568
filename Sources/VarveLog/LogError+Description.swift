package import VarveText

extension LogError: CustomStringConvertible {
    /// One line that says what happened and what to do next.
    public var description: String { message.text }

    /// What happened, and what to do next.
    package var message: ErrorMessage { openingProblem ?? contentProblem ?? writingProblem }

    /// Of damage, where it is and what, without what to do about it.
    package var place: String {
        switch self {
        case .damaged(let damage), .chainBroken(let damage): "\(damage)"
        case .checkpointDamaged(let file, _, let reason): "\(file): \(reason)"
        default: description
        }
    }

    private var openingProblem: ErrorMessage? {
        switch self {
        case .notAStore(let directory, let reason):
            ErrorMessage(
                "\(directory) is not a store (\(reason))", "choose an empty or a new directory")
        case .missing(let directory):
            ErrorMessage("there is no store at \(directory)", "check the path")
        case .locked(let directory, let holder):
            ErrorMessage(
                "\(directory) is open for writing in \(holder)",
                "close it there, or open read-only")
        case .notWritable(let directory, let error):
            ErrorMessage(
                "\(directory) cannot be opened for writing (\(error.message.reason))",
                "open it read-only, or see to the permission to write")
        case .unsupportedVersion(let file, let found, let supported)
        where found < supported && file.hasPrefix("checkpoint"):
            ErrorMessage(
                "\(file) has format version \(found), this program reads those from \(supported) on",
                "run 'varve compact --smallest' of the version that wrote it")
        case .unsupportedVersion(let file, let found, let supported):
            ErrorMessage(
                "\(file) has format version \(found), this program reads up to \(supported)",
                "update it")
        case .unsupportedFeatures(let file, let bits):
            ErrorMessage(
                "\(file) uses features this program does not know (bits 0x"
                    + "\(String(bits, radix: 16)))", "open it with a newer version")
        case .targetExists(let directory):
            ErrorMessage("\(directory) is not empty", "choose a new directory")
        case .openedInAnotherProcess(let opener):
            ErrorMessage(
                "the log was opened by \(opener) before a fork", "open it again in this process")
        default: nil
        }
    }

    private var contentProblem: ErrorMessage? {
        switch self {
        case .unsupportedFrame(let segment, let offset, let found):
            ErrorMessage(
                "segment \(segment), offset \(offset): a frame of unknown kind 0x"
                    + "\(String(found, radix: 16))", "open the store with a newer version")
        case .damaged(let damage):
            Self.damage("damaged: \(damage)", "restore a backup")
        case .chainBroken(let damage):
            Self.damage("the segments do not belong together: \(damage)", "restore the files")
        case .manifestDamaged(let file, let reason):
            Self.damage("\(file) is unusable (\(reason))", "restore it from a backup")
        case .segmentMissing(let segment):
            Self.damage("\(StoreFileName.segment(segment).text) is missing", "restore it")
        case .successorMissing(let segment):
            Self.damage(
                "segment \(segment) is sealed but nothing follows it: a later segment file is gone",
                "restore it")
        case .checkpointDamaged(let file, _, let reason):
            ErrorMessage(
                "\(file) is unusable: \(reason); nothing was changed",
                "compact the store to replace it")
        case .noUsableCheckpoint(let problems):
            Self.damage(
                problems.map(\.description).joined(separator: "; ")
                    + "; the log alone does not reach back to the beginning",
                "restore these files from a backup")
        case .logEndsBeforeCheckpoint(let checkpoint, let last):
            Self.damage(
                "the log ends with transaction \(last), before transaction \(checkpoint) of the "
                    + "checkpoint: segment files are gone", "restore them")
        case .belowFloor(let sequence, let floor):
            ErrorMessage(
                "transaction \(sequence) is no longer kept: of those before \(floor) none is",
                "ask for a later one")
        case .noSuchTransaction(let sequence):
            ErrorMessage("the log holds no transaction \(sequence)", "ask for an earlier one")
        default: nil
        }
    }

    /// About files that are not what was written.
    private static func damage(_ problem: String, _ repair: String) -> ErrorMessage {
        ErrorMessage(
            "\(problem); nothing was changed",
            "\(repair), or salvage what is intact into a new store")
    }

    private var writingProblem: ErrorMessage {
        switch self {
        case .pageTooLarge(let bytes, let limit):
            ErrorMessage(
                "a page of \(bytes) is over the checkpoint's limit of \(limit)",
                "split the entity or the list that it holds")
        case .fileSystem(let error): error.message
        case .synchronizationFailed(let error, let lastDurable):
            ErrorMessage(
                "\(error.message.reason); transactions after \(lastDurable) may be lost",
                "reopen the store to find out")
        case .displaced(let file, let isReplaced):
            ErrorMessage(
                "\(file) was \(isReplaced ? "replaced" : "removed") under its writer, which has stopped",
                "make sure that nothing else writes to the store, and open it again")
        case .poisoned(let cause):
            ErrorMessage(
                "writing ended after an earlier failure (\(cause.message.reason))",
                "reopen the store")
        case .backupCancelled:
            ErrorMessage("the backup was given up; nothing was left behind", "start it again")
        case .compactionCancelled:
            ErrorMessage("the compaction was given up; nothing was changed", "start it again")
        case .closed: ErrorMessage("the log is closed", "open it again")
        default: ErrorMessage("the log cannot be used")
        }
    }
}

extension LogError {
    /// Runs `body`, turning the file system's errors into the log's.
    @inline(__always)
    package static func wrapping<Result>(
        _ body: () throws(FileSystemError) -> Result
    ) throws(LogError) -> Result {
        do {
            return try body()
        } catch {
            throw .fileSystem(error)
        }
    }
}
