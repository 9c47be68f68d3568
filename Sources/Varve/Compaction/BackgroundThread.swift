internal import Foundation
internal import Synchronization
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
/// Where all processors are taken for long, such a thread hardly comes to anything. So little work is done
/// where it is given, a piece that the thread does not begin soon is done by the caller, and what the thread gets is
/// measured: if that is too little, what follows in the next second runs where it is given.
///
/// `@unchecked Sendable`: one thread gives pieces. The other one touches what is unguarded from when it has
/// taken one, by `isWaiting`, until it has answered, and the first one only outside of that.
final class BackgroundThread: @unchecked Sendable {
    /// Long enough that handing over counts for little, and the caller may look up often enough.
    private static let pieceTime = Duration.milliseconds(20)
    private static let patience = DispatchTimeInterval.milliseconds(50)
    private static let timeWithout = Duration.seconds(1)

    private let asked = DispatchSemaphore(value: 0)
    private let answered = DispatchSemaphore(value: 0)
    /// Whether a piece was given and not taken.
    private let isWaiting = Atomic(false)
    private var piece: (() -> Void)?
    private var share = ProcessorShare()
    private let isEnded = Atomic(false)
    /// The rest is of the thread that gives pieces alone.
    private var isStarted = false
    /// Until when everything runs where it is given.
    private var withoutUntil: ContinuousClock.Instant?

    private let timeOfLittle: Duration

    private init(timeOfLittle: Duration) { self.timeOfLittle = timeOfLittle }

    /// How often the thread was not waited for any more, or got too little.
    private(set) var timesGivenUp = 0

    /// The thread starts when there is much to do, and ends behind the call.
    ///
    /// - Parameter timeOfLittle: what is done in that time needs no other thread, and keeps no commit waiting for long.
    static func with<Result>(
        timeOfLittle: Duration = .milliseconds(1), _ body: (BackgroundThread) throws -> Result
    ) rethrows -> Result {
        let thread = BackgroundThread(timeOfLittle: timeOfLittle)
        defer { thread.end() }
        return try body(thread)
    }

    private func end() {
        isEnded.store(true, ordering: .releasing)
        if isStarted { asked.signal() }
    }

    /// Runs a step of some milliseconds again and again, until it returns false, and `lookUp` on the calling
    /// thread before the first and every now and then.
    func `repeat`(_ step: () throws -> Bool, lookingUp lookUp: () throws -> Void) throws {
        let start = ContinuousClock.now
        var goesOn = true
        while goesOn, ContinuousClock.now < start + timeOfLittle {
            try lookUp()
            goesOn = try step()
        }
        while goesOn {
            try lookUp()
            goesOn = try run {
                let end = ContinuousClock.now + Self.pieceTime
                while try step() {
                    if ContinuousClock.now >= end { return true }
                }
                return false
            }
        }
    }

    /// Runs a piece of work and waits for it. Of one thread at a time, and not of a piece.
    private func run(_ body: () throws -> Bool) throws -> Bool {
        if let withoutUntil, ContinuousClock.now < withoutUntil { return try body() }
        if !isStarted { Thread.detachNewThread { [self] in work() } }
        isStarted = true
        var outcome: Result<Bool, any Error>?
        withoutActuallyEscaping({ outcome = Result(catching: body) }) { piece in
            self.piece = piece
            isWaiting.store(true, ordering: .releasing)
            asked.signal()
            if answered.wait(timeout: .now() + Self.patience) == .timedOut {
                if isWaiting.exchange(false, ordering: .acquiringAndReleasing) {
                    giveUp()
                } else {
                    answered.wait()
                }
            }
            self.piece = nil
        }
        guard let outcome else { return try body() }
        if share.isTooSmall { giveUp() }
        return try outcome.get()
    }

    private func giveUp() {
        timesGivenUp += 1
        withoutUntil = ContinuousClock.now + Self.timeWithout
    }

    // MARK: - The other thread

    private func work() {
        SystemEnvironment.enterBackground()
        while true {
            asked.wait()
            if isWaiting.exchange(false, ordering: .acquiringAndReleasing) {
                perform()
                answered.signal()
            } else if isEnded.load(ordering: .acquiring) {
                return
            }
        }
    }

    /// Never inlined: behind it this thread must hold no reference to the piece, which does not outlive the call
    /// that gave it.
    @inline(never)
    private func perform() {
        guard let piece else { preconditionFailure("a piece of work was given but is not there") }
        let start = (time: ContinuousClock.now, use: SystemEnvironment.threadProcessorTime)
        piece()
        share.add(
            time: ContinuousClock.now - start.time,
            processorTime: SystemEnvironment.threadProcessorTime - start.use)
    }
}

/// How much of the time in which a thread had work it had a processor as well.
struct ProcessorShare {
    /// Judged by at least so much time: one wait for a disk does not decide.
    private static let judgedTime = Duration.milliseconds(250)
    /// Less than one part in so many is too little.
    private static let partsMax = 8

    private var time = Duration.zero
    private var processorTime = Duration.zero
    /// Whether what was added last made it known.
    private(set) var isTooSmall = false

    mutating func add(time: Duration, processorTime: Duration) {
        self.time += time
        self.processorTime += processorTime
        isTooSmall = false
        guard self.time >= Self.judgedTime else { return }
        isTooSmall = self.processorTime * Self.partsMax < self.time
        self.time = .zero
        self.processorTime = .zero
    }
}
