import Testing
import VarveLog
import VarveTestSupport

@Suite("Following a log")
struct LogFollowerTests {
    /// What a follower was told, from the beginning of the log on.
    private final class Follower {
        var follower: LogFollower
        var seen: [[UInt8]]
        let test: TestLog

        init(_ test: TestLog) throws(LogError) {
            self.test = test
            let scanned = try test.scan(.readOnly)
            seen = try TestLog.replay(scanned).transactions
            follower = try LogFollower(scanned)
        }

        @discardableResult
        func poll(limit: Int = .max) throws(LogError) -> LogFollower.Outcome {
            do {
                return try follower.poll(limit: limit) { (record: LogRecord) throws(Never) in
                    guard case .transaction(let transaction) = record else { return }
                    #expect(transaction.sequence.rawValue == UInt64(seen.count + 1))
                    seen.append(Array(transaction.payload))
                }
            } catch {
                switch error {
                case .log(let error): throw error
                }
            }
        }
    }

    @Test(
        "Rows 44 to 46: at any time a follower has seen a prefix: beside a writer what is promised, at rest everything; and after a seal at least what was synced",
        arguments: 1...40 as ClosedRange<UInt64>)
    func schedules(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk(reserving: seed.isMultiple(of: 3) ? 700 : 0)
        let test = TestLog(disk, segmentBytesMax: seed.isMultiple(of: 2) ? 900 : 64 << 20)
        var log: Log? = try test.open().log
        var appended: [[UInt8]] = []
        let followers = [try Follower(test), try Follower(test)]
        var synced = 0
        for step in 0..<120 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                guard let log else { continue }
                appended.append(payload(step, bytes: Int.random(in: 1..<300, using: &random)))
                try log.append(appended[appended.count - 1])
            case 6, 7:
                try log?.sync()
                if log != nil { synced = appended.count }
            case 8:
                try log?.sync()
                try log?.seal()
                if log != nil { synced = appended.count }
                for follower in followers {
                    #expect(try follower.poll() == .upToDate)
                    #expect(follower.seen.count >= synced, "seed \(seed), step \(step)")
                }
            case 9:
                try log?.close()
                log = nil
            case 10:
                log?.abandon()
                log = nil
            default:
                if log == nil { log = try test.open().log }
                synced = max(synced, Int(log?.durableSequence.rawValue ?? 0))
            }
            let follower = followers[step % 2]
            let before = follower.seen.count
            #expect(try follower.poll() == .upToDate, "seed \(seed), step \(step)")
            #expect(follower.seen == Array(appended.prefix(follower.seen.count)))
            if log == nil {
                #expect(follower.seen.count == appended.count, "seed \(seed), step \(step)")
            } else {
                let safe = Int(log?.durableSequence.rawValue ?? 0)
                #expect(follower.seen.count <= max(safe, before), "seed \(seed), step \(step)")
            }
            #expect(follower.follower.promisedSequence.rawValue <= UInt64(appended.count))
        }
        try log?.close()
        for follower in followers {
            try follower.poll()
            #expect(follower.seen == appended, "seed \(seed)")
        }
    }

    @Test("Nothing is read twice: a look at a log without news reads a few hundred bytes")
    func incremental() throws {
        let disk = SimulatedDisk()
        let counting = FaultyFileSystem(disk, transferBytesMax: 64)
        let log = try TestLog(disk).open().log
        var random = SeededGenerator(seed: 3)
        for _ in 0..<50 { try log.append(random.bytes(4_000)) }
        try log.sync()
        try log.seal()
        let follower = try Follower(TestLog(counting))
        let start = counting.operations
        #expect(try follower.poll() == .upToDate)
        let idle = counting.operations - start
        #expect(idle < 40, "\(idle) reads of at most 64 bytes, of 200,000 bytes")
        try log.append(text: "news")
        try log.sync()
        try log.seal()
        try follower.poll()
        #expect(follower.seen.count == 51)
        #expect(counting.operations - start < 100)
    }

    @Test("At most so many transactions are told at once, and none twice")
    func limit() throws {
        let disk = SimulatedDisk()
        let follower = try {
            try TestLog(disk).create()
            return try Follower(TestLog(disk))
        }()
        let log = try TestLog(disk, segmentBytesMax: 500).open().log
        for number in 1...20 { try log.append(payload(number)) }
        try log.close()
        var outcomes = 0
        while try follower.poll(limit: 3) == .more { outcomes += 1 }
        #expect(outcomes == 6)
        #expect(follower.seen == (1...20).map { payload($0) })
    }

    @Test("Row 44: a frame that is being written is waited for, at each of its bytes")
    func partialFrames() throws {
        let disk = SimulatedDisk()
        let log = try TestLog(disk).open().log
        try log.append(text: "one")
        try log.sync()
        try log.append(text: "two")
        try log.sync()
        try log.append(text: "three")
        let name = "segment-0000000001"
        let whole = disk.image.files[name] ?? []
        let follower = try Follower(TestLog(disk))
        #expect(follower.seen.count == 2, "the third frame promises the second")
        for length in (whole.count - 64)..<whole.count {
            disk.corrupt(name) { $0 = Array(whole[..<length]) }
            let fresh = try Follower(TestLog(disk))
            // Without the whole header of the third frame its promise is not there.
            #expect(fresh.seen.count == (length < whole.count - 8 ? 1 : 2), "at \(length)")
            #expect(try fresh.poll() == .upToDate, "at \(length)")
        }
        disk.corrupt(name) { $0 = whole }
        #expect(try follower.poll() == .upToDate)
        #expect(follower.seen.count == 2)
        log.abandon()
        #expect(try follower.poll() == .upToDate)
        #expect(follower.seen.count == 3, "nobody writes any more")
        #expect(follower.follower.promisedSequence == LogSequence(2))
    }

    @Test("Row 45: frames that a power cut took, seen without a promise, are called back")
    func rewound() throws {
        let disk = SimulatedDisk()
        let test = TestLog(disk)
        let first = try test.open().log
        try first.append(text: "one")
        try first.sync()
        try first.append(text: "two")
        first.abandon()
        let durable = disk.image
        let follower = try Follower(test)
        #expect(follower.seen.count == 2)
        #expect(follower.follower.promisedSequence == LogSequence(1))
        // Another transaction in place of the second.
        let other = SimulatedDisk(durable)
        other.corrupt("segment-0000000001") { $0.removeLast(8) }
        let log = try TestLog(other).open().log
        try log.append(text: "other")
        try log.close()
        for (name, bytes) in other.image.files where !name.contains("/") {
            let file = try disk.open(name, .createIfMissing)
            try file.truncate(to: .zero)
            if !bytes.isEmpty { disk.corrupt(name) { $0 = bytes } }
        }
        #expect(try follower.poll() == .rewound(to: LogSequence(1)))
        #expect(try follower.poll() == .rewound(to: LogSequence(1)), "and it stays so")
        #expect(try Follower(test).seen == [Array("one".utf8), Array("other".utf8)])
    }

    @Test(
        "Row 45: a frame that a power cut took in front of one that it left is noticed, and only that"
    )
    func lostInFront() throws {
        let disk = SimulatedDisk()
        let log = try TestLog(disk).open().log
        let name = "segment-0000000001"
        try log.append(text: "one")
        try log.sync()
        let start = disk.image.files[name]?.count ?? 0
        try log.append(text: "two")
        let next = disk.image.files[name]?.count ?? 0
        try log.append(text: "three")
        log.abandon()
        let whole = disk.image.files[name] ?? []
        for lost in [start..<next, (next - 8)..<next] {
            let follower = try Follower(TestLog(disk))
            #expect(follower.seen.count == 3)
            #expect(follower.follower.promisedSequence == LogSequence(1))
            #expect(try follower.poll() == .upToDate)
            disk.corrupt(name) { for place in lost { $0[place] = 0 } }
            #expect(try follower.poll() == .rewound(to: LogSequence(1)))
            disk.corrupt(name) { $0 = whole }
        }
    }

    @Test(
        "What an idle follower reads again of a long tail without promises is little, and it ends")
    func idleTail() throws {
        let disk = SimulatedDisk()
        let counting = FaultyFileSystem(disk)
        let log = try TestLog(disk).open().log
        var random = SeededGenerator(seed: 4)
        try log.append(text: "one")
        try log.sync()
        let start = disk.image.files["segment-0000000001"]?.count ?? 0
        for _ in 0..<100 { try log.append(random.bytes(10_000)) }
        log.abandon()
        let follower = try Follower(TestLog(counting))
        #expect(try follower.poll() == .upToDate)
        let before = counting.operations
        for _ in 0..<64 { #expect(try follower.poll() == .upToDate) }
        // A million bytes are read in pieces of 64 KiB or more, four times at most.
        #expect(counting.operations - before < 64 * 12 + 5 * 20)
        disk.corrupt("segment-0000000001") { $0[start + 100] ^= 1 }
        var looks = 1
        while try follower.poll() == .upToDate, looks < 100 { looks += 1 }
        #expect(looks <= 16)
        #expect(try follower.poll() == .rewound(to: LogSequence(1)))
    }

    @Test("Row 45: a promise that ends inside of a frame leads to no rewinding")
    func promiseInside() throws {
        let image = try HostileInputTests.image { header in
            (0..<3).flatMap { number in
                HostileInputTests.frame(
                    header, at: 128 + 80 * UInt64(number), payload: payload(number, bytes: 24)
                ) {
                    $0.sequence = LogSequence(UInt64(number + 1))
                    if number == 2 { $0.durableEnd = FrameOffset(128 + 80 + 8) }
                }
            }
        }
        let follower = try Follower(TestLog(SimulatedDisk(image)))
        #expect(follower.seen.count == 3)
        #expect(follower.follower.promisedSequence == LogSequence(1))
        #expect(try follower.poll() == .upToDate)
    }

    @Test("A new writer epoch that keeps everything is no rewinding")
    func newEpoch() throws {
        let disk = SimulatedDisk()
        let test = TestLog(disk)
        let first = try test.open().log
        try first.append(text: "one")
        first.abandon()
        let follower = try Follower(test)
        #expect(follower.seen.count == 1)
        let second = try test.open().log
        try second.append(text: "two")
        try second.close()
        #expect(try follower.poll() == .upToDate)
        #expect(follower.seen.count == 2)
        #expect(follower.follower.promisedSequence == LogSequence(2))
    }

    @Test("Damage below a promise is told as damage, at rest and beside a writer")
    func damage() throws {
        for (isLive, isHeader) in [(true, true), (true, false), (false, true), (false, false)] {
            let disk = SimulatedDisk()
            let test = TestLog(disk)
            let log = try test.open().log
            try log.append(text: "one")
            try log.sync()
            try log.seal()
            let follower = try Follower(test)
            try log.append(text: "two, to be damaged")
            try log.sync()
            try log.seal()
            if !isLive { log.abandon() }
            let name = "segment-0000000001"
            // The frame has 56 bytes of header and 24 of payload; the seal behind it is a header.
            disk.corrupt(name) { $0[$0.count - 56 - (isHeader ? 80 - 8 : 20)] ^= 1 }
            let error = #expect(throws: LogError.self) { try follower.poll() }
            guard case .damaged = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(follower.seen.count == 1)
        }
    }

    @Test("Row 44: segments that a compaction dropped are a gap, not damage")
    func gap() throws {
        let disk = SimulatedDisk()
        let test = TestLog(disk, segmentBytesMax: 300)
        let log = try test.open().log
        try log.append(payload(1))
        try log.sync()
        try log.seal()
        let follower = try Follower(test)
        for number in 2...9 { try log.append(payload(number)) }
        try log.close()
        try disk.remove("segment-0000000001")
        try disk.remove("segment-0000000002")
        #expect(try follower.poll() == .gap)
    }

    @Test("An error at any operation leaves a follower that goes on where it was")
    func errors() throws {
        let disk = SimulatedDisk()
        let log = try TestLog(disk, segmentBytesMax: 400).open().log
        for number in 1...3 { try log.append(payload(number)) }
        try log.sync()
        try log.seal()
        let faulty = FaultyFileSystem(disk)
        let follower = try Follower(TestLog(faulty))
        for number in 4...20 { try log.append(payload(number)) }
        try log.close()
        var failures = 0
        for code in [5, 24, 23] as [Int32] {
            var operation = 0
            while operation < 200 {
                faulty.setFault(.init(operation: faulty.operations + operation, code: code))
                do {
                    _ = try follower.poll(limit: 1)
                } catch {
                    failures += 1
                }
                faulty.setFault(nil)
                operation += 7
            }
        }
        try follower.poll()
        #expect(failures > 0)
        #expect(follower.seen == (1...20).map { payload($0) })
    }
}
