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

    /// Has the next compaction begin with the checkpoint before, or with the beginning of a whole log, where an error says
    /// that the one that it would begin with is damaged. Returns true also where that was done before; false of another
    /// error, and where there is nothing else to begin with.
    package func fallBack(after error: LogError) -> Bool {
        let checkpoints = manifest.checkpoints
        let damaged = checkpoints.firstIndex { error.reason(against: $0) != nil }
        guard let damaged else { return false }
        let current = base.flatMap { checkpoints.firstIndex(of: $0) } ?? checkpoints.count
        guard damaged == current else { return damaged < current }
        let older = checkpoints.dropFirst(damaged + 1).first
        let isRepairable = older != nil || snapshot.firstSequence == LogSequence(1)
        // Reading the newest may succeed another time.
        base = isRepairable ? older : checkpoints.first
        return isRepairable
    }

    /// A check of the sealed segments and the checkpoints that there are now.
    package var filesCheck: FilesCheck {
        FilesCheck(
            snapshot.segments.dropLast().map(\.id), manifest.checkpoints, of: snapshot,
            store: manifest.store)
    }

    /// The names of the files that hold the store's content now.
    package var fileNames: Set<String> { snapshot.fileNames(beside: manifest.checkpoints) }

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

extension ScannedLog {
    /// The names of the files that hold the store's content now.
    package var fileNames: Set<String> { snapshot.fileNames(beside: manifest.checkpoints) }
}

extension LogSnapshot {
    fileprivate func fileNames(beside checkpoints: [CheckpointReference]) -> Set<String> {
        Set(
            segments.map { StoreFileName.segment($0.id).text } + checkpoints.map(\.file.text))
    }
}
