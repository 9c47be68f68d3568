extension RawRecordReader {
    /// Where the frames of a transaction lie by what their headers say, whatever is in them.
    ///
    /// Where no intact header names it, this is the damage between the transactions before and behind it. Empty where
    /// there is neither. Reads the headers of one segment.
    package func frames(of sequence: LogSequence) throws(LogError) -> [FrameLocation] {
        let segments = try StoreListing(fileSystem).segments
        for (position, segment) in segments.enumerated().reversed() {
            guard let file = intact(segment), file.header.firstSequence <= sequence else {
                continue
            }
            var search = try FrameSearch(
                for: sequence, in: file, fileSystem, isLast: position == segments.count - 1)
            return try search.run().map { FrameLocation(segment: segment, offset: $0) }
        }
        return []
    }

    /// Nil where the header of a segment is damaged: frames cannot be found without it.
    private func intact(_ segment: SegmentID) -> SegmentFile? {
        do throws(LogError) {
            return try SegmentFile.read(segment, in: fileSystem, mode: .readOnly)
        } catch {
            return nil
        }
    }
}

/// Looks for the frames of one transaction in the segment where it must be.
private struct FrameSearch {
    private let sequence: LogSequence
    private let isLast: Bool
    private var cursor: FrameCursor
    private var found: [FrameOffset] = []
    /// The newest transaction before it that was passed.
    private var before: LogSequence
    /// Where the damage behind that begins.
    private var damage: FrameOffset?

    init(
        for sequence: LogSequence, in file: SegmentFile, _ fileSystem: any FileSystem, isLast: Bool
    ) throws(LogError) {
        self.sequence = sequence
        self.isLast = isLast
        before = LogSequence(file.header.firstSequence.rawValue - 1)
        let name = StoreFileName.segment(file.header.segment).text
        let opened = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        cursor = FrameCursor(
            file.header,
            window: SegmentWindow(opened, name: name, end: FrameOffset(file.length.rawValue)))
    }

    mutating func run() throws(LogError) -> [FrameOffset] {
        while true {
            let start = cursor.offset
            switch try cursor.nextHeader() {
            case .frame(let frame):
                guard take(frame.header, at: start) else { return result(isAtEnd: false) }
            case .stopped:
                if damage == nil { damage = start }
                guard try cursor.moveToNextHeader(from: FrameOffset(start.rawValue + 8)) else {
                    return result(isAtEnd: true)
                }
            case .end: return result(isAtEnd: true)
            }
        }
    }

    /// Whether to go on.
    private mutating func take(_ header: FrameHeader, at offset: FrameOffset) -> Bool {
        guard header.type == .transaction else { return true }
        if header.sequence == sequence { found.append(offset) }
        if header.sequence < sequence { (before, damage) = (header.sequence, nil) }
        return header.sequence <= sequence
    }

    private func result(isAtEnd: Bool) -> [FrameOffset] {
        guard found.isEmpty else { return found }
        // Behind the damage at the end of the log there may be nothing, or one transaction at least.
        guard let damage, !(isAtEnd && isLast) || before.next == sequence else { return [] }
        return [damage]
    }
}
