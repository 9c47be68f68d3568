internal import VarveLog

/// The files of a log at one moment, which in a turn to write is when they are first asked for: most
/// undos find all that they read in memory.
///
/// Belongs to one thread.
final class HistoryFiles {
    /// The log, whose turn the caller has; nil where the moment was known from the beginning.
    private let log: Log?
    private var known: LogMoment?
    private(set) lazy var reader = TransactionReader(moment.snapshot)
    /// A second view of these files, for use while something is being read from these.
    private(set) lazy var another = HistoryFiles(moment)

    init(_ moment: LogMoment) {
        log = nil
        known = moment
    }

    init(_ log: Log) { self.log = log }

    var moment: LogMoment {
        if let known { return known }
        guard let log else { preconditionFailure("files of no log") }
        let moment = LogMoment(log)
        known = moment
        return moment
    }

    /// The oldest transaction that can be asked for. Before the moment is known it may still be raised.
    var floor: LogSequence {
        if let known {
            // A compaction that began before the snapshot was taken may have raised the floor since.
            return max(known.snapshot.oldestSequence, known.pin?.sequence ?? .none)
        }
        return log.map { max($0.oldestSequence, $0.pins.floor) } ?? .none
    }

    var newest: LogSequence { known?.snapshot.lastSequence ?? log?.lastSequence ?? .none }
}
