import Testing
import VarveLog
import VarveTestSupport

/// Files whose checksums hold and whose content nobody would write.
@Suite("Forged files")
struct HostileInputTests {
    /// A store whose only segment has these bytes behind its header.
    static func image(frames: (SegmentHeader) -> [UInt8]) throws -> DiskImage {
        let disk = SimulatedDisk()
        try TestLog(disk).create()
        let header = try LogInspection(disk).segments[0].header
        var image = disk.image
        image.files[StoreFileName.segment(header.segment).text]? += frames(header)
        return image
    }

    /// One frame at `offset` with whatever header, checksums right.
    static func frame(
        _ header: SegmentHeader, at offset: UInt64 = 128, payload: [UInt8] = [],
        _ change: (inout FrameHeader) -> Void = { _ in }
    ) -> [UInt8] {
        let checksum = payload.withUnsafeBytes { Checksum.crc32c($0) }
        var frame = FrameHeader(
            type: .transaction, codec: .stored, flags: [], storedLength: UInt32(payload.count),
            rawLength: UInt32(payload.count), sequence: LogSequence(1),
            durableEnd: FrameOffset(128), time: 0, storedChecksum: checksum,
            rawChecksum: checksum)
        change(&frame)
        var bytes = [UInt8](repeating: 0, count: FrameHeader.byteCount)
        bytes.withUnsafeMutableBytes { buffer in
            _ = frame.encode(into: buffer, at: FrameOffset(offset), seed: header.placeSeed)
        }
        bytes += payload
        return bytes + Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
    }

    static func refusal(_ image: DiskImage) -> LogError? {
        do throws(LogError) {
            _ = try TestLog(SimulatedDisk(image)).open()
            return nil
        } catch {
            return error
        }
    }

    @Test("Row 50: A frame whose fields contradict the format is refused at its offset")
    func contradictions() throws {
        let changes: [(inout FrameHeader) -> Void] = [
            { $0.rawLength = 1 },
            { $0.storedLength = .max },
            { $0.rawLength = .max },
            { $0.codec = .lz4 },
            { $0.flags = .clean },
            {
                $0.type = .seal; $0.storedLength = 3; $0.rawLength = 3
            },
            {
                $0.type = .catalog; $0.flags = .continues
            },
            { $0.durableEnd = FrameOffset(.max) },
            { $0.durableEnd = FrameOffset(0) },
            { $0.sequence = LogSequence(2) },
            { $0.sequence = .none },
            { $0.flags = .continuation },
            { $0.type = .footer },
        ]
        for (number, change) in changes.enumerated() {
            let image = try Self.image { Self.frame($0, payload: [1, 2, 3], change) }
            let error = Self.refusal(image)
            #expect(
                error?.location?.offset == FrameOffset(128), "change \(number): \(error as Any)")
        }
        let sound = try Self.image { Self.frame($0, payload: [1, 2, 3]) }
        #expect(Self.refusal(sound) == nil)
    }

    @Test(
        "Row 56: Unknown types, codecs and flags are refused as newer, unless the type may be skipped"
    )
    func unknownKinds() throws {
        let unknown: [(inout FrameHeader) -> Void] = [
            { $0.type = FrameType(rawValue: 0) }, { $0.type = FrameType(rawValue: 5) },
            { $0.codec = FrameCodec(rawValue: 2) }, { $0.codec = FrameCodec(rawValue: 0x10) },
            { $0.flags = FrameFlags(rawValue: 8) },
        ]
        for change in unknown {
            let error = Self.refusal(try Self.image { Self.frame($0, change) })
            guard case .unsupportedFrame(SegmentID(1), FrameOffset(128), _) = error else {
                Issue.record("\(error as Any)")
                continue
            }
        }
        let skipped = try Self.image { header in
            Self.frame(header) { $0.type = FrameType(rawValue: 0x80) }
                + Self.frame(header, at: 184, payload: [7])
        }
        let opened = try TestLog(SimulatedDisk(skipped)).open()
        #expect(opened.report.ignoredFrames == 1)
        #expect(opened.content.transactions == [[7]])
    }

    @Test(
        "Row 48: A few stored bytes that claim to stand for many are refused before memory is taken"
    )
    func compressionBomb() throws {
        let bomb = try Self.image { header in
            Self.frame(header, payload: [1, 2, 3, 4]) {
                $0.codec = .lz4
                $0.rawLength = 64 << 20
            }
        }
        guard case .damaged(let damage) = Self.refusal(bomb) else {
            Issue.record("a bomb was taken")
            return
        }
        #expect(damage.kind == .frameFields)
    }

    @Test("Row 49: Compressed bytes that are none, with checksums that hold, are damage")
    func malformedCompression() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let stored = generator.bytes(Int.random(in: 1...60, using: &generator))
            let image = try Self.image { header in
                Self.frame(header, payload: stored) {
                    $0.codec = .lz4
                    $0.rawLength = UInt32(stored.count) + 100
                }
            }
            let error = Self.refusal(image)
            #expect(error?.location?.offset == FrameOffset(128), "seed 3: \(error as Any)")
        }
    }

    @Test(
        "Row 50: Frames of random fields with right checksums end in a value or an error, never a trap"
    )
    func randomFrames() throws {
        var generator = SeededGenerator(seed: 4)
        func any(_ choices: [UInt64]) -> UInt64 {
            Bool.random(using: &generator)
                ? choices.randomElement(using: &generator) ?? 0 : generator.next()
        }
        for _ in 0..<2_000 {
            let image = try Self.image { header in
                var bytes: [UInt8] = []
                for _ in 0..<3 {
                    let payload = generator.bytes(Int.random(in: 0...40, using: &generator))
                    bytes += Self.frame(header, at: 128 + UInt64(bytes.count), payload: payload) {
                        $0.type = FrameType(rawValue: UInt8(truncatingIfNeeded: any([1, 2, 3, 4])))
                        $0.flags = FrameFlags(
                            rawValue: UInt16(truncatingIfNeeded: any([0, 1, 2, 3, 4])))
                        $0.codec = FrameCodec(rawValue: UInt8(truncatingIfNeeded: any([0, 1])))
                        $0.sequence = LogSequence(any([0, 1, 2, .max]))
                        $0.durableEnd = FrameOffset(any([0, 128, 184, .max]))
                        $0.time = Int64(truncatingIfNeeded: any([0, .max]))
                        $0.rawLength = UInt32(truncatingIfNeeded: any([UInt64($0.rawLength)]))
                    }
                }
                return bytes
            }
            _ = Self.refusal(image)
            _ = try LogVerification.verify(SimulatedDisk(image))
        }
    }

    @Test("Row 50: Footers of random fields with right checksums never trap")
    func randomFooters() throws {
        var generator = SeededGenerator(seed: 5)
        for round in 0..<1_000 {
            let choices: [UInt64] = [0, 1, 2, 128, 184, .max]
            let numbers: [UInt64] = (0..<6).map { _ in
                choices.randomElement(using: &generator) ?? generator.next()
            }
            let image = try Self.image { header in
                let footer = SegmentFooter(
                    frames: numbers[0], transactions: numbers[1],
                    firstSequence: LogSequence(round % 2 == 0 ? 1 : numbers[2]),
                    lastSequence: LogSequence(numbers[3]), earliestTime: 0, latestTime: 0,
                    rawBytes: ByteCount(numbers[4]), digest: ChainDigest(numbers[5]),
                    dataEnd: FrameOffset(round % 3 == 0 ? numbers[2] : 128),
                    index: [
                        SparseIndexEntry(
                            sequence: LogSequence(1), time: 0, offset: FrameOffset(numbers[2]))
                    ])
                return Self.frame(header, payload: footer.encode()) {
                    $0.type = .footer
                    $0.sequence = .none
                }
            }
            #expect(Self.refusal(image) != nil, "seed 5, round \(round)")
            _ = try LogVerification.verify(SimulatedDisk(image))
        }
    }

    @Test(
        "Rows 50 and 56: Headers and manifests with extreme numbers and right checksums are refused"
    )
    func extremeHeaders() throws {
        let disk = SimulatedDisk()
        try TestLog(disk).create()
        let inspection = try LogInspection(disk)
        let changes: [(inout SegmentHeader) -> Void] = [
            { $0.writerEpoch = .max }, { $0.firstSequence = LogSequence(.max) },
            { $0.firstSequence = .none }, { $0.headerLength = .max },
            { $0.headerLength = 129 }, { $0.segment = SegmentID(.max) },
            { $0.version.major = 2 }, { $0.features.incompatible = 1 },
            { $0.features.readOnlyCompatible = 1 }, { $0.previousLength = ByteCount(.max) },
            { $0.previousDigest = ChainDigest(1) }, { $0.store = StoreID(high: 0, low: 0) },
        ]
        for (number, change) in changes.enumerated() {
            var header = inspection.segments[0].header
            change(&header)
            var image = disk.image
            image.files["segment-0000000001"] = header.encode()
            #expect(Self.refusal(image) != nil, "header change \(number)")
        }
        let manifestChanges: [(inout Manifest) -> Void] = [
            { $0.generation = 2 }, { $0.firstSegment = SegmentID(.max) },
            { $0.firstSegment = SegmentID(0) }, { $0.firstSequence = LogSequence(.max) },
            { $0.version.major = 9 }, { $0.chainStart = ChainDigest(1) },
        ]
        for (number, change) in manifestChanges.enumerated() {
            var manifest = inspection.manifest
            change(&manifest)
            var image = disk.image
            image.files["manifest-0000000001"] = manifest.encode()
            #expect(Self.refusal(image) != nil, "manifest change \(number)")
        }
    }

    @Test("Rows 12 and 33: The highest manifest counts, and a damaged one is not passed over")
    func manifestGenerations() throws {
        let disk = SimulatedDisk()
        try TestLog(disk).open().log.close()
        var manifest = try LogInspection(disk).manifest
        manifest.generation = 7
        var image = disk.image
        image.files["manifest-0000000007"] = manifest.encode()
        #expect(try TestLog(SimulatedDisk(image)).scan(.readOnly).manifest.generation == 7)
        image.files["manifest-0000000008"] = []
        guard case .manifestDamaged(let file, _) = Self.refusal(image) else {
            Issue.record("a damaged manifest was passed over")
            return
        }
        #expect(file == "manifest-0000000008")
    }

    @Test("Row 50: A manifest of the last generation there is is refused: none could follow it")
    func lastGeneration() throws {
        let disk = SimulatedDisk()
        try TestLog(disk).create()
        var manifest = try TestLog(disk).scan(.readOnly).manifest
        for generation in [UInt64.max, 1 << 62] {
            manifest.generation = generation
            var image = disk.image
            image.files[StoreFileName.manifest(generation: generation).text] = manifest.encode()
            guard case .manifestDamaged? = Self.refusal(image) else {
                return #expect(Bool(false), "generation \(generation)")
            }
        }
    }

    @Test("Row 48: A locator that claims most of a file for a page table is refused unread")
    func endlessPageTable() throws {
        let (disk, payloads) = try CheckpointDamageTests.disk()
        let name = "checkpoint-0000000002"
        disk.corrupt(name) { bytes in
            let locator = bytes.suffix(16)
            bytes =
                Array(bytes.prefix(128)) + Array(repeating: 0, count: 4 << 20) + Array(locator)
            bytes.replaceSubrange(
                (bytes.count - 16)..<(bytes.count - 8), with: [128, 0, 0, 0, 0, 0, 0, 0])
        }
        let slow = FaultyFileSystem(disk, transferBytesMax: 4_096)
        let read = try CompactionLog(slow).read()
        #expect(read.payloads == payloads && read.report.checkpointProblems.count == 1)
        #expect(slow.operations < 300, "it was read: \(slow.operations) operations")
    }

    @Test("Row 48: A page is compressed only where each of its items has a stored byte")
    func itemsOfCompressedPages() throws {
        let (disk, _) = try CheckpointDamageTests.disk()
        let scanned = try CompactionLog(disk).test.scan(.readOnly)
        var header = try scanned.open(scanned.manifest.checkpoints[0]).header
        header.number = 9
        let zeros = [UInt8](repeating: 0, count: 50_000)
        for (count, isCompressed) in [(UInt32(10), true), (50_000, false)] {
            let copy = SimulatedDisk(disk.image)
            let writer = try CheckpointWriter(header, in: copy)
            try zeros.withUnsafeBytesTyped { bytes throws(LogError) in
                try writer.append(
                    CheckpointPageKey(kind: 1, subject: 0, part: 0, first: 0, count: count), bytes)
            }
            #expect((writer.fileBytes.rawValue < 10_000) == isCompressed)
            try writer.finish(contentDigest: 0)
            let file = try writer.reopen()
            let read = try file.makeReader().read(file.pages[0])
            defer { read.deallocate() }
            #expect(Array(read) == zeros)
        }
    }
}
