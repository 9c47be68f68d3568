internal import VarveEvents
internal import VarveLog

extension Writer {
    /// Appends the encoded transaction to the log.
    func log(_ header: TransactionHeader, _ core: Core, _ open: OpenLog) throws {
        do {
            try core.encoder.withBytes { bytes throws(LogError) in
                try open.log.append(
                    sequence: LogSequence(header.id.rawValue), time: header.time.microseconds,
                    payload: bytes)
                core.recent.note(header.id, bytes)
                memory.changes.noteLogged(
                    byteCount: bytes.count, eventCount: core.encoder.eventCount)
            }
            core.replaySteps.logged += UInt64(core.encoder.eventCount) + 1
            let log = open.log.statistics
            let compaction = CompactionFigures(open, core)
            figures.withLock { $0.noteAppend(log, compaction) }
        } catch {
            noteFigures(open, core)
            throw StoreError.log(error)
        }
    }
}

extension Writer.Core {
    /// The log as it is, kept by a pin.
    func pinnedMoment() throws(StoreError) -> LogMoment { LogMoment(try openLog().log) }

    func openLog() throws(StoreError) -> Writer.OpenLog {
        switch access {
        case .open(let open): return open
        case .suspended: throw .suspended
        case .closed: throw .closed
        }
    }
}
