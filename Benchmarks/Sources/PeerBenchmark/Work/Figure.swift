/// What is measured. The names of the cases are those that `--only` takes.
enum Figure: String, CaseIterable, Codable, CodingKeyRepresentable, Comparable {
    case load, commit, update, delete, snapshotSave, snapshotSaveIndexed
    case syncedCommit, syncedP50, syncedP99, duel, writers32, writersGain, writersP99
    case tasks32, tasksGain, tasksP99
    case pointRead, snapshotRead, scan, collected, ageRange, city, email, postsOfAuthor, nested
    case open, openEmail, openAge, openSave, openAfterKill, openLog, replay
    case openedRead, openedEmail, openedScan, openedCollected, openedRange, openedCity
    case openedMemory
    case loadWritten, writtenRatio, size, sizeSettled, sizeSmallest, memory, memoryRatio, churn
    case compaction, quietP999, compactingP999, compactingRatio, busyCompaction, compactionMemory
    case undo, undoRatio, firstUndo, history, past
    case textLoad, textSearch, textContains
    case debianImport, debianOpen, debianReverse, debianSearch
    case largeLoad, largeWritten, largeSize, largeOpen, largeMemory, largeReads, largeRange
    case largeUpdate, largeCompaction, largeBackup

    /// Which process of its own finds it out.
    var stage: Child.Stage {
        switch self {
        case .load, .commit, .update, .delete, .syncedCommit, .syncedP50, .syncedP99, .writers32,
            .writersGain, .writersP99, .tasks32, .tasksGain, .tasksP99, .pointRead, .snapshotRead,
            .scan, .collected, .ageRange, .city, .email, .postsOfAuthor, .nested, .loadWritten,
            .size, .sizeSettled, .memory, .memoryRatio, .compaction:
            .work
        case .open, .openEmail, .openAge, .openSave: .reopen
        case .openAfterKill, .openedRead, .openedEmail, .openedScan, .openedCollected, .openedRange,
            .openedCity, .openedMemory, .sizeSmallest:
            .open
        case .duel: .duel
        case .churn: .churn
        case .writtenRatio: .log
        case .openLog, .replay, .quietP999, .compactingP999, .compactingRatio, .busyCompaction,
            .compactionMemory:
            .replay
        case .snapshotSave, .snapshotSaveIndexed: .graph
        case .undo, .undoRatio, .firstUndo, .history, .past: .time
        case .textLoad, .textSearch, .textContains: .text
        case .debianImport, .debianOpen, .debianReverse, .debianSearch: .debian
        case .largeLoad, .largeWritten, .largeSize: .largeLoad
        case .largeOpen, .largeMemory, .largeReads, .largeRange: .largeRead
        case .largeUpdate, .largeCompaction: .largeUpdate
        case .largeBackup: .largeBackup
        }
    }

    /// What is shown at several sizes.
    static let growing: Set<Figure> = [
        .load, .update, .pointRead, .email, .postsOfAuthor, .scan, .ageRange, .city, .open,
        .loadWritten, .size, .memory, .largeLoad, .largeSize, .largeOpen, .largeMemory, .largeReads,
    ]

    /// Whether it is about more data than memory, and so measured only where it is named.
    var isLarge: Bool { stage.isLarge }

    /// Whether a text is the beginning of its name, or the whole name of its area.
    func isNamed(by text: String) -> Bool {
        rawValue.hasPrefix(text) || text == description.area.rawValue
    }

    static func < (one: Figure, other: Figure) -> Bool {
        one.position < other.position
    }

    private var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What one run of one engine found.
struct RunResult: Codable {
    var engine: EngineName
    var figures: [Figure: Double] = [:]
    /// The sums of what the queries answered: equal for all engines, or one of them is wrong.
    var answers: [String: UInt64] = [:]
    /// What a reader of the figures has to know, such as why one is missing.
    var remarks: [String] = []

    init(_ engine: EngineName) { self.engine = engine }
}
