internal import VarveText

extension LogError: CustomStringConvertible {
    /// One line that says what happened and what to do next.
    public var description: String {
        (openingProblem ?? contentProblem ?? writingProblem).escapedForDisplay
    }

    /// Of damage, where it is and what, without what to do about it.
    package var place: String {
        switch self {
        case .damaged(let damage), .chainBroken(let damage): "\(damage)"
        case .checkpointDamaged(let file, let reason): "\(file): \(reason)"
        default: description
        }
    }

    private var openingProblem: String? {
        switch self {
        case .notAStore(let directory, let reason):
            "\(directory) is not a store (\(reason)); choose an empty or a new directory"
        case .missing(let directory):
            "there is no store at \(directory); check the path"
        case .locked(let directory, let holder):
            "\(directory) is open for writing in \(holder); close it there, or open read-only"
        case .notWritable(let directory, let error):
            "\(directory) cannot be opened for writing (\(error)); "
                + "open it read-only, or see to the permission to write"
        case .unsupportedVersion(let file, let found, let supported):
            "\(file) has format version \(found), this program reads up to \(supported); update it"
        case .unsupportedFeatures(let file, let bits):
            "\(file) uses features this program does not know (bits 0x"
                + "\(String(bits, radix: 16))); open it with a newer version"
        case .targetExists(let directory):
            "\(directory) is not empty; choose a new directory"
        case .openedInAnotherProcess(let opener):
            "the log was opened by \(opener) before a fork; open it again in this process"
        default: nil
        }
    }

    private var contentProblem: String? {
        switch self {
        case .unsupportedFrame(let segment, let offset, let found):
            "segment \(segment), offset \(offset): a frame of unknown kind 0x"
                + "\(String(found, radix: 16)); open the store with a newer version"
        case .damaged(let damage):
            "damaged: \(damage); \(Self.remedy("restore a backup"))"
        case .chainBroken(let damage):
            "the segments do not belong together: \(damage); \(Self.remedy("restore the files"))"
        case .manifestDamaged(let file, let reason):
            "\(file) is unusable (\(reason)); \(Self.remedy("restore it from a backup"))"
        case .segmentMissing(let segment):
            "\(StoreFileName.segment(segment).text) is missing; \(Self.remedy("restore it"))"
        case .successorMissing(let segment):
            "segment \(segment) is sealed but nothing follows it: a later segment file is gone; "
                + Self.remedy("restore it")
        case .checkpointDamaged(let file, let reason):
            "\(file) is unusable: \(reason); nothing was changed; compact the store to replace it"
        case .noUsableCheckpoint(let problems):
            problems.map(\.description).joined(separator: "; ")
                + "; the log alone does not reach back to the beginning; "
                + Self.remedy("restore these files from a backup")
        case .logEndsBeforeCheckpoint(let checkpoint, let last):
            "the log ends with transaction \(last), before transaction \(checkpoint) of the "
                + "checkpoint: segment files are gone; " + Self.remedy("restore them")
        case .belowFloor(let sequence, let floor):
            "transaction \(sequence) is no longer kept: of those before \(floor) none is"
        case .noSuchTransaction(let sequence):
            "the log holds no transaction \(sequence)"
        default: nil
        }
    }

    /// What to do about files that are not what was written.
    private static func remedy(_ repair: String) -> String {
        "nothing was changed; \(repair), or salvage what is intact into a new store"
    }

    private var writingProblem: String {
        switch self {
        case .pageTooLarge(let bytes, let limit):
            "a page of \(bytes) is over the checkpoint's limit of \(limit); "
                + "split the entity or the list that it holds"
        case .fileSystem(let error) where error.isFullDisk:
            "\(error); make room on the disk, or copy the store to another: reading it needs none"
        case .fileSystem(let error):
            "\(error)"
        case .synchronizationFailed(let error, let lastDurable):
            "\(error); transactions after \(lastDurable) may be lost; reopen the store to find out"
        case .displaced(let file, let isReplaced):
            "\(file) was \(isReplaced ? "replaced" : "removed") under its writer, which has stopped; "
                + "make sure that nothing else writes to the store, and open it again"
        case .poisoned(let cause):
            "writing ended after an earlier failure; reopen the store (\(cause))"
        case .backupCancelled:
            "the backup was given up; nothing was left behind; start it again"
        case .compactionCancelled:
            "the compaction was given up; nothing was changed; start it again"
        case .closed:
            "the log is closed; open it again"
        default: "the log cannot be used"
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
