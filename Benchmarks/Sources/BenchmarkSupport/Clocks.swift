import Foundation

/// Wall time: what waits for a disk or for other threads takes as long as it takes.
public enum WallClock {
    public static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return seconds(since: start)
    }

    public static func seconds(since start: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - start) / .seconds(1)
    }

    /// The seconds of each call.
    ///
    /// - Parameter limit: no call begins later than so many seconds after the first.
    public static func latencies(
        _ count: Int, within limit: Double = .infinity, _ body: (_ number: Int) throws -> Void
    ) rethrows -> [Double] {
        var latencies: [Double] = []
        latencies.reserveCapacity(count)
        let start = ContinuousClock.now
        while latencies.count < count {
            latencies.append(try seconds { try body(latencies.count) })
            if seconds(since: start) > limit { break }
        }
        return latencies
    }
}

/// The CPU time of this thread: other work on the machine disturbs it least.
public enum ThreadClock {
    /// Nanoseconds that the body takes.
    public static func time(_ body: () -> Void) -> Double {
        // Lets the allocator tidy up behind what was prepared, which it does at the next large request.
        UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 16).deallocate()
        let start = now
        body()
        return now - start
    }

    public static var now: Double {
        var time = timespec()
        precondition(
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0, "no clock of the thread's time")
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
