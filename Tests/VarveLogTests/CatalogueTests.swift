import Testing
import VarveLog
import VarveTestSupport

/// Rows of the catalogue of failures that no other suite holds: see Docs/RECOVERY.md.
@Suite("Rows of the catalogue")
struct CatalogueTests {
    private static func frames(
        _ workload: LogWorkload
    ) throws -> (image: DiskImage, segments: [SegmentSummary], frames: [FrameSummary]) {
        let image = workload.disk.image
        let inspection = try LogInspection(SimulatedDisk(image))
        return (image, inspection.segments, try CorruptionTests.frames(image))
    }

    private static func refusal(_ image: DiskImage) -> LogError? {
        do throws(LogError) {
            _ = try CompactionLog(SimulatedDisk(image)).read()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Row 2: a tail of zeros, however long, is cut and called by its name, or is space that was taken beforehand"
    )
    func zeros() throws {
        let workload = try LogWorkload([.commit, .reopen])
        let name = StoreFileName.segment(SegmentID(1)).text
        let whole = try #require(workload.disk.image.files[name]?.count)
        for count in [1, 7, 8, 55, 56, 57, 512, 4096, 70_000, 1_024 - whole % 512] {
            var image = workload.disk.image
            image.files[name]? += [UInt8](repeating: 0, count: count)
            let disk = SimulatedDisk(image)
            let opened = try CompactionLog(disk).open()
            #expect(opened.payloads.count == 1)
            let bytes = ByteCount(UInt64(count))
            if (whole + count).isMultiple(of: 512) {
                #expect(opened.report.dropped == nil)
                #expect(opened.report.unusedBytes == bytes)
            } else {
                #expect(opened.report.dropped?.bytes == bytes)
                #expect(opened.report.dropped?.reason == .zeros)
                #expect(opened.report.unusedBytes == .zero)
            }
            #expect(try CompactionLog(disk).read().payloads.count == 1)
        }
    }

    @Test("Row 10: a segment that begins behind a gap is refused, whatever else is right")
    func gap() throws {
        let (image, segments, _) = try Self.frames(try LogWorkload([.roll, .commit]))
        var header = try #require(segments.last).header
        header.firstSequence = LogSequence(header.firstSequence.rawValue + 1)
        var gapped = image
        let name = StoreFileName.segment(header.segment).text
        gapped.files[name] = header.encode()
        #expect(Self.refusal(gapped)?.location?.segment == header.segment)
        // A filled segment behind one without its footer.
        var unsealed = image
        let footer = try #require(segments.first?.footer)
        unsealed.files["segment-0000000001"]?.removeSubrange(Int(footer.dataEnd.rawValue)...)
        #expect(Self.refusal(unsealed)?.location?.segment == SegmentID(1))
    }

    @Test("Row 22: an error of the system while reading is one, never damage, and passes")
    func unreadable() throws {
        let workload = try LogWorkload([.roll, .compact, .roll, .commit, .reopen])
        let disk = SimulatedDisk(workload.disk.image)
        let faulty = FaultyFileSystem(disk)
        _ = try CompactionLog(faulty).read()
        let count = faulty.operations
        for operation in 0..<count {
            let failing = FaultyFileSystem(
                disk,
                fault: .init(operation: operation, count: 1, code: FaultTests.inputOutputError))
            do throws(LogError) {
                let read = try CompactionLog(failing).read()
                #expect(read.payloads.count == workload.issued, "operation \(operation)")
            } catch {
                guard case .fileSystem = error else {
                    Issue.record("operation \(operation): \(error)")
                    continue
                }
            }
            #expect(try CompactionLog(failing).read().payloads.count == workload.issued)
        }
        #expect(disk.operations.isEmpty && count > 20)
    }

    @Test("Row 27: a disk that lies about a sync leaves a prefix, or damage that is named")
    func lyingDisk() throws {
        let steps: [LogStep] = [.commit, .append, .commit, .roll, .commit, .commit]
        let syncs = try LogWorkload(steps).disk.syncs
        for sync in 0..<syncs {
            var generator = SeededGenerator(seed: UInt64(sync))
            let disk = SimulatedDisk()
            disk.failSynchronize(after: sync, .swallowed)
            let store = CompactionLog(disk)
            let log = try store.open().log
            for number in 1...14 {
                try log.append(LogPayload.of(number))
                if number % 2 == 0 { try log.sync() }
            }
            log.abandon()
            let point = disk.crashPoint(at: disk.operations.count)
            for fates in disk.survivals(at: point, using: &generator).prefix(200) {
                do throws(LogError) {
                    let left = try CompactionLog(SimulatedDisk(disk.image(at: point, fates))).open()
                    #expect(left.payloads == LogPayload.first(left.payloads.count))
                } catch {
                    switch error {
                    case .damaged, .chainBroken, .manifestDamaged, .segmentMissing: break
                    default: Issue.record("sync \(sync), \(fates): \(error)")
                    }
                }
            }
        }
    }

    @Test(
        "Row 30: a sector of zeros, ones, garbage or other content is refused at the first frame it hits, or cut and reported",
        arguments: [64, 512, 4096])
    func sectors(length: Int) throws {
        let workload = try LogWorkload([.roll, .roll, .commit, .reopen])
        let (image, _, frames) = try Self.frames(workload)
        var generator = SeededGenerator(seed: 30)
        for (name, bytes) in image.files where name.hasPrefix("segment") {
            for start in stride(from: 0, to: bytes.count, by: 64) {
                let end = min(start + length, bytes.count)
                let contents = [
                    [UInt8](repeating: 0, count: end - start),
                    [UInt8](repeating: 0xFF, count: end - start), generator.bytes(end - start),
                    Array(bytes[..<(end - start)]),
                ]
                for content in contents where content != Array(bytes[start..<end]) {
                    var damaged = image
                    damaged.files[name]?.replaceSubrange(start..<end, with: content)
                    let first =
                        zip(content, bytes[start..<end]).prefix { $0.0 == $0.1 }.count + start
                    let hit = frames.last {
                        StoreFileName.segment($0.location.segment).text == name
                            && Int($0.location.offset.rawValue) <= first
                    }
                    do throws(LogError) {
                        let read = try CompactionLog(SimulatedDisk(damaged)).read()
                        #expect(read.payloads == LogPayload.first(read.payloads.count))
                        // Zeros up to a multiple of 512 look like space that was taken beforehand.
                        let isZero = damaged.files[name, default: []].dropFirst(start)
                            .allSatisfy { $0 == 0 }
                        #expect(
                            read.report.dropped != nil
                                || isZero && read.report.unusedBytes > .zero,
                            "\(name), \(start)")
                    } catch {
                        let expected = hit?.location.offset ?? FrameOffset(0)
                        #expect(
                            error.location?.offset == expected, "\(name), \(start): \(error)")
                    }
                }
            }
        }
    }

    @Test("Row 31: a segment of another store, or under another number, is refused")
    func foreignSegments() throws {
        let image = try LogWorkload([.roll, .roll, .commit]).disk.image
        let other = SimulatedDisk()
        let log = try CompactionLog(other, seed: 50).open().log
        for number in 1...20 { try log.append(LogPayload.of(number)) }
        try log.close()
        for number in 1...2 {
            let name = StoreFileName.segment(SegmentID(UInt64(number))).text
            var foreign = image
            foreign.files[name] = other.image.files[name]
            #expect(Self.refusal(foreign)?.location?.segment == SegmentID(UInt64(number)))
        }
        var exchanged = image
        exchanged.files["segment-0000000001"] = image.files["segment-0000000002"]
        exchanged.files["segment-0000000002"] = image.files["segment-0000000001"]
        #expect(Self.refusal(exchanged)?.location?.segment == SegmentID(1))
    }

    @Test("Row 32: a copy of a frame inside a payload is never taken for one")
    func frameInsidePayload() throws {
        let disk = SimulatedDisk()
        let test = TestLog(disk)
        let log = try test.open().log
        try log.append(text: "one")
        try log.sync()
        try log.append(text: "two")
        let frames = try CorruptionTests.frames(disk.image)
        let inner = try #require(frames.last)
        let segment = disk.image.files["segment-0000000001", default: []]
        let copy = Array(segment[Int(inner.location.offset.rawValue)...])
        // Incompressible, so that the copy stands in the file as it is.
        var generator = SeededGenerator(seed: 32)
        try log.append(generator.bytes(64) + copy + generator.bytes(64))
        log.abandon()
        var image = disk.image
        let outer = try #require(try CorruptionTests.frames(image).last)
        // The frame around it is damaged: a scan looks for headers at every eighth byte.
        image.flip(outer.location, by: 4)
        let opened = try TestLog(SimulatedDisk(image)).open()
        #expect(opened.content.transactions == [Array("one".utf8), Array("two".utf8)])
        #expect(opened.report.dropped?.lastRecognised == nil)
        #expect(opened.report.promisedSequence == LogSequence(1))
    }

    @Test("Row 34: content that differs from what was checksummed before compression is refused")
    func contentChecksum() throws {
        for codec in [FrameCodec.stored, .lz4] {
            let block: [UInt8] =
                codec == .stored ? [1, 2, 3, 4] : [0x1F, 7, 1, 0, 80, 0x50, 1, 2, 3, 4, 5]
            let image = try HostileInputTests.image { header in
                HostileInputTests.frame(header, payload: block) {
                    $0.codec = codec
                    if codec == .lz4 { $0.rawLength = 105 }
                    // The memory changed between the checksum and the writing.
                    $0.rawChecksum ^= 1
                }
            }
            guard case .damaged(let damage) = HostileInputTests.refusal(image) else {
                Issue.record("\(codec) was taken")
                continue
            }
            #expect(damage.kind == .content && damage.offset == FrameOffset(128))
        }
    }
}
