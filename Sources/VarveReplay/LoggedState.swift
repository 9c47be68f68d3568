internal import VarveEvents
package import VarveLog
package import VarveTables

/// The state that a log leads to, from the newest checkpoint that can be used to its end.
package struct LoggedState {
    package let state: State
    /// Where the replay started.
    package let start: LogStart

    /// Loads the newest checkpoint that can be used, and applies the log behind it, verifying all of that.
    ///
    /// - Parameter aheadMin: how many bytes there must be to replay for them to be read ahead.
    package init(
        _ scanned: ScannedLog, readingAheadFrom aheadMin: UInt64 = ReadAhead.bytesMin
    ) throws(ReplayFailure<RecordError>) {
        let loaded: (state: State?, start: LogStart)
        do throws(LogError) {
            loaded = try scanned.loadNewestCheckpoint { file throws(LogError) in
                try file.readState()
            }
        } catch {
            throw .log(error)
        }
        start = loaded.start
        let bytes = scanned.rawBytes(after: loaded.start.sequence)
        // One transaction over all of it: what one of the log makes, the next changes in place.
        let transaction = StateTransaction(loaded.state ?? State())
        if bytes >= aheadMin {
            try ReadAhead().forEach(of: scanned.snapshot, after: loaded.start.sequence) {
                record, _ throws(RecordError) in try transaction.take(record)
            }
            scanned.skipReplay()
        } else {
            try scanned.replay(after: loaded.start.sequence) { record throws(RecordError) in
                try transaction.take(record)
            }
        }
        state = transaction.publish()
    }
}

extension StateTransaction {
    fileprivate func take(_ record: ReadRecord) throws(RecordError) {
        switch record {
        case .catalog(let payload): try payload.checkDefinitions(behind: lastTransaction)
        case .transaction(let view, let location, _): try apply(view, location)
        }
    }
}
