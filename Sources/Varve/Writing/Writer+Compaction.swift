internal import VarveEvents
internal import VarveLog

extension Writer {
    /// How much the log has grown since the newest checkpoint, and how much is enough.
    struct CompactionFigures: Sendable {
        var bytesSinceCheckpoint: UInt64 = 0
        var bytesWhenDue: UInt64 = .max

        var isDue: Bool { bytesSinceCheckpoint >= bytesWhenDue }

        init() {}

        /// At rest two checkpoints and the log from the older one are there: twice what has been
        /// appended between two compactions. When that is what compression saves, the disk stays
        /// within twice the live data; where it saves little, a quarter of the data is enough.
        init(_ log: Log, _ newest: CheckpointSize?) {
            bytesSinceCheckpoint = log.bytesSinceCheckpoint.rawValue
            let raw = newest?.raw.rawValue ?? 0
            let saved = raw - min(raw, newest?.stored.rawValue ?? 0)
            bytesWhenDue = max(
                log.configuration.automaticCompactionBytesMin.rawValue, raw / 4, saved)
        }
    }
}
