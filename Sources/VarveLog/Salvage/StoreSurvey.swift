/// Everything that can still be read of a store: an intact manifest if there is one, checkpoints
/// whose pages are intact, and the stretches of its segments.
struct StoreSurvey {
    /// A stretch of transactions, and where it lies.
    struct Stretch {
        let file: SurveyedFile
        let first: LogSequence
        let last: LogSequence
        let start: FrameOffset
        let end: FrameOffset
        /// The newest intact definitions before it in the segment, whatever lies between.
        let catalog: FrameOffset?
    }

    private(set) var manifest: Manifest?
    private(set) var store: StoreID?
    /// The newest first.
    private(set) var checkpoints: [CheckpointFile] = []
    /// In the order of their numbers, which do not overlap.
    private(set) var stretches: [Stretch] = []
    private(set) var damages: [SalvageReport.Damage] = []
    /// The newest transaction that anything intact names, whether it is there or not.
    private(set) var newestNamed = LogSequence.none
    private(set) var unpromisedTail: RecoveryReport.DroppedTail?
    /// Zeros behind the last frame.
    private(set) var unused: RecoveryReport.UnusedSpace?
    private(set) var bytesRead: UInt64 = 0

    private let fileSystem: any FileSystem
    private let listing: StoreListing

    init(_ fileSystem: any FileSystem) throws(LogError) {
        self.fileSystem = fileSystem
        listing = try StoreListing(fileSystem)
        guard listing.names != nil else { throw .missing(directory: fileSystem.displayPath) }
        guard !listing.segments.isEmpty || !listing.checkpoints.isEmpty else {
            throw .notAStore(
                directory: fileSystem.displayPath,
                reason: "it holds neither segments nor checkpoints")
        }
        readManifests()
        let headers = readHeaders()
        store = manifest?.store ?? Self.mostCommon(headers.compactMap { $0.file?.header.store })
        readCheckpoints()
        surveySegments(headers)
    }

    // MARK: Manifest

    private mutating func readManifests() {
        for generation in listing.manifestGenerations.reversed() {
            do throws(LogError) {
                manifest = try LogLayout.readManifest(
                    fileSystem, generation: generation, mode: .readOnly)
                return
            } catch {
                note(.manifest(generation: generation), error)
            }
        }
        guard listing.manifestGenerations.isEmpty else { return }
        damages.append(
            SalvageReport.Damage(
                file: StoreFileName.manifest(generation: 1).text, offset: FrameOffset(0),
                bytes: .zero, transaction: nil, reason: "it is missing"))
    }

    // MARK: Segments

    private typealias Header = (segment: SegmentID, file: SegmentFile?, error: LogError?)

    private func readHeaders() -> [Header] {
        listing.segments.map { segment in
            do throws(LogError) {
                return (
                    segment, try SegmentFile.read(segment, in: fileSystem, mode: .readOnly), nil
                )
            } catch {
                return (segment, nil, error)
            }
        }
    }

    private static func mostCommon(_ stores: [StoreID]) -> StoreID? {
        var counts: [StoreID: Int] = [:]
        for store in stores { counts[store, default: 0] += 1 }
        return counts.max { ($0.value, $1.key.low) < ($1.value, $0.key.low) }?.key
    }

    private mutating func surveySegments(_ headers: [Header]) {
        noteMissing(headers)
        let bounds = Self.upperBounds(headers, store)
        let lastFilled = headers.last { $0.file?.isFilled ?? true }?.segment
        var last = LogSequence.none
        for (position, header) in headers.enumerated() {
            let numbers = last..<max(last, bounds[position])
            let isLastFilled = header.segment == lastFilled
            guard let file = surveyed(header, isLastFilled: isLastFilled, within: numbers) else {
                continue
            }
            bytesRead += file.length.rawValue
            var survey: SegmentSurvey
            do throws(LogError) {
                survey = try SegmentSurvey(file)
            } catch {
                note(.segment(header.segment), error)
                continue
            }
            survey.run()
            damages += survey.damages
            if survey.newestNamed < bounds[position] {
                newestNamed = max(newestNamed, survey.newestNamed)
            }
            for stretch in survey.stretches {
                // What contradicts the order of the segments was forged, or is somebody else's.
                guard stretch.first > last, stretch.last < bounds[position] else {
                    noteDisorder(stretch, file)
                    continue
                }
                last = stretch.last
                stretches.append(
                    Stretch(
                        file: file, first: stretch.first, last: stretch.last,
                        start: stretch.start, end: stretch.end, catalog: stretch.catalog))
            }
        }
    }

    /// Transactions of a segment are numbered below the first one of every later segment.
    private static func upperBounds(_ headers: [Header], _ store: StoreID?) -> [LogSequence] {
        var bounds: [LogSequence] = []
        var bound = LogSequence(1 << 62)
        for header in headers.reversed() {
            bounds.append(bound)
            if let file = header.file, file.header.store == store {
                bound = min(bound, file.header.firstSequence)
            }
        }
        return bounds.reversed()
    }

    /// The file of a segment, as far as it is part of the log and its frames can be told.
    /// What is known of its neighbours bounds the numbers that it may hold.
    private mutating func surveyed(
        _ header: Header, isLastFilled: Bool, within numbers: Range<LogSequence>
    ) -> SurveyedFile? {
        if let file = header.file {
            guard file.header.store == store else {
                note(
                    .segment(header.segment), file.length,
                    "it belongs to store \(file.header.store)")
                return nil
            }
            let whole = FrameOffset(file.length.rawValue)
            return SurveyedFile(
                header: file.header, isReconstructed: false,
                end: isLastFilled ? promisedEnd(of: file) ?? whole : whole, length: file.length,
                fileSystem: fileSystem)
        }
        guard let error = header.error else { return nil }
        return reconstructed(header.segment, within: numbers, error)
    }

    /// Where the log ends, when what lies behind is nothing but an unpromised end.
    private mutating func promisedEnd(of file: SegmentFile) -> FrameOffset? {
        guard file.footer == nil else { return nil }
        let name = StoreFileName.segment(file.header.segment).text
        do throws(LogError) {
            let opened = try LogError.wrapping { () throws(FileSystemError) in
                try fileSystem.open(name, .read)
            }
            let scan = try SegmentScan.run(
                file.header, opening: file.opening,
                window: SegmentWindow(opened, name: name, end: FrameOffset(file.length.rawValue)),
                isSealed: false)
            guard scan.decision.keepsFrames else { return scan.writtenEnd }
            unpromisedTail = scan.droppedTail(of: file.header.segment)
            unused = scan.unusedSpace(of: file)
            return scan.cut
        } catch {
            // Where it cannot be read whole it is looked at frame by frame, and that tells why.
            return nil
        }
    }

    private mutating func reconstructed(
        _ segment: SegmentID, within numbers: Range<LogSequence>, _ error: LogError
    ) -> SurveyedFile? {
        switch error {
        case .damaged, .fileSystem: break
        default:
            note(.segment(segment), error)
            return nil
        }
        do throws(LogError) {
            let name = StoreFileName.segment(segment).text
            let (file, length) = try LogError.wrapping { () throws(FileSystemError) in
                let file = try fileSystem.open(name, .read)
                return (file, try file.length())
            }
            let end = FrameOffset(length.rawValue)
            let header = try SegmentHeader.reconstructed(
                for: segment, store: store ?? StoreID(high: 0, low: 0), within: numbers,
                from: SegmentWindow(file, name: name, end: end))
            guard let header else {
                note(.segment(segment), length, "neither its header nor any frame can be read")
                return nil
            }
            note(
                .segment(segment), ByteCount(UInt64(SegmentHeader.byteCount)),
                SalvageReport.reason(of: error))
            return SurveyedFile(
                header: header, isReconstructed: true, end: end, length: length,
                fileSystem: fileSystem)
        } catch {
            note(.segment(segment), error)
            return nil
        }
    }

    // MARK: Checkpoints

    private mutating func readCheckpoints() {
        for number in listing.checkpoints.reversed() {
            let name = StoreFileName.checkpoint(number: number)
            do throws(LogError) {
                let file = try CheckpointFile.readIntact(number: number, in: fileSystem)
                bytesRead += file.length.rawValue
                guard store == nil || file.header.store == store else {
                    note(name, file.length, "it belongs to store \(file.header.store)")
                    continue
                }
                store = file.header.store
                checkpoints.append(file)
            } catch {
                note(name, error)
            }
        }
        checkpoints.sort { $0.header.sequence > $1.header.sequence }
        guard let manifest else { return }
        for reference in manifest.checkpoints
        where !listing.checkpoints.contains(reference.number) {
            damages.append(
                SalvageReport.Damage(
                    file: reference.file.text, offset: FrameOffset(0), bytes: .zero,
                    transaction: nil, reason: "it is missing"))
        }
    }

    // MARK: Notes

    private mutating func noteMissing(_ headers: [Header]) {
        guard let oldest = headers.first?.segment ?? manifest?.firstSegment else { return }
        var expected = manifest?.firstSegment ?? oldest
        for header in headers where header.segment >= expected {
            if header.segment > expected { noteMissing(expected, before: header.segment) }
            expected = SegmentID(header.segment.rawValue &+ 1)
        }
        // A segment is sealed only when its successor is there, and a store has one at least.
        let isSealed = headers.last?.file?.footer != nil
        if isSealed || expected == manifest?.firstSegment {
            noteMissing(expected, before: SegmentID(expected.rawValue &+ 1))
        }
    }

    private mutating func noteMissing(_ first: SegmentID, before next: SegmentID) {
        let last = SegmentID(next.rawValue - 1)
        damages.append(
            SalvageReport.Damage(
                file: StoreFileName.segment(first).text, offset: FrameOffset(0), bytes: .zero,
                transaction: nil,
                reason: first == last
                    ? "it is missing"
                    : "it is missing, with all up to \(StoreFileName.segment(last).text)"))
    }

    private mutating func noteDisorder(_ stretch: SegmentSurvey.Stretch, _ file: SurveyedFile) {
        damages.append(
            SalvageReport.Damage(
                file: StoreFileName.segment(file.header.segment).text, offset: stretch.start,
                bytes: ByteCount(stretch.end.rawValue - stretch.start.rawValue),
                transaction: stretch.first,
                reason: "its transactions are numbered out of order"))
    }

    private mutating func note(_ name: StoreFileName, _ error: LogError) {
        note(name, length(of: name), SalvageReport.reason(of: error))
    }

    private func length(of name: StoreFileName) -> ByteCount {
        do throws(FileSystemError) {
            return try fileSystem.open(name.text, .read).length()
        } catch {
            // Why it cannot be read is being told.
            return .zero
        }
    }

    private mutating func note(_ name: StoreFileName, _ bytes: ByteCount, _ reason: String) {
        damages.append(
            SalvageReport.Damage(
                file: name.text, offset: FrameOffset(0), bytes: bytes, transaction: nil,
                reason: reason))
    }
}

extension CheckpointFile {
    /// A checkpoint of which every page is intact, known by its own header alone.
    static func readIntact(
        number: UInt64, in fileSystem: any FileSystem
    ) throws(LogError) -> CheckpointFile {
        let name = StoreFileName.checkpoint(number: number).text
        let bytes = try LogError.wrapping { () throws(FileSystemError) in
            let file = try fileSystem.open(name, .read)
            let count = min(try file.length().rawValue, UInt64(CheckpointHeader.byteCount))
            return try file.readBytes(at: FrameOffset(0), count: Int(count), name: name)
        }
        guard let header = CheckpointHeader.intact(bytes), header.number == number,
            header.sequence.rawValue < 1 << 62
        else {
            throw .checkpointDamaged(file: name, reason: "its header is not what was written")
        }
        let file = try CheckpointFile(
            header.reference, store: header.store, in: fileSystem, mode: .readOnly)
        try file.verifyPages()
        return file
    }
}
