/// What of one segment can still be read: stretches of whole transactions and the damage between
/// them. Every checksum is verified; nothing is decided.
struct SegmentSurvey {
    /// Whole transactions with neighbouring numbers, in neighbouring bytes.
    struct Stretch {
        let first: LogSequence
        var last: LogSequence
        /// The definitions in front of the first transaction are inside, where they are intact.
        let start: FrameOffset
        var end: FrameOffset
        /// The newest intact definitions before it in the segment, whatever lies between.
        let catalog: FrameOffset?
    }

    let file: SurveyedFile
    private(set) var stretches: [Stretch] = []
    private(set) var damages: [SalvageReport.Damage] = []
    /// The newest transaction that any intact header names, whether it is there or not.
    private(set) var newestNamed = LogSequence.none

    private var cursor: FrameCursor
    private let content: FrameContent
    /// The stretch that the next transaction may continue; nil behind damage.
    private var isBroken = true
    /// The transaction whose last frame has not come.
    private var open: (sequence: LogSequence, start: FrameOffset)?
    /// Definitions that came before the first transaction.
    private var catalogStart: FrameOffset?
    private var lastCatalog: FrameOffset?
    /// Where reading went on behind the last damage.
    private var resumed = FrameOffset(0)
    private static let damagesMax = 10_000
    /// What a disk fails to read is passed over in pieces of this size.
    private static let unreadableBytes: UInt64 = 4096

    init(_ file: SurveyedFile) throws(LogError) {
        self.file = file
        cursor = try file.cursor()
        content = FrameContent(file.header.segment)
    }

    /// Reads the segment to its end, and delivers the definitions and the whole transactions that it comes to.
    mutating func run(_ deliver: (LogRecord) -> Void = { _ in }) {
        while true {
            do throws(LogError) {
                switch try cursor.next() {
                case .frame(let frame): take(frame, deliver)
                case .stopped(let stop):
                    guard try passOver(stop) else { return finish() }
                case .end: return finish()
                }
            } catch {
                guard passOverUnreadable(error) else { return finish() }
            }
        }
    }

    // MARK: Frames

    private mutating func take(_ frame: Frame, _ deliver: (LogRecord) -> Void) {
        if !frame.header.type.isIgnorable { name(frame.header.sequence) }
        switch frame.header.type {
        case .catalog:
            do throws(LogError) {
                let payload = try content.payload(of: frame)
                closeOpen(at: frame.offset)
                catalogStart = frame.offset
                lastCatalog = frame.offset
                deliver(.catalog(payload: payload))
            } catch {
                lose(frame, SalvageReport.reason(of: error))
            }
        case .transaction: takeTransaction(frame, deliver)
        default: closeOpen(at: frame.offset)
        }
    }

    private mutating func takeTransaction(_ frame: Frame, _ deliver: (LogRecord) -> Void) {
        let header = frame.header
        if header.flags.contains(.continuation) {
            guard open?.sequence == header.sequence else {
                closeOpen(at: frame.offset)
                return lose(frame, "the frames before it are lost")
            }
        } else {
            closeOpen(at: frame.offset)
            open = (header.sequence, frame.offset)
        }
        do throws(LogError) {
            guard let transaction = try content.add(frame), let start = open?.start else { return }
            open = nil
            add(header.sequence, start, frame.end)
            deliver(.transaction(transaction))
        } catch {
            open = nil
            lose(frame, "\(SalvageReport.reason(of: error))")
        }
    }

    private mutating func add(_ sequence: LogSequence, _ start: FrameOffset, _ end: FrameOffset) {
        defer { catalogStart = nil }
        if !isBroken, let last = stretches.last, last.last.next == sequence {
            stretches[stretches.count - 1].last = sequence
            stretches[stretches.count - 1].end = end
            return
        }
        isBroken = false
        stretches.append(
            Stretch(
                first: sequence, last: sequence,
                start: max(catalogStart ?? start, resumed), end: end, catalog: lastCatalog))
    }

    /// A transaction whose last frame is lost.
    private mutating func closeOpen(at end: FrameOffset) {
        guard let lost = open else { return }
        open = nil
        isBroken = true
        resumed = end
        note(
            lost.start, end.rawValue - lost.start.rawValue, lost.sequence,
            "its last frames are lost")
    }

    private mutating func lose(_ frame: Frame, _ reason: String) {
        isBroken = true
        resumed = FrameOffset(frame.offset.rawValue + frame.header.frameLength)
        let isTransaction = frame.header.type == .transaction
        note(
            frame.offset, frame.header.frameLength, isTransaction ? frame.header.sequence : nil,
            reason)
    }

    // MARK: Damage

    /// Goes on at the next header that was written for its place.
    private mutating func passOver(_ stop: FrameStop) throws(LogError) -> Bool {
        closeOpen(at: cursor.offset)
        isBroken = true
        let start = cursor.offset
        let sequence = try transaction(at: start)
        if let sequence { name(sequence) }
        func noteDamage(through end: FrameOffset) {
            resumed = end
            note(
                start, end.rawValue - start.rawValue, sequence,
                SalvageReport.reason(of: stop.error))
        }
        do throws(LogError) {
            let isFound = try cursor.moveToNextHeader(from: FrameOffset(start.rawValue + 8))
            noteDamage(through: isFound ? cursor.offset : file.end)
            return isFound
        } catch {
            // What cannot be read begins here.
            noteDamage(through: cursor.offset)
            throw error
        }
    }

    /// The number of the transaction whose header is intact and whose payload is not.
    private func transaction(at offset: FrameOffset) throws(LogError) -> LogSequence? {
        guard cursor.window.remaining(from: offset) >= UInt64(FrameHeader.byteCount) else {
            return nil
        }
        let bytes = try cursor.window.bytes(at: offset, count: FrameHeader.byteCount)
        guard let header = FrameHeader.decode(bytes, at: offset, seed: cursor.seed),
            header.type == .transaction
        else { return nil }
        return header.sequence
    }

    /// A part of the file that cannot be read: the rest may be.
    private mutating func passOverUnreadable(_ error: LogError) -> Bool {
        closeOpen(at: cursor.offset)
        isBroken = true
        let start = cursor.offset
        var position = start
        while true {
            let next = (position.rawValue / Self.unreadableBytes + 1) * Self.unreadableBytes
            guard next < file.end.rawValue else {
                note(start, file.end.rawValue - start.rawValue, nil, "\(error)")
                return false
            }
            position = FrameOffset(next)
            do throws(LogError) {
                // Small pieces from here on: one bad place must not hide what is around it.
                cursor = try file.cursor(at: position, blockBytes: Int(Self.unreadableBytes))
                guard try cursor.moveToNextHeader(from: position) else {
                    // Everything up to the end could be read: there is nothing more to look for.
                    note(start, file.end.rawValue - start.rawValue, nil, "\(error)")
                    return false
                }
            } catch {
                // Nothing starts before the place that could not be read either.
                position = max(position, cursor.offset)
                continue
            }
            resumed = cursor.offset
            note(start, cursor.offset.rawValue - start.rawValue, nil, "\(error)")
            return true
        }
    }

    private mutating func name(_ sequence: LogSequence) {
        guard sequence.rawValue < 1 << 62 else { return }
        newestNamed = max(newestNamed, sequence)
    }

    private mutating func finish() { closeOpen(at: cursor.offset) }

    private mutating func note(
        _ offset: FrameOffset, _ bytes: UInt64, _ sequence: LogSequence?, _ reason: String
    ) {
        guard damages.count < Self.damagesMax else { return }
        damages.append(
            SalvageReport.Damage(
                file: StoreFileName.segment(file.header.segment).text, offset: offset,
                bytes: ByteCount(bytes), transaction: sequence, reason: reason))
    }
}

extension SalvageReport {
    /// What is wrong, without the place, which is said elsewhere.
    static func reason(of error: LogError) -> String {
        switch error {
        case .damaged(let damage): "\(damage.kind.rawValue) does not fit"
        case .unsupportedFrame: "a frame of a later version"
        // The file is named beside it, and what to do is not to compact.
        case .checkpointDamaged(_, _, let reason): reason
        default: "\(error)"
        }
    }
}

/// A segment's file with the header under which its frames are read: its own, or one that was
/// reconstructed.
struct SurveyedFile {
    let header: SegmentHeader
    let isReconstructed: Bool
    /// Frames are looked for up to here.
    let end: FrameOffset
    /// The whole file.
    let length: ByteCount
    let fileSystem: any FileSystem

    func cursor(
        at offset: FrameOffset? = nil, blockBytes: Int = SegmentWindow.sequentialBlockBytes
    ) throws(LogError) -> FrameCursor {
        let name = StoreFileName.segment(header.segment).text
        let file = try LogError.wrapping { () throws(FileSystemError) in
            try fileSystem.open(name, .read)
        }
        let window = SegmentWindow(file, name: name, end: end, blockBytes: blockBytes)
        return FrameCursor(header, window: window, at: offset)
    }
}
