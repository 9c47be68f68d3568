import Testing
import VarveLog
import VarveTestSupport

@Suite("What opening and compactions tell of files that they need no more")
struct DroppedFilesTests {
    /// A closed log with two checkpoints, history before both, and segments behind the newer.
    private static func disk() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let log = try CompactionLog(disk).open().log
        for number in 1...30 {
            try log.append(payload(number))
            if number == 10 || number == 20 {
                try CompactionLog.compact(
                    log, (1...number).map { payload($0) }, retaining: .everything)
            }
        }
        try log.close()
        return disk
    }

    /// Compacts to nothing but the newest state. Returns what was damaged in what went.
    private static func compact(_ disk: SimulatedDisk) throws -> [LogError] {
        let opened = try CompactionLog(disk).open()
        #expect(opened.payloads == (1...30).map { payload($0) })
        let compaction = try #require(try opened.log.beginCompaction(for: .size))
        _ = try compaction.writeCheckpoint(time: 0) { writer throws(LogError) in
            try CompactionLog.encode(opened.payloads, into: writer)
        } verify: { _ throws(LogError) in
        }
        let (manifest, _) = try compaction.plan(.newestState)
        var check = compaction.checkOfDropped(by: manifest)
        while check.advance() {}
        #expect(check.fraction == 1)
        #expect(try compaction.conclude(with: manifest, opened.log.finish) == nil)
        try opened.log.close()
        #expect(try CompactionLog(disk).read().payloads == (1...30).map { payload($0) })
        return check.problems
    }

    @Test("Nothing is reported of files that are whole")
    func whole() throws {
        let disk = try Self.disk()
        #expect(try CompactionLog(disk).read().report.checkpointProblems.isEmpty)
        #expect(try Self.compact(disk) == [])
    }

    @Test("A check that pauses anywhere finds what one without a pause finds")
    func pauses() throws {
        let disk = try Self.disk()
        disk.corrupt(StoreFileName.segment(SegmentID(2)).text) {
            $0[SegmentHeader.byteCount + 70] ^= 4
        }
        disk.corrupt(StoreFileName.checkpoint(number: 2).text) { $0[$0.count / 2] ^= 4 }
        let log = try CompactionLog(disk).open().log
        var stepCount = 0
        var whole = log.filesCheck
        while whole.advance() { stepCount += 1 }
        #expect(whole.problems.count >= 2 && stepCount > 20)
        for pause in 0..<stepCount {
            var check = log.filesCheck
            for _ in 0..<pause { _ = check.advance() }
            check.pause()
            while check.advance() {}
            #expect(check.problems == whole.problems, "\(pause)")
        }
        try log.close()
    }

    @Test(
        "Opening tells of the previous checkpoint what its header, page table, end and absence tell"
    )
    func previousCheckpoint() throws {
        let name = StoreFileName.checkpoint(number: 1).text
        let bytes = try #require(try Self.disk().image.files[name])
        let page = SegmentHeader.byteCount + 60
        for position in [0, 40, 127, page, bytes.count - 1, bytes.count - 30, bytes.count / 2] {
            let disk = try Self.disk()
            disk.corrupt(name) { $0[position] ^= 0x10 }
            let report = try CompactionLog(disk).read().report
            #expect(report.checkpoint == LogSequence(20))
            let isInPages = report.checkpointProblems.isEmpty
            #expect(isInPages || report.checkpointProblems.map(\.file) == [name], "\(position)")
            #expect(!isInPages || position == page || position == bytes.count / 2, "\(position)")
            #expect(
                "\(report)".contains(isInPages ? "only headers and ends" : "\(name) is unusable"))
            // What only reading all of it tells, the compaction tells that drops it.
            #expect(try !Self.compact(disk).isEmpty, "\(position)")
        }
        for cut in [0, 100, bytes.count - 1] {
            let disk = try Self.disk()
            disk.corrupt(name) { $0.removeSubrange(cut...) }
            #expect(try CompactionLog(disk).read().report.checkpointProblems.map(\.file) == [name])
        }
        let disk = try Self.disk()
        try disk.remove(name)
        #expect(try CompactionLog(disk).read().report.checkpointProblems.map(\.file) == [name])
        #expect(try Self.compact(disk).count == 1)
    }

    @Test(
        "Of segments before the newest checkpoint, headers and ends are refused at opening, and frames told when they go"
    )
    func oldSegments() throws {
        let name = StoreFileName.segment(SegmentID(2)).text
        let count = try #require(try Self.disk().image.files[name]?.count)
        var told = 0
        for position in stride(from: 0, to: count, by: 7) {
            let disk = try Self.disk()
            disk.corrupt(name) { $0[position] ^= 0x10 }
            do throws(LogError) {
                _ = try CompactionLog(disk).read()
            } catch {
                // Looked at by every opening.
                continue
            }
            let problems = try Self.compact(disk)
            #expect(!problems.isEmpty, "\(position)")
            guard case .damaged(let damage) = problems.first else {
                Issue.record("\(problems)")
                continue
            }
            #expect(damage.segment == SegmentID(2))
            told += 1
        }
        #expect(told > 20)
    }
}
