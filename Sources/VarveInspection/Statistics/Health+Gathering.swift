internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension Health {
    init(_ log: SoundLog, _ pass: StatisticsPass, _ state: SoundState, _ damages: [Damage]) {
        self.state =
            log.report.map { report in
                log.hasLiveWriter
                    ? .openForWriting : report.endedCleanly ? .closedCleanly : .notClosed
            }
        report = log.report
        refusal = log.refusal.map { .log($0) }
        formatVersion = log.manifest.map { "\($0.version.major).\($0.version.minor)" }
        createdAt = log.manifest.map { Moment(microseconds: $0.createdAt) }
        floor = log.manifest.map { TransactionID($0.floor.rawValue) }
        retention = log.manifest?.retention
        let checkpoints = log.checkpoints.compactMap { checkpoint in
            (checkpoint.problem ?? state.checkpointProblems[checkpoint.name]).map {
                Damage(
                    file: checkpoint.name, offset: FrameOffset(0), bytes: .zero, transaction: nil,
                    reason: $0)
            }
        }
        self.damages = checkpoints + damages + pass.unreadable
        missing = pass.missing
        unknownEvents = pass.unknownEvents
        stateTransaction = state.state?.lastTransaction
        stateProblem = state.problem
    }
}

extension FileStatistics {
    static func all(
        in fileSystem: any FileSystem, _ log: SoundLog, _ pass: StatisticsPass
    ) throws(InspectionError) -> [FileStatistics] {
        let files = try InspectionError.wrapping { () throws(LogError) in
            try StoreSummary.File.all(in: fileSystem)
        }
        return files.map { FileStatistics($0, log, pass) }
    }

    private init(_ file: StoreSummary.File, _ log: SoundLog, _ pass: StatisticsPass) {
        let name = StoreFileName(file.name)
        var tally: StatisticsPass.SegmentTally?
        if case .segment(let id) = name { tally = pass.segments[id.rawValue] }
        let checkpoint = log.checkpoints.first { $0.name == file.name }
        let state = checkpoint.map { TransactionID($0.sequence.rawValue) }
        self.init(
            name: file.name, kind: Kind(file.name, name), bytes: file.bytes, first: tally?.first,
            last: tally?.last ?? state, transactions: tally?.transactions ?? 0,
            types: tally?.types.mapValues { ByteCount(UInt64($0.rounded())) }
                ?? checkpoint?.bytesByType ?? [:], problem: checkpoint?.problem)
    }
}

extension FileStatistics.Kind {
    fileprivate init(_ text: String, _ name: StoreFileName?) {
        switch name {
        case .segment: self = .segment
        case .checkpoint: self = .checkpoint
        case .manifest: self = .manifest
        case .lock: self = .lock
        default:
            self = text.hasPrefix("lost/") ? .lost : text == "assets/" ? .assets : .other
        }
    }
}

extension SoundLog.Checkpoint {
    /// What the content of each type takes in the file; nothing where that cannot be read.
    fileprivate var bytesByType: [UInt32: ByteCount] {
        do throws(LogError) {
            return try file?.bytesByType().mapValues { ByteCount($0) } ?? [:]
        } catch {
            // What reads the state from the file reports the damage.
            return [:]
        }
    }
}
