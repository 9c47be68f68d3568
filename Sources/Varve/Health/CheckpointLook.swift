internal import Foundation
internal import Synchronization
internal import VarveGraph
internal import VarveLog
internal import VarveReplay

/// Compares a large checkpoint with its checksums behind the opening that began with it.
///
/// The opening reads the root alone, so that it takes as long for a large store as for a small one. Each block is compared
/// when it is read; this finds damage in those that are not read yet, as long as other files have what they hold. It
/// works for a tenth of the time, begins when a program that runs shortly has ended, and ends with the store.
final class CheckpointLook: Sendable {
    /// What an opening has left to it.
    struct Subject: Sendable {
        var comparison: ImageComparison
        /// Makes what the damaged checkpoint holds of other files; nil where no table waits for it. Weak: the tables hold it,
        /// with the state, and what is filled needs neither.
        weak let rebuilt: RebuiltState?
        /// How often the system has refused to read.
        var refusalCount = 0

        /// Nil where an opening has compared all.
        init?(_ replayed: LoggedState, _ rebuilt: RebuiltState?) {
            guard let comparison = replayed.uncompared else { return nil }
            self.comparison = comparison
            self.rebuilt = rebuilt
        }
    }

    /// When it works.
    struct Pace {
        var delay = DispatchTimeInterval.seconds(2)
        var workTime = Duration.milliseconds(10)
        var pause = DispatchTimeInterval.milliseconds(90)
    }

    /// What the system refuses more often than that is as good as damaged.
    private static let refusalCountMax = 3

    private let opening: StoreOpening
    private let published: PublishedState
    // Not of the background: what it fills others may wait for.
    private let queue = DispatchQueue(label: "varve.look", qos: .utility)
    private let isEnded = Atomic(false)
    /// Nil while it advances, and at the end: it keeps the file open.
    private let rest: Lock<Subject?>

    init(_ subject: Subject, opening: StoreOpening, published: PublishedState) {
        rest = Lock(subject)
        self.opening = opening
        self.published = published
    }

    /// Begins in a while.
    func schedule(_ pace: Pace = Pace()) { advance(in: pace.delay, pace) }

    /// Goes on to its end on the calling thread.
    func finish() {
        queue.sync { while advance(for: .seconds(1)) {} }
    }

    /// Ends at the page that it is at, and closes the file.
    func end() {
        isEnded.store(true, ordering: .relaxed)
        withExtendedLifetime(takeRest()) {}
    }

    private func advance(in time: DispatchTimeInterval, _ pace: Pace) {
        queue.asyncAfter(deadline: .now() + time) { [weak self] in
            guard let self, advance(for: pace.workTime) else { return }
            advance(in: pace.pause, pace)
        }
    }

    // MARK: - One step

    /// Compares pages for some time. Returns whether any are left.
    private func advance(for time: Duration) -> Bool {
        let end = ContinuousClock.now + time
        guard var subject = takeRest() else { return false }
        repeat {
            guard !isEnded.load(ordering: .relaxed) else { return false }
            do throws(LogError) {
                guard try subject.comparison.advance() else {
                    opening.log?.comparedCheckpoint(subject.comparison.file)
                    return false
                }
            } catch {
                return goesOn(behind: error, in: &subject)
            }
        } while ContinuousClock.now < end
        keep(subject)
        return true
    }

    private func takeRest() -> Subject? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest
        }
    }

    private func keep(_ subject: Subject) {
        rest.withLock { $0 = isEnded.load(ordering: .relaxed) ? nil : subject }
    }

    // MARK: - Damage

    /// Returns whether what is left is worth a look.
    private func goesOn(behind error: LogError, in subject: inout Subject) -> Bool {
        // A store that is closed or suspended notes no damage: its files may be out of reach.
        guard !isEnded.load(ordering: .relaxed) else { return false }
        // What a compaction has removed meanwhile is no damage.
        guard isThere(subject.comparison.file) else { return false }
        subject.refusalCount += 1
        if StoreError.log(error).isRefusalBySystem, subject.refusalCount <= Self.refusalCountMax {
            keep(subject)
            return true
        }
        // What is wrong behind it is of no use: nothing begins with this checkpoint any more.
        mend(error, in: subject)
        return false
    }

    /// Whether the store still has the file; also where that cannot be said.
    private func isThere(_ file: String) -> Bool {
        guard let names = try? opening.fileSystem.list() else { return true }
        return names.contains(file)
    }

    /// Notes damage, and fills the stored tables as long as other files have what is damaged.
    private func mend(_ error: LogError, in subject: Subject) {
        let waiting = published.context.tables.tables.unfilled.filter {
            $0.sourceFile == subject.comparison.file
        }
        opening.health.note(error)
        guard let rebuilt = subject.rebuilt, !waiting.isEmpty else {
            opening.log?.damage(error)
            return opening.health.noticeLate(error)
        }
        // Where that throws, it has noted that nothing else leads to the state: then what is sound is saved.
        let isMade = (try? rebuilt.state(behind: 0, after: .log(error))) != nil
        if isMade { rebuilt.publishState() }
        for table in waiting where !table.isScanned || !isMade { table.fillAhead() }
    }
}
