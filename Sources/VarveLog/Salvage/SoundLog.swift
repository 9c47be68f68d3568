/// What can be read of a store, whether it opens or not: for looking at it, not for working with it.
///
/// Where the log opens, its segments are read as a reader has them, beside a writer too. Where it does not, every
/// file is read as a salvage reads it. Behind damage the reading goes on at the next intact frame.
package struct SoundLog {
    /// A segment whose frames can be read.
    package struct Segment: Sendable {
        package let id: SegmentID
        /// The whole file.
        package let length: ByteCount
        fileprivate let file: SurveyedFile
    }

    /// A checkpoint that the store names, or that is there.
    package struct Checkpoint: Sendable {
        package let name: String
        /// The last transaction whose effects it holds; `.none` where that is unknown.
        package let sequence: LogSequence
        /// Nil where it cannot be read, which `problem` explains.
        package let file: CheckpointFile?
        package let problem: String?
    }

    /// Why the log does not open; nil where it does.
    package let refusal: LogError?
    package let manifest: Manifest?
    package let store: StoreID?
    /// What opening it found; nil where it does not open.
    package let report: RecoveryReport?
    package let hasLiveWriter: Bool
    /// Oldest first.
    package let segments: [Segment]
    /// The newest first.
    package let checkpoints: [Checkpoint]
    /// What is wrong beside what ``forEachRecord(_:)`` comes to.
    package let damages: [SalvageReport.Damage]

    /// Errors: what `ScannedLog.scan` throws where there is no store, or one of a later version.
    package init(_ fileSystem: any FileSystem) throws(LogError) {
        do throws(LogError) {
            self.init(try ScannedLog.scan(fileSystem, mode: .readOnly), fileSystem)
        } catch {
            guard error.isAboutContent else { throw error }
            self.init(try StoreSurvey(fileSystem), error)
        }
    }

    private init(_ scanned: ScannedLog, _ fileSystem: any FileSystem) {
        refusal = nil
        manifest = scanned.manifest
        store = scanned.manifest.store
        report = scanned.report
        hasLiveWriter = scanned.hasLiveWriter
        segments = scanned.snapshot.segments.map { entry in
            Segment(
                id: entry.id, length: entry.fileLength,
                file: SurveyedFile(
                    header: entry.header, isReconstructed: false, end: entry.dataEnd,
                    length: entry.fileLength, fileSystem: fileSystem))
        }
        checkpoints = scanned.manifest.checkpoints.map { reference in
            do throws(LogError) {
                let file = try scanned.open(reference)
                try file.verifyPages()
                return Checkpoint(
                    name: reference.file.text, sequence: reference.sequence, file: file,
                    problem: nil)
            } catch {
                return Checkpoint(
                    name: reference.file.text, sequence: reference.sequence, file: nil,
                    problem: SalvageReport.reason(of: error))
            }
        }
        damages = []
    }

    private init(_ survey: StoreSurvey, _ refusal: LogError) {
        self.refusal = refusal
        manifest = survey.manifest
        store = survey.store
        report = nil
        hasLiveWriter = false
        var segments: [Segment] = []
        for stretch in survey.stretches where segments.last?.id != stretch.file.header.segment {
            let file = stretch.file
            segments.append(Segment(id: file.header.segment, length: file.length, file: file))
        }
        self.segments = segments
        checkpoints = survey.checkpoints.map { file in
            Checkpoint(
                name: file.reference.file.text, sequence: file.header.sequence, file: file,
                problem: nil)
        }
        // What lies behind the headers of these segments is met again when they are read.
        let names = Set(segments.map { StoreFileName.segment($0.id).text })
        damages = survey.damages.filter {
            $0.offset == FrameOffset(0) || !names.contains($0.file)
        }
    }

    /// Delivers every definition and every whole transaction that is intact, in the order of the log, and returns the
    /// damage between them. Where transactions are missing, their numbers have a gap.
    package func forEachRecord(
        _ body: (SegmentID, LogRecord) -> Void
    ) -> [SalvageReport.Damage] {
        var found = damages
        for segment in segments {
            do throws(LogError) {
                var survey = try SegmentSurvey(segment.file)
                survey.run { body(segment.id, $0) }
                found += survey.damages
            } catch {
                found.append(
                    SalvageReport.Damage(
                        file: StoreFileName.segment(segment.id).text, offset: FrameOffset(0),
                        bytes: segment.length, transaction: nil, reason: "\(error)"))
            }
        }
        return found
    }
}
