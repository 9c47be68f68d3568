extension Log {
    /// Begins a compaction of everything appended so far, which is synced. Nil where nothing was
    /// ever appended.
    ///
    /// Rolls, so that the checkpoint stands at a border of segments: what a commit waits for is what
    /// it waits for at any roll.
    package func beginCompaction(
        for goal: CompactionGoal = .safety
    ) throws(LogError) -> Compaction? {
        try checkWritable()
        guard lastSequence > .none else { return nil }
        if active.tally.totals.transactions > 0 {
            try lock.withRoom { () throws(LogError) in
                try roll(writerEpoch: active.header.writerEpoch)
            }
        }
        try checkClaim()
        return Compaction(
            for: goal, sequence: lastSequence, snapshot: snapshot, next: active.header,
            manifest: manifest,
            base: base, lock: lock,
            environment: environment, pins: pins)
    }

    /// Takes over a manifest that is in force. Snapshots that were taken before still name the
    /// segments that it dropped.
    package func finish(_ manifest: Manifest) {
        self.manifest = manifest
        base = manifest.checkpoints.first
        drop(segmentsBefore: manifest.firstSegment)
    }

    /// How many bytes of the log lie behind the newest checkpoint: what opening replays.
    package var bytesSinceCheckpoint: ByteCount {
        let start = base?.sequence ?? .none
        var bytes = active.end.rawValue
        for segment in sealed.reversed() {
            guard segment.header.firstSequence > start else { break }
            bytes += segment.fileLength.rawValue
        }
        return ByteCount(bytes)
    }
}
