/// How a figure is presented.
struct FigureDescription {
    let area: Area
    let title: String
    let unit: Unit

    enum Area: String, CaseIterable {
        case writing = "Writing"
        case durable = "Commits that wait for the disk"
        case reading = "Reading"
        case opening = "Opening"
        case opened = "Reading in a store that was opened"
        case space = "Space and memory"
        case compaction = "Compaction"
        case time = "Undo and history"
        case text = "Full text"
        case debian = "The Debian index"
        case large = "More data than memory"
    }

    enum Unit {
        /// So many of something a second: more is better.
        case rate(String)
        case microseconds, milliseconds, seconds, megabytes, bytes
        /// How many times greater than something.
        case times
        /// The same, where more is better.
        case gain
        /// How many times better Varve is.
        case advantage

        var name: String {
            switch self {
            case .rate(let what): what + "/s"
            case .microseconds: "µs"
            case .milliseconds: "ms"
            case .seconds: "s"
            case .megabytes: "MB"
            case .bytes: "bytes"
            case .times, .gain, .advantage: "×"
            }
        }

        var moreIsBetter: Bool {
            switch self {
            case .rate, .gain, .advantage: true
            case .microseconds, .milliseconds, .seconds, .megabytes, .bytes, .times: false
            }
        }
    }

    init(_ area: Area, _ title: String, _ unit: Unit) {
        self.area = area
        self.title = title
        self.unit = unit
    }
}

extension Figure {
    var description: FigureDescription {
        switch self {
        case .load, .commit, .update, .delete, .snapshotSave, .snapshotSaveIndexed: writing
        case .syncedCommit, .syncedP50, .syncedP99, .duel, .writers32, .writersGain, .writersP99,
            .tasks32, .tasksGain, .tasksP99:
            durable
        case .pointRead, .snapshotRead, .scan, .collected, .ageRange, .city, .email, .postsOfAuthor,
            .nested:
            reading
        case .open: .init(.opening, "Open behind a compaction, and read one user", .milliseconds)
        case .openEmail: .init(.opening, "The first user by e-mail behind that", .milliseconds)
        case .openAge: .init(.opening, "The first users of an age behind that", .milliseconds)
        case .openSave: .init(.opening, "The first new user behind that", .milliseconds)
        case .openAfterKill:
            .init(.opening, "Open after a kill -9, and read one user", .milliseconds)
        case .openLog:
            .init(.opening, "Open without a checkpoint, and read one user", .milliseconds)
        case .replay: .init(.opening, "Replay of a log without a checkpoint", .rate("events"))
        case .openedRead, .openedEmail, .openedScan, .openedCollected, .openedRange, .openedCity,
            .openedMemory:
            opened
        case .loadWritten, .writtenRatio, .size, .sizeSettled, .sizeSmallest, .memory, .memoryRatio,
            .churn:
            space
        case .compaction, .quietP999, .compactingP999, .compactingRatio, .busyCompaction,
            .compactionMemory:
            compacting
        case .undo, .undoRatio, .firstUndo, .history, .past: time
        case .textLoad: .init(.text, "Index bodies of 120 characters", .rate("bodies"))
        case .textSearch: .init(.text, "Two words, the best 20 of 40 % of all", .milliseconds)
        case .textContains:
            .init(.text, "Count bodies that contain a part of a word", .milliseconds)
        case .debianImport:
            .init(.debian, "Import packages and dependencies, synced", .rate("packages"))
        case .debianOpen: .init(.debian, "Open again, and read one package", .milliseconds)
        case .debianReverse:
            .init(.debian, "All that depends on libc6, by any number of steps", .milliseconds)
        case .debianSearch:
            .init(.debian, "Summaries that contain a word, five words", .milliseconds)
        case .largeLoad, .largeWritten, .largeSize, .largeOpen, .largeMemory, .largeReads,
            .largeRange, .largeUpdate, .largeCompaction, .largeBackup:
            large
        }
    }

    private var writing: FigureDescription {
        switch self {
        case .load:
            .init(
                .writing, "Load, 1,000 entities a transaction, synced at the end", .rate("entities")
            )
        case .commit: .init(.writing, "One entity a transaction, no sync", .rate("commits"))
        case .update: .init(.writing, "One-field updates, 100 a transaction", .rate("updates"))
        case .delete: .init(.writing, "Deletes, 100 a transaction", .rate("deletes"))
        case .snapshotSave:
            .init(.writing, "In memory: copy the context, save a user, no index", .microseconds)
        default:
            .init(
                .writing, "In memory: copy the context, save a user, three indexes", .microseconds)
        }
    }

    private var durable: FigureDescription {
        switch self {
        case .syncedCommit:
            .init(.durable, "One entity a transaction, one writer", .rate("commits"))
        case .syncedP50:
            .init(.durable, "One entity a transaction, one writer: median", .microseconds)
        case .syncedP99:
            .init(.durable, "One entity a transaction, one writer: 99th percentile", .microseconds)
        case .duel:
            .init(
                .durable, "Synced commits in turns of 100 with Varve: median over Varve's",
                .advantage)
        case .writers32: .init(.durable, "One entity a transaction, 32 writers", .rate("commits"))
        case .writersGain: .init(.durable, "32 writers over one writer", .gain)
        case .writersP99:
            .init(.durable, "One entity a transaction, 32 writers: 99th percentile", .microseconds)
        case .tasks32: .init(.durable, "One entity a transaction, 32 tasks", .rate("commits"))
        case .tasksGain: .init(.durable, "32 tasks over one writer", .gain)
        default:
            .init(.durable, "One entity a transaction, 32 tasks: 99th percentile", .microseconds)
        }
    }

    private var reading: FigureDescription {
        switch self {
        case .pointRead: .init(.reading, "One user by id", .rate("reads"))
        case .snapshotRead:
            .init(.reading, "Take a snapshot and read one user through it", .rate("reads"))
        case .scan: .init(.reading, "Every user into a struct, one by one", .rate("rows"))
        case .collected: .init(.reading, "Every user into one array", .rate("rows"))
        case .ageRange:
            .init(.reading, "Ages 40 to 49 through the index, into structs", .rate("rows"))
        case .city: .init(.reading, "One city through the index, into structs", .rate("rows"))
        case .email: .init(.reading, "One user by unique e-mail", .rate("reads"))
        case .postsOfAuthor: .init(.reading, "Count the posts of an author", .rate("queries"))
        default: .init(.reading, "100 users with their posts with their authors", .milliseconds)
        }
    }

    /// What apps mostly do: the process that reads is not the one that loaded.
    private var opened: FigureDescription {
        switch self {
        case .openedRead: .init(.opened, "One user by id", .rate("reads"))
        case .openedEmail: .init(.opened, "One user by unique e-mail", .rate("reads"))
        case .openedScan: .init(.opened, "Every user into a struct, one by one", .rate("rows"))
        case .openedCollected: .init(.opened, "Every user into one array", .rate("rows"))
        case .openedRange:
            .init(.opened, "Ages 40 to 49 through the index, into structs", .rate("rows"))
        case .openedCity:
            .init(.opened, "One city through the index, into structs", .rate("rows"))
        default: .init(.opened, "Memory after these reads", .megabytes)
        }
    }

    private var space: FigureDescription {
        switch self {
        case .loadWritten: .init(.space, "Bytes written by the load", .megabytes)
        case .writtenRatio:
            .init(.space, "Bytes written by the load, over the size of the log", .times)
        case .size: .init(.space, "Size after compaction", .megabytes)
        case .sizeSettled: .init(.space, "Size after a second compaction", .megabytes)
        case .sizeSmallest: .init(.space, "Size after a compaction for size", .megabytes)
        case .memory: .init(.space, "Memory after the load", .megabytes)
        case .memoryRatio: .init(.space, "Memory after the load, over the raw records", .times)
        default:
            .init(
                .space, "Ten random updates for each user: bytes written for each changed byte",
                .bytes)
        }
    }

    private var compacting: FigureDescription {
        switch self {
        case .compaction: .init(.compaction, "Compaction with nothing beside it", .seconds)
        case .quietP999:
            .init(.compaction, "Synced commits, 99.9th percentile", .microseconds)
        case .compactingP999:
            .init(
                .compaction, "Synced commits while a compaction runs, 99.9th percentile",
                .microseconds)
        case .compactingRatio:
            .init(
                .compaction,
                "Synced commits, 99.9th percentile: while a compaction runs, over without", .times)
        case .busyCompaction: .init(.compaction, "Compaction while commits go on", .seconds)
        default: .init(.compaction, "Memory that a compaction adds at its peak", .megabytes)
        }
    }

    private var large: FigureDescription {
        switch self {
        case .largeLoad:
            .init(
                .large, "Load, 1,000 entities a transaction, synced at the end", .rate("entities"))
        case .largeWritten: .init(.large, "Bytes written by the load and a compaction", .megabytes)
        case .largeSize: .init(.large, "Size behind that", .megabytes)
        case .largeOpen: .init(.large, "Open, and read one user", .milliseconds)
        case .largeMemory: .init(.large, "Memory after that and 1,000 random reads", .megabytes)
        case .largeReads: .init(.large, "100,000 random users by id", .rate("reads"))
        case .largeRange: .init(.large, "One age through the index, into structs", .rate("rows"))
        case .largeUpdate: .init(.large, "100,000 random one-field updates", .rate("updates"))
        case .largeCompaction: .init(.large, "Compaction behind them", .seconds)
        default: .init(.large, "Backup", .seconds)
        }
    }

    private var time: FigureDescription {
        switch self {
        case .undo: .init(.time, "Undo a transaction of one entity, synced", .microseconds)
        case .undoRatio: .init(.time, "Undo over commit, in turns, synced", .times)
        case .firstUndo: .init(.time, "First undo after opening", .milliseconds)
        case .history:
            .init(
                .time, "100 versions of an entity among as many transactions as users",
                .milliseconds)
        default: .init(.time, "The context ten transactions ago", .microseconds)
        }
    }
}
