/// A store's files as they are, read-only and without a lock: for tools.
package struct LogInspection {
    package let manifest: Manifest
    /// Oldest first.
    package let segments: [SegmentSummary]
    /// Why segments that are there are not listed: their headers are unreadable.
    package let problems: [LogError]
    private let fileSystem: any FileSystem

    /// Reads the manifest and every segment's header and footer. It makes no decision about the
    /// end of the log and takes segments that do not belong together as they are.
    package init(_ fileSystem: any FileSystem) throws(LogError) {
        self.fileSystem = fileSystem
        let listing = try StoreListing(fileSystem)
        guard case .store(let generation) = try listing.kind(in: fileSystem) else {
            throw .missing(directory: fileSystem.displayPath)
        }
        manifest = try LogLayout.readManifest(fileSystem, generation: generation, mode: .readOnly)
        var segments: [SegmentSummary] = []
        var problems: [LogError] = []
        // Older ones were replaced by a checkpoint and are not part of the store any more.
        for segment in listing.segments where segment >= manifest.firstSegment {
            do throws(LogError) {
                let file = try SegmentFile.read(segment, in: fileSystem, mode: .readOnly)
                segments.append(
                    SegmentSummary(
                        header: file.header, footer: file.footer, fileLength: file.length))
            } catch {
                problems.append(error)
            }
        }
        self.segments = segments
        self.problems = problems
    }

    /// Walks the headers of a segment's frames until `body` returns false. Bytes that are no frame
    /// end the walk, and are returned as the error that a strict reader would throw.
    @discardableResult
    package func forEachFrame<Failure: Error>(
        in segment: SegmentSummary, _ body: (FrameSummary) throws(Failure) -> Bool
    ) throws(ReplayFailure<Failure>) -> LogError? {
        var cursor = try ReplayFailure<Failure>.onLog { () throws(LogError) in
            try makeCursor(segment)
        }
        while true {
            let step = try ReplayFailure<Failure>.onLog { () throws(LogError) in
                try cursor.nextHeader()
            }
            switch step {
            case .end: return nil
            case .stopped(let stop): return stop.error
            case .frame(let frame):
                let summary = FrameSummary(
                    location: FrameLocation(segment: segment.id, offset: frame.offset),
                    header: frame.header)
                let goesOn = try ReplayFailure<Failure>.onConsumer { () throws(Failure) in
                    try body(summary)
                }
                guard goesOn else { return nil }
            }
        }
    }

    private func makeCursor(_ segment: SegmentSummary) throws(LogError) -> FrameCursor {
        let name = StoreFileName.segment(segment.id).text
        let file = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        let window = SegmentWindow(
            file, name: name, end: FrameOffset(segment.fileLength.rawValue),
            blockBytes: SegmentWindow.randomBlockBytes)
        return FrameCursor(segment.header, window: window)
    }
}

/// One segment file.
package struct SegmentSummary: Sendable {
    package let header: SegmentHeader
    /// Nil when the segment is not sealed.
    package let footer: SegmentFooter?
    package let fileLength: ByteCount

    package var id: SegmentID { header.segment }
}

/// One frame, without its payload.
package struct FrameSummary: Sendable {
    package let location: FrameLocation
    package let header: FrameHeader

    package var storedBytes: ByteCount { ByteCount(UInt64(header.storedLength)) }
    package var rawBytes: ByteCount { ByteCount(UInt64(header.rawLength)) }
}
