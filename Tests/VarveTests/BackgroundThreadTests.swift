import Foundation
import Testing

@testable import Varve

@Suite("Work where no other thread wants the processor", .timeLimit(.minutes(5)))
struct BackgroundThreadTests {
    private struct Failure: Error, Equatable {
        let step: Int
    }

    @Test("Much work is done on one other thread, step by step, and the caller looks up meanwhile")
    func steps() throws {
        var threads: Set<ObjectIdentifier> = []
        var looks = 0
        var steps = 0
        let timesGivenUp = try BackgroundThread.with { background in
            // However busy the machine is: until the other thread had a turn, or was given up.
            try background.repeat {
                threads.insert(ObjectIdentifier(Thread.current))
                steps += 1
                return threads.count < 2 && background.timesGivenUp == 0
            } lookingUp: {
                looks += 1
            }
            return background.timesGivenUp
        }
        #expect(threads.count == 2 || timesGivenUp > 0)
        #expect(threads.contains(ObjectIdentifier(Thread.current)))
        #expect(looks > 1 && looks <= steps)
    }

    #if canImport(Glibc)
        @Test("The other thread is of the class that goes behind all others, and the caller is not")
        func policy() throws {
            var policies: [Int32] = []
            let timesGivenUp = try BackgroundThread.with(timeOfLittle: .zero) { background in
                try background.repeat {
                    policies.append(sched_getscheduler(0))
                    return false
                } lookingUp: {
                }
                return background.timesGivenUp
            }
            // 5 is SCHED_IDLE, 0 SCHED_OTHER. Where the thread had too little of a processor, its piece is done, and the
            // next one would not be given to it.
            #expect(policies == [5] || timesGivenUp > 0 && policies == [0])
            #expect(sched_getscheduler(0) == 0)
        }
    #endif

    @Test("Little work is done where it is given, with a look before each step")
    func littleWork() throws {
        var events: [String] = []
        let caller = Thread.current
        try BackgroundThread.with(timeOfLittle: .seconds(3_600)) { background in
            try background.repeat {
                #expect(Thread.current === caller)
                events.append("step")
                return events.count < 4
            } lookingUp: {
                events.append("look")
            }
        }
        #expect(events == ["look", "step", "look", "step"])
    }

    @Test("The caller looks up before the first step, and ends the work with an error")
    func lookingUp() {
        var count = 0
        #expect(throws: Failure(step: 0)) {
            try BackgroundThread.with(timeOfLittle: .zero) { background in
                try background.repeat {
                    count += 1
                    return true
                } lookingUp: {
                    // The second look, which comes without an end of the work.
                    if count > 0 { throw Failure(step: 0) }
                }
            }
        }
        #expect(count > 0)
        #expect(throws: Failure(step: -1)) {
            try BackgroundThread.with(timeOfLittle: .zero) { background in
                try background.repeat {
                    Issue.record("a step ran")
                    return false
                } lookingUp: {
                    throw Failure(step: -1)
                }
            }
        }
    }

    @Test("What a step throws reaches the caller, and the thread takes the next piece")
    func errors() throws {
        try BackgroundThread.with(timeOfLittle: .zero) { background in
            var step = 0
            #expect(throws: Failure(step: 3)) {
                try background.repeat {
                    step += 1
                    if step == 3 { throw Failure(step: step) }
                    return true
                } lookingUp: {
                }
            }
            try background.repeat {
                step += 1
                return false
            } lookingUp: {
            }
            #expect(step == 4)
        }
    }

    @Test(
        "A thread with less than an eighth of a processor has too little, judged by a quarter of a second"
    )
    func share() {
        var share = ProcessorShare()
        share.add(time: .milliseconds(200), processorTime: .zero)
        #expect(!share.isTooSmall)
        share.add(time: .milliseconds(50), processorTime: .milliseconds(32))
        #expect(!share.isTooSmall, "32 of 250 ms are more than an eighth")
        share.add(time: .milliseconds(240), processorTime: .milliseconds(20))
        #expect(!share.isTooSmall, "what came before counts no more, and this is too short")
        share.add(time: .milliseconds(10), processorTime: .milliseconds(10))
        #expect(share.isTooSmall, "30 of 250 ms are less than an eighth")
        share.add(time: .milliseconds(10), processorTime: .zero)
        #expect(!share.isTooSmall, "it is told once")
    }
}
