/// Where a replay starts: behind a checkpoint, or at the beginning.
package struct LogStart: Hashable, Sendable {
    /// Nil at the beginning of the log.
    package var checkpoint: CheckpointReference?
    /// Checkpoints that could not be used, or could not be where they were needed.
    package var problems: [CheckpointProblem] = []

    package static let beginning = LogStart()

    package init(checkpoint: CheckpointReference? = nil) { self.checkpoint = checkpoint }

    /// The last transaction that replay does not deliver.
    package var sequence: LogSequence { checkpoint?.sequence ?? .none }
}

extension ScannedLog {
    /// Loads the newest checkpoint that can be used. Where one is damaged, the one before it serves,
    /// with the log from there, and where the log is whole, its beginning: then there is no state.
    ///
    /// `load` throws `.checkpointDamaged` for content that cannot be. Every other error ends the
    /// opening: a file that cannot be read now may be read later.
    ///
    /// - Parameter choice: which are not to be read, or of no use.
    package func loadNewestCheckpoint<State>(
        _ choice: CheckpointChoice? = nil, _ load: (CheckpointFile) throws(LogError) -> State
    ) throws(LogError) -> (state: State?, start: LogStart) {
        var start = LogStart.beginning
        for (position, checkpoint) in manifest.checkpoints.enumerated()
        where choice?.serves(checkpoint) ?? true {
            if let problem = choice?.problem(of: checkpoint) {
                start.problems.append(problem)
                continue
            }
            do throws(LogError) {
                let state = try load(try open(checkpoint))
                start.checkpoint = checkpoint
                start.problems += problems(of: manifest.checkpoints[(position + 1)...])
                return (state, start)
            } catch .checkpointDamaged(_, let offset, let reason) {
                try checkIsNamed(checkpoint)
                start.problems.append(
                    CheckpointProblem(checkpoint, offset: offset, reason: reason))
            } catch {
                throw error
            }
        }
        guard snapshot.firstSequence == LogSequence(1) else {
            throw .noUsableCheckpoint(start.problems)
        }
        return (nil, start)
    }

    /// What headers, page tables and the log tell of checkpoints that are not needed: pages are not read.
    private func problems(of checkpoints: ArraySlice<CheckpointReference>) -> [CheckpointProblem] {
        checkpoints.compactMap { checkpoint in
            do throws(LogError) {
                try snapshot.check(checkpoint, store: manifest.store, mode: mode)
                return nil
            } catch .checkpointDamaged(_, let offset, let reason) {
                return isReplaced(checkpoint)
                    ? nil : CheckpointProblem(checkpoint, offset: offset, reason: reason)
            } catch {
                // The system refused to open it: nothing is known of what it holds.
                return nil
            }
        }
    }

    /// Whether a compaction of another process has replaced it meanwhile, or may have: that is no damage.
    private func isReplaced(_ checkpoint: CheckpointReference) -> Bool {
        do throws(LogError) {
            try checkIsNamed(checkpoint)
            return false
        } catch {
            return true
        }
    }

    /// Opens a checkpoint that the manifest names, and checks that the log goes on behind it.
    package func open(_ checkpoint: CheckpointReference) throws(LogError) -> CheckpointFile {
        try snapshot.open(checkpoint, store: manifest.store, mode: mode)
    }

    private var mode: LogMode { lock == nil ? .readOnly : .readWrite }

    /// That a checkpoint is missing is no problem of the store where a compaction of another process
    /// has meanwhile replaced the manifest that names it: another look finds the next one.
    func checkIsNamed(_ checkpoint: CheckpointReference) throws(LogError) {
        let listing = try StoreListing(snapshot.fileSystem)
        guard listing.manifestGenerations.last != manifest.generation,
            !listing.checkpoints.contains(checkpoint.number)
        else { return }
        throw .fileSystem(
            FileSystemError(
                .open, file: checkpoint.file.text, reason: .system(code: POSIX.notFound)))
    }

    /// What opening found, with the checkpoint that it started from.
    package func report(startingFrom start: LogStart) -> RecoveryReport {
        var report = report
        report.checkpoint = start.sequence
        report.checkpointProblems = start.problems
        return report
    }
}

extension LogSnapshot {
    /// Opens a checkpoint of the log, and checks that the log goes on behind it.
    package func open(
        _ checkpoint: CheckpointReference, store: StoreID, mode: LogMode
    ) throws(LogError) -> CheckpointFile {
        let file = try CheckpointFile(checkpoint, store: store, in: fileSystem, mode: mode)
        try checkGoesOn(behind: file.header)
        return file
    }

    /// Compares header and page table of a checkpoint with their checksums, and checks that the log goes on behind it.
    fileprivate func check(
        _ checkpoint: CheckpointReference, store: StoreID, mode: LogMode
    ) throws(LogError) {
        try checkGoesOn(
            behind: CheckpointFile.check(checkpoint, store: store, in: fileSystem, mode: mode))
    }

    private func checkGoesOn(behind header: CheckpointHeader) throws(LogError) {
        let next = segments.first { $0.header.segment == header.nextSegment }
        guard let next, header.isFollowed(by: next.header) else {
            throw .checkpointDamaged(
                file: header.reference.file.text, reason: "it belongs to another course of the log")
        }
    }
}

extension CheckpointHeader {
    func isFollowed(by header: SegmentHeader) -> Bool {
        header.segment == nextSegment && header.firstSequence == sequence.following
            && header.previousLength == previousLength && header.previousDigest == previousDigest
    }
}
