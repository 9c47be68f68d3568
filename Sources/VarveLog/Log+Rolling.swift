extension Log {
    /// Seals the active segment and goes on in a new one. The order is what lets an opener tell an
    /// interrupted roll from lost files: the successor's header, synced and named; the footer,
    /// synced; only then frames in the successor.
    func roll(writerEpoch: UInt64) throws(LogError) {
        // Synced before the footer is written, so that a footer on the disk proves that all of its
        // segment is there.
        try synchronizeActive()
        try checkClaim()
        // Safe as well, before the footer is: it must be the last thing in its file.
        if try trimActive() { try synchronizeCut() }
        let footer = active.footer
        let header = SegmentHeader(
            store: manifest.store, segment: SegmentID(active.header.segment.rawValue + 1),
            writerEpoch: writerEpoch,
            firstSequence: LogSequence(footer.lastSequence.rawValue + 1),
            salt: environment.randomSalt(), previousLength: footer.sealedLength,
            previousDigest: footer.digest, createdAt: environment.wallClockMicroseconds())
        let successor = try createSuccessor(header)
        let opening = active.opening
        try undoable { writer throws(FileSystemError) in
            try writer.appendFooter(footer, time: header.createdAt)
        }
        try synchronizeActive()
        goOn(
            in: successor,
            behind: SegmentEntry(header: active.header, opening: opening, sealed: footer))
    }

    private func createSuccessor(_ header: SegmentHeader) throws(LogError) -> SegmentWriter {
        do {
            return try SegmentWriter.create(header, in: fileSystem)
        } catch {
            // A name or content that may or may not be there is like a failed sync.
            switch error.operation {
            case .synchronize, .synchronizeDirectory:
                throw poison(.synchronizationFailed(error, lastDurable: durableSequence))
            default: throw .fileSystem(error)
            }
        }
    }
}
