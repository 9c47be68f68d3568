extension Compaction {
    /// Writes the checkpoint, unless the newest one will do (``isUpToDate``), reads it back, and gives it its name.
    ///
    /// - Parameters:
    ///   - time: that of the last transaction.
    ///   - encode: appends the pages and returns the digest of their content.
    ///   - verify: reads all pages and compares their content with the digest.
    /// - Returns: how large it is, and how large its content; nil where none was needed.
    package func writeCheckpoint(
        time: Int64, encode: (CheckpointWriter) throws(LogError) -> UInt64,
        verify: (CheckpointFile) throws(LogError) -> Void
    ) throws(LogError) -> CheckpointSize? {
        guard let writer = try beginCheckpoint(time: time) else { return nil }
        try verify(try finishCheckpoint(writer, contentDigest: try encode(writer)))
        return try publishCheckpoint(writer)
    }

    /// What a new checkpoint is written with; nil where the newest one will do.
    package func beginCheckpoint(time: Int64) throws(LogError) -> CheckpointWriter? {
        isUpToDate ? nil : try makeWriter(time: time)
    }

    /// Ends a checkpoint whose pages were written. All of it is read back before ``publishCheckpoint(_:)``.
    package func finishCheckpoint(
        _ writer: CheckpointWriter, contentDigest: UInt64
    ) throws(LogError) -> CheckpointFile {
        try writer.finish(contentDigest: contentDigest)
        return try writer.reopen()
    }

    /// Gives a checkpoint in which nothing wrong was found its name.
    package func publishCheckpoint(
        _ writer: CheckpointWriter
    ) throws(LogError) -> CheckpointSize {
        try checkLock()
        try writer.publish()
        return CheckpointSize(
            stored: writer.fileBytes, raw: ByteCount(writer.rawBytes),
            sequence: writer.header.sequence, createdAt: writer.header.createdAt)
    }

    /// Whether a manifest says anything that the present one does not.
    package func isChange(_ manifest: Manifest) -> Bool {
        var renumbered = manifest
        renumbered.generation = self.manifest.generation
        renumbered.createdAt = self.manifest.createdAt
        return renumbered != self.manifest
    }

    /// Puts a manifest in force, which `take` is told as soon as it counts, and removes what it made
    /// superfluous. Returns why something of that could not be removed.
    package func conclude(
        with manifest: Manifest, _ take: (Manifest) -> Void
    ) throws(LogError) -> LogError? {
        do throws(LogError) {
            try install(manifest)
        } catch {
            if isInForce { take(manifest) }
            throw error
        }
        take(manifest)
        do throws(LogError) {
            try removeSuperseded(by: manifest)
            lock.regainRoom()
            return nil
        } catch {
            return error
        }
    }

    /// Of the files that a manifest leaves out and this compaction's log still names.
    package func checkOfDropped(by manifest: Manifest) -> FilesCheck {
        let kept = Set(manifest.checkpoints)
        return FilesCheck(
            snapshot.segments.map(\.id).filter { $0 < manifest.firstSegment },
            self.manifest.checkpoints.filter { !kept.contains($0) }, of: snapshot,
            store: manifest.store)
    }

    /// What the store's log, checkpoints and manifests occupy.
    package func measureFiles() throws(LogError) -> ByteCount {
        try LogError.wrapping { () throws(FileSystemError) in
            var bytes: UInt64 = 0
            for name in try snapshot.fileSystem.list() ?? [] {
                switch StoreFileName(name) {
                case .segment, .checkpoint, .manifest:
                    bytes += try snapshot.fileSystem.open(name, .read).length().rawValue
                case .lock, .lost, .assets, .temporary, nil: break
                }
            }
            return ByteCount(bytes)
        }
    }
}

/// How large a checkpoint is, its file and its pages before compression, and how old.
package struct CheckpointSize: Hashable, Sendable {
    package let stored: ByteCount
    package let raw: ByteCount
    /// The last transaction whose effects it holds.
    package let sequence: LogSequence
    /// When it was written, in microseconds since 1970.
    package let createdAt: Int64

    package init(stored: ByteCount, raw: ByteCount, sequence: LogSequence, createdAt: Int64) {
        self.stored = stored
        self.raw = raw
        self.sequence = sequence
        self.createdAt = createdAt
    }
}

extension CheckpointFile {
    package var size: CheckpointSize {
        CheckpointSize(
            stored: length, raw: pages.rawBytes, sequence: header.sequence,
            createdAt: header.createdAt)
    }
}
