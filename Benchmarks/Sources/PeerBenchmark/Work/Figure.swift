/// What is measured, as the tables name it.
enum Figure: String, CaseIterable, Codable, CodingKeyRepresentable {
    case load, loadWritten, memory
    case pointRead, scan, ageRange, city, email, postsOfAuthor
    case update, delete, commit, syncedCommit, syncedP50, syncedP99, writers32, batch32
    case compaction, size, open, openAfterKill
    case duelP50, replay, quietP999, compactingP999, compactingRatio, busyCompaction
    case compactionMemory

    var title: String {
        switch self {
        case .load: "load, 1,000 a transaction, one sync at the end, entities/s"
        case .loadWritten: "bytes written by the load, MB"
        case .memory: "memory after the load, MB"
        case .pointRead: "point read by id, reads/s"
        case .scan: "read every user into a struct, rows/s"
        case .ageRange: "age range through the index into structs, rows/s"
        case .city: "one city through the index into structs, rows/s"
        case .email: "one user by unique e-mail, reads/s"
        case .postsOfAuthor: "posts of an author, counted, queries/s"
        case .update: "one-field updates, 100 a transaction, updates/s"
        case .delete: "deletes, 100 a transaction, deletes/s"
        case .commit: "one entity a transaction, no sync, commits/s"
        case .syncedCommit: "one entity a transaction, synced, commits/s"
        case .syncedP50: "its median, microseconds"
        case .syncedP99: "its p99, microseconds"
        case .writers32: "the same, 32 writers, commits/s"
        case .batch32: "32 writers over one writer"
        case .compaction: "compaction, seconds"
        case .size: "size after compaction, MB"
        case .open: "open after compaction and first read, ms"
        case .openAfterKill: "open after kill -9 and first read, ms"
        case .duelP50: "median of a synced commit over Varve's, in turns of 100"
        case .replay: "replay of the log without a checkpoint, events/s"
        case .quietP999: "synced commits, p99.9, microseconds"
        case .compactingP999: "the same while a compaction runs"
        case .compactingRatio: "the second over the first"
        case .busyCompaction: "compaction beside those commits, seconds"
        case .compactionMemory: "memory that it adds at its peak, MB"
        }
    }

    var moreIsBetter: Bool {
        switch self {
        case .loadWritten, .memory, .syncedP50, .syncedP99, .compaction, .size, .open,
            .openAfterKill, .quietP999, .compactingP999, .compactingRatio, .busyCompaction,
            .compactionMemory:
            false
        default: true
        }
    }
}

/// What one run of one engine found.
struct RunResult: Codable {
    var engine: EngineName
    var figures: [Figure: Double] = [:]
    /// The sums of what the queries answered: equal for all engines, or one of them is wrong.
    var answers: [String: UInt64] = [:]
}
