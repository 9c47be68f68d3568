/// Reads sealed segments and checkpoints, and compares their checksums, step by step.
///
/// A writer checks its files so from time to time: opening reads few of them. A compaction checks what it is about to
/// remove, so that damage in it is reported before the evidence goes: a disk that has changed these bytes may change
/// others.
package struct FilesCheck {
    /// What is wrong with the files, in the order in which they are read.
    package private(set) var problems: [LogError] = []
    /// How much of them was read, between 0 and 1.
    package var fraction: Double {
        files == 0 ? 1 : Double(files - segments.count - checkpoints.count) / Double(files)
    }

    private let store: StoreID
    private let fileSystem: any FileSystem
    /// What is left to read, in reverse.
    private var segments: [SegmentID]
    private var checkpoints: [CheckpointReference]
    private let files: Int
    private var segment: (id: SegmentID, verification: SegmentVerification)?
    private var pages:
        (of: CheckpointReference, rest: Slice<CheckpointPages>, reader: CheckpointReader)?

    /// Of the file that is read.
    private var problemCount = 0
    /// Enough to know by, in a file of nothing but damage.
    private static let problemsOfFileMax = 100
    private static let framesPerStep = 64

    init(
        _ segments: [SegmentID], _ checkpoints: [CheckpointReference], of snapshot: LogSnapshot,
        store: StoreID
    ) {
        self.segments = segments.reversed()
        self.checkpoints = checkpoints.reversed()
        files = segments.count + checkpoints.count
        self.store = store
        fileSystem = snapshot.fileSystem
    }

    /// Goes on by some frames, or a page; false when everything was read.
    package mutating func advance() -> Bool {
        do throws(LogError) {
            if segment != nil {
                try readFrames()
            } else if pages != nil {
                try readPage()
            } else {
                return try beginNext()
            }
        } catch {
            note(error)
            segment = nil
            pages = nil
        }
        return true
    }

    /// Closes the file that is read, so that it may be removed meanwhile. Going on begins with it again.
    package mutating func pause() {
        if let segment { segments.append(segment.id) }
        if let pages { checkpoints.append(pages.of) }
        segment = nil
        pages = nil
    }

    /// Checkpoints come first: they are what can be made again.
    private mutating func beginNext() throws(LogError) -> Bool {
        problemCount = 0
        if let next = checkpoints.popLast() {
            let file = try CheckpointFile(
                next, store: store, in: fileSystem, mode: .readOnly)
            pages = (next, file.pages[...], try file.makeReader())
            return true
        }
        if let next = segments.popLast() {
            let file = try SegmentFile.read(next, in: fileSystem, mode: .readOnly)
            guard let footer = file.footer else {
                throw .damaged(
                    LogDamage(
                        segment: next, offset: FrameOffset(file.length.rawValue), kind: .footer,
                        expected: 1, found: 0))
            }
            segment = (
                next, try SegmentVerification(file, in: fileSystem, end: footer.dataEnd)
            )
            return true
        }
        return false
    }

    private mutating func readFrames() throws(LogError) {
        for _ in 0..<Self.framesPerStep {
            if try segment?.verification.advance() ?? false { continue }
            for problem in segment?.verification.problems ?? [] { note(problem) }
            segment = nil
            return
        }
    }

    private mutating func readPage() throws(LogError) {
        guard let page = pages?.rest.popFirst() else { return pages = nil }
        try pages?.reader.read(page).deallocate()
    }

    private mutating func note(_ problem: LogError) {
        guard problemCount < Self.problemsOfFileMax else { return }
        problems.append(problem)
        problemCount += 1
    }
}
