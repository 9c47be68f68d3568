import Foundation
import VarveInspection
import VarveText

/// Says on the terminal how far the program is, where that takes over a second. The line is erased before
/// anything else is written.
///
/// What reads a store feeds it, whatever the command. A command that counts something better than bytes calls
/// ``count(_:_:of:)`` as it goes. A timer shows the seconds where nothing else happens for a while.
final class ProgressMeter: @unchecked Sendable {
    // All mutable state is guarded by the lock, and so is the sink for errors while the meter is used: threads
    // that read ahead feed it.

    private static let delay = Duration.seconds(1)
    private static let interval = Duration.milliseconds(200)
    private static let tickSeconds = 0.5

    private let lock = NSLock()
    private let output: (any OutputSink)?
    private let width: Int
    private let elapsed: @Sendable () -> Duration
    private let start: Duration
    private var bytesRead: UInt64 = 0
    /// What the command counts, with the number that it goes to.
    private var counted: (text: String, done: UInt64, total: UInt64?)?
    private var lastShown: Duration
    private var isVisible = false
    private var isFinished = false
    /// Whether the command has begun to write. A timer must not draw between its lines.
    private var isWriting = false
    private var timer: (any DispatchSourceTimer)?

    /// - Parameter width: the columns of the terminal; nil where there is none, which keeps the meter silent.
    init(output: any OutputSink, width: Int?, elapsed: @escaping @Sendable () -> Duration) {
        self.output = width == nil ? nil : output
        self.width = width ?? 0
        self.elapsed = elapsed
        start = elapsed()
        lastShown = start
    }

    /// A meter that never says anything.
    static let silent = ProgressMeter(output: NoSink(), width: nil, elapsed: { .zero })

    /// Notes that so many bytes were read. May be called on any thread.
    func read(_ count: ByteCount) {
        guard output != nil else { return }
        lock.withLock {
            bytesRead += count.rawValue
            showWhenDue()
        }
    }

    /// Notes that `done` of `total` are behind, of what `text` names: `transactions compared`.
    func count(_ text: String, _ done: UInt64, of total: UInt64? = nil) {
        guard output != nil else { return }
        lock.withLock {
            counted = (text, done, total)
            showWhenDue()
        }
    }

    /// Shows the line from time to time, also while nothing is read or counted. Until ``finish()``.
    func startTicking() {
        guard output != nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.schedule(deadline: .now() + Self.tickSeconds, repeating: Self.tickSeconds)
        timer.setEventHandler { [weak self] in self?.tick() }
        lock.withLock { self.timer = timer }
        timer.resume()
    }

    /// Shows the line where it is due. Before anything is read, the terminal belongs to what writes the input, or to a person
    /// who types it.
    func tick() {
        guard output != nil else { return }
        lock.withLock {
            let hasBegun = bytesRead > 0 || counted != nil
            if hasBegun && !isWriting { showWhenDue() }
        }
    }

    /// Erases the line, because something else is about to be written.
    func erase() {
        guard output != nil else { return }
        lock.withLock {
            isWriting = true
            eraseVisible()
        }
    }

    /// Erases the line for good.
    func finish() {
        guard output != nil else { return }
        lock.withLock {
            eraseVisible()
            isFinished = true
            timer?.cancel()
            timer = nil
        }
    }

    // MARK: Under the lock

    private func showWhenDue() {
        let now = elapsed()
        guard !isFinished, now - start > Self.delay, now - lastShown >= Self.interval else {
            return
        }
        lastShown = now
        isVisible = true
        let seconds = (now - start).components.seconds
        let text = DisplayWidth.shortened("\(Tool.name): \(text), \(seconds) s", to: width - 1)
        write("\r" + text + "\u{1B}[K")
    }

    private var text: String {
        guard let (text, done, total) = counted else {
            return Numerals.size(ByteCount(bytesRead)) + " read"
        }
        guard let total, total > 0 else { return Numerals.grouped(done) + " " + text }
        let percent = Int(Double(done) / Double(total) * 100)
        return "\(percent) %, \(Numerals.grouped(done)) of \(Numerals.grouped(total)) \(text)"
    }

    private func eraseVisible() {
        guard isVisible else { return }
        isVisible = false
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) {
        do throws(OutputFailure) {
            try output?.write(text)
            try output?.flush()
        } catch {
            // A terminal that cannot be written to needs no progress.
            isFinished = true
        }
    }
}

private final class NoSink: OutputSink {
    func write(_ text: String) throws(OutputFailure) {}
    func flush() throws(OutputFailure) {}
}
