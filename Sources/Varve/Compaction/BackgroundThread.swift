internal import Foundation
internal import VarveLog

/// A thread that has a processor only where no other thread wants it, for work beside which others commit.
///
/// A thread that comes back from the disk to a processor on which another one computes waits there until the
/// next tick of the system's clock, 4 ms on many Linux systems, even while a second processor is idle. The
/// kernel lets it go first, and looks for idle processors on those of such threads as well, if the computing
/// thread is of the class that the system keeps for what is of no urgency. No thread leaves that class
/// without a privilege: so the work goes to a thread that ends with it, in pieces that take a while, and who
/// gives them waits for each.
///
/// Where all processors are taken for long, such a thread hardly comes to anything. So what it gets is
/// measured, and if that is too little, the pieces that follow run where they are given.
///
/// `@unchecked Sendable`: one thread gives pieces, and it touches nothing between `asked` and `answered`; the
/// other one touches all of it there alone.
final class BackgroundThread: @unchecked Sendable {
    /// Long enough that handing over counts for little, and the caller may look up often enough.
    private static let pieceTime = Duration.milliseconds(20)

    private let asked = DispatchSemaphore(value: 0)
    private let answered = DispatchSemaphore(value: 0)
    private var piece: (() -> Void)?
    private var share = ProcessorShare()

    private init() {}

    /// The thread lives as long as the call.
    static func with<Result>(_ body: (BackgroundThread) throws -> Result) rethrows -> Result {
        let thread = BackgroundThread()
        Thread.detachNewThread { thread.work() }
        defer { thread.asked.signal() }
        return try body(thread)
    }

    /// Runs a step of some milliseconds again and again, until it answers false, and `lookUp` on the calling
    /// thread before the first and every now and then.
    func `repeat`(_ step: () throws -> Bool, lookingUp lookUp: () throws -> Void) throws {
        var goesOn = true
        while goesOn {
            try lookUp()
            goesOn = try run {
                let end = ContinuousClock.now + Self.pieceTime
                var isMore = true
                while isMore, ContinuousClock.now < end { isMore = try step() }
                return isMore
            }
        }
    }

    /// Runs a piece of work and waits for it. Of one thread at a time, and not of a piece.
    private func run<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if share.isTooSmall { return try body() }
        var outcome: Swift.Result<Result, Failure>?
        withoutActuallyEscaping({ outcome = Swift.Result(catching: body) }) { piece in
            self.piece = piece
            asked.signal()
            answered.wait()
            self.piece = nil
        }
        guard let outcome else { preconditionFailure("a piece of work was answered but not done") }
        return try outcome.get()
    }

    // MARK: - The other thread

    private func work() {
        SystemEnvironment.enterBackground()
        while true {
            asked.wait()
            guard perform() else { return }
            answered.signal()
        }
    }

    /// Runs the piece; false if there is none. Never inlined: behind it this thread must hold no reference to
    /// the piece, which does not outlive the call that gave it.
    @inline(never)
    private func perform() -> Bool {
        guard let piece else { return false }
        let start = (time: ContinuousClock.now, use: SystemEnvironment.threadProcessorTime)
        piece()
        share.add(
            time: ContinuousClock.now - start.time,
            processorTime: SystemEnvironment.threadProcessorTime - start.use)
        return true
    }
}

/// How much of the time in which a thread had work it had a processor as well.
struct ProcessorShare {
    /// Judged by at least so much time: one wait for a disk does not decide.
    static let judgedTime = Duration.milliseconds(250)
    /// Less than one part in so many is too little.
    static let partsMax = 8

    private var time = Duration.zero
    private var processorTime = Duration.zero
    /// What was judged last.
    private(set) var isTooSmall = false

    mutating func add(time: Duration, processorTime: Duration) {
        self.time += time
        self.processorTime += processorTime
        guard self.time >= Self.judgedTime else { return }
        isTooSmall = self.processorTime * Self.partsMax < self.time
        self.time = .zero
        self.processorTime = .zero
    }
}
