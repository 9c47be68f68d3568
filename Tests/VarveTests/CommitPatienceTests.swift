import Foundation
import Testing
import VarveLog

@testable import Varve

@Suite("How long threads stay awake for a sync", .timeLimit(.minutes(5)))
struct CommitPatienceTests {
    private let now = ContinuousClock.now

    private func patience(
        processors: Int = 2, sync: Duration = .microseconds(100), waiters: Int = 16
    ) -> CommitPatience {
        var patience = CommitPatience(processors: processors)
        patience.didSync(in: sync, waiters: waiters)
        return patience
    }

    /// So many absences, each of which ends when the next one begins.
    private func absences(
        _ count: Int, of time: Duration, each interval: Duration, in patience: inout CommitPatience
    ) -> ContinuousClock.Instant {
        var end = now
        for _ in 0..<count {
            end += interval
            patience.wasAbsent(for: time, until: end)
        }
        return end
    }

    @Test("A crowd stays awake for eight syncs on a disk that syncs in a tenth of a millisecond")
    func crowd() {
        #expect(patience().timeAwake(of: 3, at: now) == .microseconds(800))
    }

    @Test("Nobody stays awake before it is known how long a sync takes")
    func unknownDisk() {
        #expect(CommitPatience(processors: 2).timeAwake(of: 32, at: now) == nil)
    }

    @Test("Where no more wait than there are processors, they sleep", arguments: [1, 2, 3, 8])
    func few(processors: Int) {
        let patience = patience(processors: processors, waiters: processors)
        #expect(patience.timeAwake(of: processors, at: now) == nil)
        #expect(patience.timeAwake(of: processors + 1, at: now) != nil)
    }

    @Test("The first of a crowd stays awake like the others")
    func firstOfCrowd() {
        #expect(patience(waiters: 3).timeAwake(of: 1, at: now) != nil)
    }

    @Test("A slow disk is waited for asleep, and one that was slow once is not")
    func slowDisk() {
        #expect(patience(sync: .milliseconds(5)).timeAwake(of: 32, at: now) == nil)
        var patience = patience()
        patience.didSync(in: .milliseconds(2), waiters: 16)
        #expect(patience.timeAwake(of: 32, at: now) == .microseconds(2_700))
        for _ in 0..<2 { patience.didSync(in: .milliseconds(2), waiters: 16) }
        #expect(patience.timeAwake(of: 32, at: now) == nil)
    }

    @Test("One long absence is forgiven, and what many threads miss at once counts once")
    func standstill() {
        var patience = patience()
        for thread in 0..<32 {
            // One after the other they have a processor again.
            patience.wasAbsent(for: .milliseconds(30), until: now + .microseconds(20 * thread))
        }
        #expect(patience.timeAwake(of: 32, at: now + .milliseconds(1)) != nil)
    }

    @Test("Absences one behind the other have all sleep for a quarter of a second")
    func strangers() {
        var patience = patience()
        let end = absences(3, of: .milliseconds(2), each: .milliseconds(2), in: &patience)
        #expect(patience.timeAwake(of: 32, at: end) == nil)
        #expect(patience.timeAwake(of: 32, at: end + .milliseconds(249)) == nil)
        #expect(patience.timeAwake(of: 32, at: end + .milliseconds(250)) != nil)
    }

    @Test("Absences now and then are forgiven, however many")
    func standstillsNowAndThen() {
        var patience = patience()
        let end = absences(100, of: .milliseconds(2), each: .milliseconds(15), in: &patience)
        #expect(patience.timeAwake(of: 32, at: end) != nil)
    }
}

@Suite("The bell of a thread that waits for a sync", .timeLimit(.minutes(5)))
struct CommitBellTests {
    private func ring(_ bell: CommitBell) {
        Thread.detachNewThread { bell.ring(.settled(nil)) }
    }

    private func isSettled(_ call: CommitCall) -> Bool {
        if case .settled(nil) = call { true } else { false }
    }

    @Test("Who sleeps is woken by it")
    func asleep() {
        let bell = CommitBell()
        ring(bell)
        #expect(isSettled(bell.wait()))
    }

    @Test("Who is awake hears it, long before he would sleep")
    func awake() {
        let bell = CommitBell()
        ring(bell)
        // Longer than the test may take.
        _ = bell.waitAwake(for: .seconds(600))
        #expect(isSettled(bell.wait()))
    }

    @Test("Who has heard nothing by his time sleeps, and is woken then")
    func awakeThenAsleep() {
        let bell = CommitBell()
        #expect(bell.waitAwake(for: .milliseconds(1)).time > .zero)
        ring(bell)
        #expect(isSettled(bell.wait()))
    }

    @Test("It may ring before anybody waits")
    func early() {
        let bell = CommitBell()
        bell.ring(.mustLead)
        #expect(bell.waitAwake(for: .seconds(600)).time == .zero)
        guard case .mustLead = bell.wait() else {
            Issue.record("the call is lost")
            return
        }
    }
}
