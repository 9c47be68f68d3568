/// Brings everything that can still be read of a damaged store into a new one.
///
/// The damaged store is only read, whatever happens. The new one has an identity of its own: it is
/// not the same course of events, and what remembers a place in the old one must not find it here.
///
/// - Where the log is whole from its beginning through the newest intact checkpoint, or there is
///   none, the log is all. Otherwise the state is taken from the newest intact checkpoint, and of the
///   history before it what joins it without a gap.
/// - For transactions that are lost between others stand empty ones, so that every other keeps its
///   number. A transaction that counts on a lost one is made to fit, and reported. Where nothing
///   intact lies before a loss, or the loss is too large, history begins behind it, with a checkpoint
///   of what is known.
package final class LogSalvage {
    private let survey: StoreSurvey
    private let plan: SalvagePlan
    private let content: SalvageContent
    private let output: StoreOutput
    private var report = SalvageReport()
    /// The last transaction that was taken, or given up.
    private var last = LogSequence.none
    private var isStarted = false

    private static let standInsMax: UInt64 = 1 << 16
    private static let adjustmentsMax = 1_000

    /// Errors: `.targetExists`, `.locked` while a process writes to the damaged store, `.fileSystem` where its lock
    /// cannot be examined, `.missing` and `.notAStore` where there is nothing to salvage, and what the file system says
    /// about the new store. After an error nothing is left of that.
    package static func run(
        from source: any FileSystem, to target: any FileSystem,
        environment: any LogEnvironment = SystemEnvironment(),
        configuration: LogConfiguration = LogConfiguration(), content: SalvageContent
    ) throws(LogError) -> SalvageReport {
        configuration.check()
        try StoreOutput.requireVacant(target)
        if let holder = try DirectoryLock.holder(in: source) {
            throw .locked(directory: source.displayPath, holder: holder)
        }
        let survey = try StoreSurvey(source)
        do throws(LogError) {
            let salvage = LogSalvage(
                survey: survey, content: content,
                output: try StoreOutput(
                    in: target, environment: environment, configuration: configuration,
                    definitions: content.definitions))
            return try salvage.run()
        } catch {
            if case .targetExists = error { throw error }
            StoreOutput.discard(target)
            throw error
        }
    }

    private init(survey: StoreSurvey, content: SalvageContent, output: StoreOutput) {
        self.survey = survey
        self.content = content
        self.output = output
        plan = SalvagePlan(survey)
        report.store = output.store
        report.source = survey.store
        report.damages = survey.damages
        report.folded = plan.folded
        report.unpromisedTail = survey.unpromisedTail
        report.unused = survey.unused
        report.bytesRead = ByteCount(survey.bytesRead)
    }

    private func run() throws(LogError) -> SalvageReport {
        if let base = plan.base { try copyBase(base) }
        for (position, stretch) in plan.rest.enumerated() {
            let first = max(stretch.first, last.following)
            if first > last.following {
                lookAhead(from: position)
                try giveUp(
                    SalvageReport.Gap(
                        first: last.following, last: LogSequence(first.rawValue - 1)),
                    isBeginning: position == 0 && !isStarted)
            }
            try take(stretch)
        }
        if !isStarted { try output.start(before: last.following) }
        return try finish()
    }

    private func finish() throws(LogError) -> SalvageReport {
        let floor = max(output.firstSequence, survey.manifest?.floor ?? LogSequence(1))
        let verification = try output.finish(
            floor: min(floor, last.following), retention: survey.manifest?.retention)
        let newest = max(survey.newestNamed, survey.manifest?.checkpointSequence ?? .none)
        if newest > last {
            report.lost.append(SalvageReport.Gap(first: last.following, last: newest))
        }
        report.first = output.firstSequence
        report.last = last
        report.bytesWritten = verification.storedBytes
        report.damages.sort { ($0.file, $0.offset) < ($1.file, $1.offset) }
        return report
    }

    // MARK: Base

    /// The checkpoint's pages as they are, and the history before it.
    private func copyBase(_ base: CheckpointFile) throws(LogError) {
        let border = base.header.sequence
        let first = plan.history.first?.first ?? border.following
        try output.start(before: first)
        isStarted = true
        for stretch in plan.history {
            try deliver(stretch) { record throws(LogError) in
                if case .transaction(let transaction) = record {
                    guard transaction.sequence <= border else { return false }
                    try output.prepare(time: transaction.time)
                    try output.append(
                        sequence: transaction.sequence, time: transaction.time,
                        payload: transaction.payload)
                    report.transactions += 1
                }
                content.pass(record)
                return true
            }
        }
        try content.load(base)
        try output.writeCheckpoint(time: base.header.sequenceTime) { writer throws(LogError) in
            if base.header.isImage { try writer.holdImage() }
            let reader = try base.makeReader()
            for page in base.pages { try writer.append(page, from: reader) }
            return base.contentDigest
        }
        report.checkpoint = border
        last = border
    }

    // MARK: Losses

    /// Looks for the definitions that hold behind a loss: at the head of a later segment, up to the
    /// next loss, or failing that, among the lost transactions themselves.
    private func lookAhead(from position: Int) {
        do throws(LogError) {
            guard try !lookAtSegments(from: position),
                let catalog = plan.rest[position].catalog
            else { return }
            try lookAt(catalogAt: catalog, of: plan.rest[position].file)
        } catch {
            // What cannot be read now is met again when it is taken, and told then.
        }
    }

    private func lookAtSegments(from position: Int) throws(LogError) -> Bool {
        var isKnown = false
        var next = plan.rest[position].first
        for stretch in plan.rest[position...] where !isKnown {
            guard stretch.first == next else { break }
            next = stretch.last.following
            try deliver(stretch) { record throws(LogError) in
                if case .catalog = record { isKnown = true }
                return content.lookAhead(record)
            }
        }
        return isKnown
    }

    private func lookAt(
        catalogAt offset: FrameOffset, of file: SurveyedFile
    ) throws(LogError) {
        var cursor = try file.cursor(at: offset)
        guard case .frame(let frame) = try cursor.next(), frame.header.type == .catalog else {
            return
        }
        let bytes = FrameContent(file.header.segment)
        _ = content.lookAhead(.catalog(payload: try bytes.payload(of: frame)))
    }

    private func giveUp(
        _ gap: SalvageReport.Gap, isBeginning: Bool
    ) throws(LogError) {
        report.lost.append(gap)
        if isBeginning || gap.count > Self.standInsMax {
            try beginBehind(gap)
        } else {
            try standIn(for: gap)
        }
        last = gap.last
    }

    private func standIn(for gap: SalvageReport.Gap) throws(LogError) {
        var sequence = gap.first
        let time = content.lastTime()
        for bytes in content.lose(gap.last) {
            try output.prepare(time: time)
            try bytes.withUnsafeBytesTyped { payload throws(LogError) in
                try output.append(sequence: sequence, time: time, payload: payload)
            }
            sequence = sequence.following
        }
    }

    /// The log begins behind a loss, with a checkpoint of what is known. What was written before is
    /// folded into that.
    private func beginBehind(_ gap: SalvageReport.Gap) throws(LogError) {
        if isStarted {
            report.folded.append(
                SalvageReport.Gap(first: output.firstSequence, last: output.lastSequence))
            report.transactions = 0
            try output.restart()
        }
        content.skip(gap.last)
        try output.start(before: gap.last.following)
        isStarted = true
        try output.writeCheckpoint(time: content.lastTime()) { writer throws(LogError) in
            try content.writeState(writer)
        }
    }

    // MARK: Transactions

    private func take(_ stretch: StoreSurvey.Stretch) throws(LogError) {
        if !isStarted {
            try output.start(before: stretch.first)
            isStarted = true
        }
        try deliver(stretch) { record throws(LogError) in
            guard case .transaction(let transaction) = record, transaction.sequence > last else {
                return true
            }
            try take(transaction)
            return true
        }
    }

    private func take(_ transaction: LoggedTransaction) throws(LogError) {
        try output.prepare(time: transaction.time)
        switch content.take(transaction) {
        case .whole:
            try output.append(
                sequence: transaction.sequence, time: transaction.time,
                payload: transaction.payload)
            report.transactions += 1
        case .adjusted(let bytes, let changes, let count):
            try bytes.withUnsafeBytesTyped { payload throws(LogError) in
                try output.append(
                    sequence: transaction.sequence, time: transaction.time, payload: payload)
            }
            report.transactions += 1
            report.adjustedCount += 1
            if report.adjusted.count < Self.adjustmentsMax {
                report.adjusted.append(
                    SalvageReport.Adjustment(
                        transaction: transaction.sequence, changes: changes, count: count))
            }
        case .unreadable(let reason):
            report.damages.append(
                SalvageReport.Damage(
                    file: StoreFileName.segment(transaction.location.segment).text,
                    offset: transaction.location.offset, bytes: transaction.storedBytes,
                    transaction: transaction.sequence, reason: reason))
            try giveUp(
                SalvageReport.Gap(first: transaction.sequence, last: transaction.sequence),
                isBeginning: false)
        }
        last = transaction.sequence
    }

    /// Reads a stretch, which was found intact, until `body` returns false.
    private func deliver(
        _ stretch: StoreSurvey.Stretch, _ body: (LogRecord) throws(LogError) -> Bool
    ) throws(LogError) {
        var cursor = try stretch.file.cursor(at: stretch.start)
        let content = FrameContent(stretch.file.header.segment)
        while cursor.offset < stretch.end {
            switch try cursor.next() {
            case .stopped(let stop): throw stop.error
            case .end: return
            case .frame(let frame):
                switch frame.header.type {
                case .catalog:
                    guard try body(.catalog(payload: try content.payload(of: frame))) else {
                        return
                    }
                case .transaction:
                    guard let transaction = try content.add(frame) else { continue }
                    guard try body(.transaction(transaction)) else { return }
                default: continue
                }
            }
        }
    }
}
