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
            found = try state.changed { transaction throws(ReplayFailure<RecordError>) in
                try snapshot.replay(
                    after: older?.sequence ?? .none, through: newest.sequence
                ) { record throws(RecordError) in try transaction.take(record) }
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

    /// Replays the log to its end, and checks that both sides of every link say the same.
    func verifyEnd() throws(InspectionError) {
        guard let link = try replay().oneSidedLink() else { return }
        throw .entity(
            type: link.type,
            reason: "\(link.id) is linked by '\(link.relation)' to \(link.target), "
                + "which knows nothing of it")
    }

    private func load(_ checkpoint: CheckpointReference) throws(InspectionError) -> State {
        try InspectionError.wrapping { () throws(LogError) in
            try scanned.open(checkpoint).readState()
        }
    }

    private static func digest(of state: State) throws(InspectionError) -> UInt64 {
        do throws(CodecError) {
            return try state.contentDigest()
        } catch {
            throw .entity(type: "any", reason: "\(error)")
        }
    }
}
