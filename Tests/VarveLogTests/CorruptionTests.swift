import Testing
import VarveLog
import VarveTestSupport

@Suite("Damaged files")
struct CorruptionTests {
    /// Three segments: two sealed, the last closed cleanly or left as a killed process leaves it.
    static func makeImage(closing: Bool) throws -> (image: DiskImage, content: LogContent) {
        let disk = SimulatedDisk()
        var test = TestLog(disk, segmentBytesMax: 600)
        test.configuration.frameBytesMax = ByteCount(150)
        let log = try test.open().log
        for number in 1...9 {
            try log.append(payload(number, bytes: number % 4 == 0 ? 320 : 70))
            if number % 2 == 0 { try log.sync() }
        }
        if closing { try log.close() } else { log.abandon() }
        let content = try test.read().content
        #expect(log.statistics.segments == 3)
        return (disk.image, content)
    }

    @Test(
        "Rows 5, 6, 28, 29, 33: every flipped bit is refused at its place, dropped and reported, or has no effect",
        arguments: [true, false])
    func everyFlippedBit(closing: Bool) throws {
        let (image, content) = try Self.makeImage(closing: closing)
        var outcomes: [CorruptionOutcome: Int] = [:]
        for (name, bytes) in image.files.sorted(by: { $0.key < $1.key }) {
            for position in bytes.indices {
                for bit in [0, 3, 7] {
                    var damaged = image
                    damaged.files[name]?[position] ^= 1 << UInt8(bit)
                    let check = CorruptionCheck(image, content, damaged)
                    let outcome = check.run(name, position)
                    outcomes[outcome, default: 0] += 1
                }
            }
        }
        #expect(outcomes[.refused, default: 0] > 1000)
        // With a seal at the end only the seal itself can be taken for an unfinished frame.
        if closing { #expect(outcomes[.dropped, default: 0] <= 3 * 56) }
    }

    @Test("Row 1: every truncation is refused, dropped and reported, or ends at a frame's border")
    func everyTruncation() throws {
        let (image, content) = try Self.makeImage(closing: true)
        for (name, bytes) in image.files where name != "LOCK" {
            for length in bytes.indices {
                var damaged = image
                damaged.files[name] = Array(bytes.prefix(length))
                let disk = SimulatedDisk(damaged)
                do throws(LogError) {
                    let opened = try TestLog(disk).open()
                    let kept = opened.content.transactions
                    #expect(name == "segment-0000000003", "\(name) cut to \(length) opens")
                    #expect(kept == Array(content.transactions.prefix(kept.count)))
                    // A cut at a border looks like a file that never grew: nothing was cut, and the
                    // end is not clean. Everywhere else the torn bytes are reported.
                    #expect(!opened.report.endedCleanly)
                } catch {
                    #expect(disk.image.withoutLock == damaged.withoutLock)
                }
            }
        }
    }

    @Test("Verification names every damaged frame, not only the first")
    func verificationGoesOn() throws {
        let (image, _) = try Self.makeImage(closing: true)
        let frames = try Self.frames(image)
        let chosen = frames.filter { $0.header.type == .transaction }
        var damaged = image
        for frame in [chosen[0], chosen[2], chosen[chosen.count - 1]] {
            damaged.flip(frame.location, by: 60)
        }
        let verification = try LogVerification.verify(SimulatedDisk(damaged))
        let places = verification.problems.compactMap(\.location)
        #expect(
            Set(places).isSuperset(
                of: [chosen[0], chosen[2], chosen[chosen.count - 1]].map(\.location)))
        let sound = try LogVerification.verify(SimulatedDisk(image))
        #expect(sound.isSound)
        #expect(sound.transactions == 9)
        #expect(sound.frames == UInt64(frames.filter { $0.header.type != .footer }.count))
        #expect(verification.frames == sound.frames - 3)
    }

    @Test("Row 31: Frames exchanged between places are refused")
    func exchangedFrames() throws {
        let (image, _) = try Self.makeImage(closing: true)
        let transactions = try Self.frames(image).filter {
            $0.header.type == .transaction && $0.location.segment == SegmentID(1)
        }
        guard
            let twin = transactions.dropFirst().first(where: {
                $0.header.frameLength == transactions[0].header.frameLength
            })
        else {
            Issue.record("the store has no two frames of one length")
            return
        }
        var damaged = image
        let name = StoreFileName.segment(SegmentID(1)).text
        let length = Int(twin.header.frameLength)
        let first = Int(transactions[0].location.offset.rawValue)
        let second = Int(twin.location.offset.rawValue)
        let bytes = image.files[name, default: []]
        damaged.files[name]?.replaceSubrange(
            first..<(first + length), with: bytes[second..<(second + length)])
        #expect(throws: LogError.self) { try TestLog(SimulatedDisk(damaged)).read() }
    }

    @Test("Row 17: A missing segment, wherever it stood, is refused by number")
    func missingSegments() throws {
        let (image, _) = try Self.makeImage(closing: true)
        func opening(without number: UInt64) -> LogError? {
            var damaged = image
            damaged.files[StoreFileName.segment(SegmentID(number)).text] = nil
            do throws(LogError) {
                _ = try TestLog(SimulatedDisk(damaged)).open()
                return nil
            } catch {
                return error
            }
        }
        #expect(opening(without: 1) == .segmentMissing(SegmentID(1)))
        #expect(opening(without: 2) == .segmentMissing(SegmentID(2)))
        #expect(opening(without: 3) == .successorMissing(of: SegmentID(2)))
    }

    static func frames(_ image: DiskImage) throws -> [FrameSummary] {
        let inspection = try LogInspection(SimulatedDisk(image))
        var frames: [FrameSummary] = []
        for segment in inspection.segments {
            try inspection.forEachFrame(in: segment) { frame in
                frames.append(frame)
                return true
            }
        }
        return frames
    }
}

enum CorruptionOutcome: Hashable {
    case refused
    case dropped
    case noEffect
}

/// Opens a damaged store and holds what happens against what was written.
struct CorruptionCheck {
    let image: DiskImage
    let content: LogContent
    let damaged: DiskImage

    init(_ image: DiskImage, _ content: LogContent, _ damaged: DiskImage) {
        self.image = image
        self.content = content
        self.damaged = damaged
    }

    func run(_ name: String, _ position: Int) -> CorruptionOutcome {
        let disk = SimulatedDisk(damaged)
        do throws(LogError) {
            let opened = try TestLog(disk).open()
            let kept = opened.content.transactions
            expect(
                kept == Array(content.transactions.prefix(kept.count)), "a wrong value", name,
                position)
            if let dropped = opened.report.dropped {
                expect(
                    StoreFileName.segment(dropped.segment).text == name
                        && UInt64(position) >= dropped.offset.rawValue, "dropped elsewhere", name,
                    position)
                return .dropped
            }
            expect(kept == content.transactions, "an unreported loss", name, position)
            return .noEffect
        } catch {
            expect(
                disk.image.withoutLock == damaged.withoutLock, "changed though refused", name,
                position)
            expectPlace(error, name, position)
            return .refused
        }
    }

    /// The error names the frame or header in which the byte lies.
    private func expectPlace(_ error: LogError, _ name: String, _ position: Int) {
        if case .manifestDamaged(let file, _) = error {
            return expect(file == name, "\(error)", name, position)
        }
        let inside = try? CorruptionTests.frames(image).first {
            StoreFileName.segment($0.location.segment).text == name
                && $0.location.offset.rawValue <= UInt64(position)
                && UInt64(position) < $0.location.offset.rawValue + $0.header.frameLength
        }
        let offset = inside?.location.offset ?? FrameOffset(0)
        expect(
            error.location?.offset == offset
                && error.location.map { StoreFileName.segment($0.segment).text } == name,
            "\(error) instead of offset \(offset)", name, position)
    }

    private func expect(
        _ condition: Bool, _ what: String, _ name: String, _ position: Int
    ) {
        if !condition {
            Issue.record("\(name), byte \(position): \(what)")
        }
    }
}

extension LogError {
    /// The place that the error names.
    var location: FrameLocation? {
        switch self {
        case .damaged(let damage), .chainBroken(let damage):
            FrameLocation(segment: damage.segment, offset: damage.offset)
        case .unsupportedFrame(let segment, let offset, _):
            FrameLocation(segment: segment, offset: offset)
        default: nil
        }
    }
}

extension DiskImage {
    mutating func flip(_ location: FrameLocation, by distance: Int) {
        let position = Int(location.offset.rawValue) + distance
        files[StoreFileName.segment(location.segment).text]?[position] ^= 0x40
    }
}
