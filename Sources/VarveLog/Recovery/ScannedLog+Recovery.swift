extension ScannedLog {
    /// Performs what the scan decided and opens the log for writing. The report says what was done.
    ///
    /// Call after `replay` succeeded: nothing may be changed in a log that turns out damaged.
    /// `prologue` gives the definitions known so far whenever a segment begins; `pins` are those of the
    /// same log when it was open before. Interrupted at any point, recovery finds the same decision
    /// again or its own result.
    package func recover(
        start: LogStart = .beginning, keeping pins: LogPins? = nil,
        prologue: @escaping () -> [UInt8]
    ) throws(LogError) -> (Log, RecoveryReport) {
        precondition(isReplayed, "a log is replayed before it is recovered")
        guard let lock = takeLock() else {
            preconditionFailure("a log is recovered once, by who scanned it for writing")
        }
        // A replay may have taken long.
        try lock.claim.checkLock()
        try removeTemporaryFiles()
        try lock.withRoom { () throws(LogError) in try removeOrphans() }
        var report = report(startingFrom: start)
        if let dropped = report.dropped { report.dropped = try keep(dropped, lock) }
        let log = try lock.withRoom { () throws(LogError) in
            try makeLog(lock, start, pins, prologue)
        }
        if scan.decision != .appendBehindSeal, scan.cut > layout.active.header.frameStart {
            // A new epoch: no frame of it ever stands behind frames of the interrupted one. The
            // footer is the promise for all that was kept.
            try lock.withRoom { () throws(LogError) in
                try log.roll(writerEpoch: layout.active.header.writerEpoch + 1)
            }
        }
        lock.keepRoom()
        return (log, report)
    }

    private func takeLock() -> DirectoryLock? {
        defer { lock = nil }
        return lock
    }

    private func makeLog(
        _ lock: DirectoryLock, _ start: LogStart, _ pins: LogPins?,
        _ prologue: @escaping () -> [UInt8]
    ) throws(LogError) -> Log {
        let active: SegmentWriter
        if scan.cut == layout.active.header.frameStart {
            try rewriteFooterBefore()
            active = try LogError.wrapping { () throws(FileSystemError) in
                try replaceEmptySegment()
            }
        } else {
            active = try resumeSegment()
        }
        return Log(
            self, lock: lock, active: active, sealed: layout.sealed,
            durableSequence: scan.decision == .appendBehindSeal
                ? lastSequence : report.promisedSequence,
            start: start, pins: pins, prologue: prologue)
    }

    /// Finishes what an interrupted compaction began. Its manifest may have its name without being
    /// durable, and a sync that failed before may have forgotten it: it is written once more before
    /// anything goes that an older one names.
    private func removeOrphans() throws(LogError) {
        guard !layout.orphans.names.isEmpty else { return }
        try LogError.wrapping { () throws(FileSystemError) in
            _ = try snapshot.fileSystem.createDurably(
                .manifest(generation: manifest.generation), content: layout.manifestBytes)
            try layout.orphans.remove(from: snapshot.fileSystem)
        }
    }

    private func removeTemporaryFiles() throws(LogError) {
        try LogError.wrapping { () throws(FileSystemError) in
            for name in layout.temporaryFiles {
                try snapshot.fileSystem.removeIfPresent(name)
            }
        }
    }

    /// A segment in which no frame of the log ever came to stand is made anew, in the new epoch and
    /// with a new salt.
    private func replaceEmptySegment() throws(FileSystemError) -> SegmentWriter {
        var header = layout.active.header
        header.version = .current
        header.features = .none
        header.headerLength = UInt32(SegmentHeader.byteCount)
        header.writerEpoch += 1
        header.salt = environment.randomSalt()
        header.createdAt = environment.wallClockMicroseconds()
        return try SegmentWriter.create(header, in: snapshot.fileSystem)
    }

    /// Before frames come to stand in an empty segment, the footer that its predecessor ends with is
    /// written once more and synced: the writer that rolled may have been killed before its sync, or
    /// that sync may have failed and forgotten the footer. What stands before the footer was synced
    /// before it was written.
    private func rewriteFooterBefore() throws(LogError) {
        guard let sealed = layout.sealed.last else { return }
        let name = StoreFileName.segment(sealed.id).text
        let file = try LogError.wrapping { () throws(FileSystemError) in
            try snapshot.fileSystem.open(name, .readWrite)
        }
        let window = SegmentWindow(
            file, name: name, end: FrameOffset(sealed.fileLength.rawValue))
        var cursor = FrameCursor(sealed.header, window: window, at: sealed.dataEnd)
        switch try cursor.next() {
        case .end: preconditionFailure("a sealed segment ends with its footer")
        case .stopped(let stop): throw stop.error
        case .frame(let footer):
            let bytes = try window.bytes(
                at: footer.offset, count: Int(footer.header.frameLength))
            try LogError.wrapping { () throws(FileSystemError) in
                try file.writeAll(bytes, at: footer.offset, name: name)
                try file.synchronize()
            }
        }
    }

    /// Opens the active segment as the scan left it: cut, and everything that nobody was promised
    /// written once more, because a failed sync may have marked it as written when it was not.
    private func resumeSegment() throws(LogError) -> SegmentWriter {
        let header = layout.active.header
        let name = StoreFileName.segment(header.segment).text
        let file = try LogError.wrapping { () throws(FileSystemError) in
            let file = try snapshot.fileSystem.open(name, .readWrite)
            // Also where it ends there already: a failed sync may have forgotten that it was cut.
            try file.truncate(to: ByteCount(scan.cut.rawValue))
            return file
        }
        try rewriteUnpromised(file, name: name)
        var durableEnd = scan.promise
        if scan.decision != .appendBehindSeal {
            try LogError.wrapping { () throws(FileSystemError) in try file.synchronize() }
            durableEnd = scan.cut
        }
        return try LogError.wrapping { () throws(FileSystemError) in
            try SegmentWriter(
                file, header: header, opening: layout.active.opening, tally: scan.tally,
                end: scan.cut, durableEnd: durableEnd)
        }
    }

    /// Every frame is verified in the very bytes that are written.
    private func rewriteUnpromised(_ file: any StoreFile, name: String) throws(LogError) {
        guard scan.promise < scan.cut else { return }
        let window = SegmentWindow(file, name: name, end: scan.cut)
        var cursor = try firstUnpromised(in: window)
        while true {
            switch try cursor.next() {
            case .end: return
            case .stopped(let stop): throw stop.error
            case .frame(let frame):
                let bytes = try window.bytes(
                    at: frame.offset, count: Int(frame.header.frameLength))
                try LogError.wrapping { () throws(FileSystemError) in
                    try file.writeAll(bytes, at: frame.offset, name: name)
                }
            }
        }
    }

    /// Before the first frame that ends behind the promise. Of the frames before it, which the scan has
    /// verified, only headers are looked at, and only those behind the last place that the index names.
    private func firstUnpromised(in window: SegmentWindow) throws(LogError) -> FrameCursor {
        let header = layout.active.header
        let start = scan.tally.index.last { $0.offset <= scan.promise }?.offset
        var cursor = FrameCursor(header, window: window, at: start)
        var offset = cursor.offset
        while case .frame(let frame) = try cursor.nextHeader(), frame.end <= scan.promise {
            offset = frame.end
        }
        return FrameCursor(header, window: window, at: offset)
    }
}
