internal import VarveAssets
internal import VarveEvents
internal import VarveLog
internal import VarveReplay
internal import VarveTables

extension Inspection {
    /// Replays the log from the older checkpoint, or from the beginning where it is all there, up to
    /// the newest checkpoint, and compares what that leads to with what the checkpoint holds.
    func verifyCourse() throws(InspectionError) {
        guard let newest = scanned.manifest.checkpoints.first else { return }
        let older = scanned.manifest.checkpoints.dropFirst().first
        guard older != nil || snapshot.firstSequence == LogSequence(1) else { return }
        let state = if let older { try load(older) } else { State() }
        let found: State
        do throws(ReplayFailure<RecordError>) {
            found = try state.reading {
                .log($0)
            } _: { () throws(ReplayFailure<RecordError>) in
                try state.changed { transaction throws(ReplayFailure<RecordError>) in
                    try snapshot.replay(
                        after: older?.sequence ?? .none, through: newest.sequence
                    ) { record throws(RecordError) in try transaction.take(record) }
                }
            }
        } catch {
            throw error.inspectionError(in: snapshot)
        }
        guard try Self.digest(of: found) == Self.digest(of: try load(newest)) else {
            throw .log(
                .checkpointDamaged(
                    file: newest.file.text,
                    reason: "the log leads to another state than it holds"))
        }
    }

    /// Replays the log to its end, and checks that both sides of every link say the same. Returns the state.
    @discardableResult
    func verifyEnd() throws(InspectionError) -> State {
        let state = try replay()
        let link = try state.inspecting { () throws(InspectionError) in state.oneSidedLink() }
        guard let link else { return state }
        throw .entity(
            type: link.type,
            reason: "\(link.id) is linked by '\(link.relation)' to \(link.target), "
                + "which knows nothing of it")
    }

    /// Reads the file of each asset that the newest state and the kept history name.
    func checkAssets(of state: State) throws(InspectionError) -> AssetCheck {
        do throws(AssetNames.Failure) {
            let checkpoint = try newestCheckpoint()
            return try AssetCheck(
                AssetNames(state.catalog), in: checkpoint, snapshot,
                files: AssetFolder(of: snapshot.fileSystem, environment: SystemEnvironment()),
                isThorough: true)
        } catch {
            switch error {
            case .log(let error): throw .log(error)
            case .transaction(let sequence, let location, let reason):
                throw .transaction(TransactionID(sequence.rawValue), location, reason: reason)
            }
        }
    }

    private func newestCheckpoint() throws(AssetNames.Failure) -> CheckpointFile? {
        guard let newest = scanned.manifest.checkpoints.first else { return nil }
        do throws(LogError) {
            return try scanned.open(newest)
        } catch {
            throw .log(error)
        }
    }

    private func load(_ checkpoint: CheckpointReference) throws(InspectionError) -> State {
        try InspectionError.wrapping { () throws(LogError) in
            try scanned.open(checkpoint).readState()
        }
    }

    private static func digest(of state: State) throws(InspectionError) -> UInt64 {
        try state.inspecting { () throws(InspectionError) in
            do throws(CodecError) {
                return try state.contentDigest()
            } catch {
                throw .entity(type: "any", reason: "\(error)")
            }
        }
    }
}
