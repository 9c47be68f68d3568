/// What the new store is made of: a checkpoint if one is needed, the history before it that joins
/// it without a gap, and everything behind.
struct SalvagePlan {
    /// Where the state starts; nil at the beginning of the log.
    let base: CheckpointFile?
    /// Copied as they are, up to the base's transaction.
    let history: [StoreSurvey.Stretch]
    /// Taken one after the other behind the base.
    let rest: [StoreSurvey.Stretch]
    /// Undamaged, but not part of the new store's history.
    let folded: [SalvageReport.Gap]

    init(_ survey: StoreSurvey) {
        let wholeEnd = Self.contiguousEnd(of: survey.stretches, from: LogSequence(1))
        let usable = survey.checkpoints.first { Self.fits($0, survey.stretches) }
        // Where the log reaches back to its beginning nothing else is needed.
        guard let usable, usable.header.sequence > wholeEnd else {
            base = nil
            history = []
            rest = survey.stretches
            folded = []
            return
        }
        let border = usable.header.sequence
        base = usable
        rest = survey.stretches.filter { $0.last > border }
        var history: [StoreSurvey.Stretch] = []
        var folded: [SalvageReport.Gap] = []
        var next = border.following
        for stretch in survey.stretches.reversed() where stretch.first <= border {
            if stretch.last.following >= next, folded.isEmpty {
                history.insert(stretch, at: 0)
                next = stretch.first
            } else {
                folded.insert(
                    SalvageReport.Gap(first: stretch.first, last: stretch.last), at: 0)
            }
        }
        self.history = history
        self.folded = folded
    }

    /// The last transaction of an unbroken row.
    private static func contiguousEnd(
        of stretches: [StoreSurvey.Stretch], from first: LogSequence
    ) -> LogSequence {
        var next = first
        for stretch in stretches {
            guard stretch.first == next else { break }
            next = stretch.last.following
        }
        return LogSequence(next.rawValue - 1)
    }

    /// The segment behind the checkpoint, where its own header is there, agrees that it is.
    private static func fits(
        _ checkpoint: CheckpointFile, _ stretches: [StoreSurvey.Stretch]
    ) -> Bool {
        stretches.allSatisfy { stretch in
            stretch.file.isReconstructed
                || stretch.file.header.segment != checkpoint.header.nextSegment
                || checkpoint.header.isFollowed(by: stretch.file.header)
        }
    }
}
