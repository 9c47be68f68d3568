import VarveLog
import VarveTestSupport

/// A store whose content is known, to be damaged in every way.
struct ReferenceStore: Sendable {
    let image: DiskImage
    /// How many transactions are in it, and how many of them must be refused rather than lost.
    let count: Int
    let promised: Int
    /// Where frames lie, to know what an error must name.
    private let frames: [String: [Range<Int>]]
    /// Of every frame: where its header lies, where its transaction starts, what it promises.
    private let promises: [String: [(header: Range<Int>, promise: Int)]]
    private let checkpoints: Set<String>

    init(_ image: DiskImage, count: Int, promised: Int) throws {
        self.image = image
        self.count = count
        self.promised = promised
        var frames: [String: [Range<Int>]] = [:]
        var promises: [String: [(header: Range<Int>, promise: Int)]] = [:]
        let inspection = try LogInspection(SimulatedDisk(image))
        for segment in inspection.segments {
            var ranges: [Range<Int>] = [0..<Int(segment.header.headerLength)]
            let name = StoreFileName.segment(segment.id).text
            try inspection.forEachFrame(in: segment) { frame in
                let start = Int(frame.location.offset.rawValue)
                promises[name, default: []].append(
                    (start..<(start + FrameHeader.byteCount), Int(frame.header.durableEnd.rawValue))
                )
                ranges.append(start..<(start + Int(frame.header.frameLength)))
                return true
            }
            frames[name] = ranges
        }
        self.frames = frames
        self.promises = promises
        let named = inspection.manifest.checkpoints.map { $0.file.text }
        checkpoints = Set(named)
    }

    /// The files that hold something.
    var files: [(name: String, bytes: [UInt8])] {
        image.files.filter { $0.key != StoreFileName.lock.text && !$0.key.hasPrefix("lost") }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    enum Outcome: Sendable {
        case refused, dropped, fellBack, noEffect
    }

    /// Opens the damaged store. Throws where it returns a wrong value, loses without saying so, or
    /// names another place.
    func check(_ damage: Damage) throws(CheckFailure) -> Outcome {
        let damaged = damage.applied(to: image)
        let disk = SimulatedDisk(damaged)
        do {
            let opened = try CompactionLog(disk, seed: 5).open()
            opened.log.abandon()
            return try check(opened, damage)
        } catch let failure as CheckFailure {
            throw failure.at(damage)
        } catch let error as LogError {
            guard disk.image.withoutLock == damaged.withoutLock else {
                throw CheckFailure(.i17, "\(damage): changed although refused: \(error)")
            }
            guard isRightPlace(error, damage) else {
                throw CheckFailure(.i17, "\(damage): the error names another place: \(error)")
            }
            return .refused
        } catch {
            throw CheckFailure("\(damage): \(error)")
        }
    }

    private func check(
        _ opened: CompactionLog.Opened, _ damage: Damage
    ) throws(CheckFailure) -> Outcome {
        let kept = opened.payloads
        guard kept == LogPayload.first(kept.count) else { throw CheckFailure(.i2, "a wrong value") }
        if let dropped = opened.report.dropped {
            guard kept.count >= promised || !damage.isOfOneByte,
                !isPromised(dropped.offset, behind: damage)
            else { throw CheckFailure(.i1, "\(promised) were promised, \(kept.count) are left") }
            guard StoreFileName.segment(dropped.segment).text == damage.file else {
                throw CheckFailure(.i8, "dropped elsewhere: \(dropped)")
            }
            return .dropped
        }
        if kept.count < count {
            // A file that ends at a frame's border may never have grown further.
            guard damage.isTruncation || isTold(opened.report.unused, damage),
                !opened.report.endedCleanly
            else {
                throw CheckFailure(.i8, "lost without a word: \(kept.count) of \(count)")
            }
            return .dropped
        }
        let problems = opened.report.checkpointProblems.map(\.file)
        guard problems.isEmpty else {
            guard problems.contains(damage.file) else {
                throw CheckFailure(.i17, "another checkpoint is blamed: \(problems)")
            }
            return .fellBack
        }
        guard damage.file != checkpoints.max() || !damage.changes(image) else {
            throw CheckFailure(.i17, "damage to the newest checkpoint was not reported")
        }
        return .noEffect
    }

    /// Some header that the damage left alone promises bytes behind an offset.
    func isPromised(_ offset: FrameOffset, behind damage: Damage) -> Bool {
        let damaged = damage.range(in: image)
        return promises[damage.file, default: []].contains {
            !$0.header.overlaps(damaged) && $0.promise > Int(offset.rawValue)
        }
    }

    /// Zeros behind the last frame are told, and stand where the store had something before: to a reader
    /// it may never have been written.
    private func isTold(_ unused: RecoveryReport.UnusedSpace?, _ damage: Damage) -> Bool {
        guard let unused, StoreFileName.segment(unused.segment).text == damage.file else {
            return false
        }
        return image.files[damage.file, default: []].dropFirst(Int(unused.offset.rawValue))
            .contains { $0 != 0 }
    }

    /// The first damaged frame, header or file.
    private func isRightPlace(_ error: LogError, _ damage: Damage) -> Bool {
        switch error {
        case .damaged(let found), .chainBroken(let found):
            return isRight(found.segment, Int(found.offset.rawValue), damage)
        case .unsupportedFrame(let segment, let offset, _):
            return isRight(segment, Int(offset.rawValue), damage)
        case .manifestDamaged(let file, _):
            // Which generation is missing nobody knows.
            return file == damage.file || damage.isRemoval && damage.file.hasPrefix("manifest")
        case .noUsableCheckpoint(let problems):
            return problems.contains { $0.file == damage.file }
        case .segmentMissing(let segment):
            return damage.isRemoval && StoreFileName.segment(segment).text == damage.file
        case .successorMissing(let segment):
            return damage.isRemoval
                && StoreFileName.segment(SegmentID(segment.rawValue + 1)).text == damage.file
        case .logEndsBeforeCheckpoint:
            return StoreFileName(damage.file).map { if case .segment = $0 { true } else { false } }
                ?? false
        case .missing, .notAStore: return damage.isRemoval
        default: return false
        }
    }

    private func isRight(_ segment: SegmentID, _ offset: Int, _ damage: Damage) -> Bool {
        guard StoreFileName.segment(segment).text == damage.file else { return false }
        let first = damage.firstChange(image)
        let ranges = frames[damage.file, default: []]
        guard let expected = ranges.first(where: { $0.contains(first) }) else {
            // A footer is the last thing in its file: what is behind it tells that it is none.
            let last = damage.isGrowth ? ranges.last?.lowerBound : ranges.last?.upperBound
            return offset >= last ?? 0
        }
        // An error inside a run of frames may be told at the transaction's first frame.
        return offset == expected.lowerBound
    }
}

/// One change to the bytes of one file.
struct Damage: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case flip(bit: Int)
        case value(UInt8)
        case replaced([UInt8])
        case truncated
        case removed
        /// By zeros, at its end.
        case lengthened(Int)
    }

    let file: String
    let position: Int
    let kind: Kind

    var isTruncation: Bool { if case .truncated = kind { true } else { false } }
    var isGrowth: Bool { if case .lengthened = kind { true } else { false } }
    var isRemoval: Bool { if case .removed = kind { true } else { false } }

    func applied(to image: DiskImage) -> DiskImage {
        var damaged = image
        switch kind {
        case .flip(let bit): damaged.files[file]?[position] ^= 1 << UInt8(bit)
        case .value(let value): damaged.files[file]?[position] = value
        case .replaced(let bytes):
            damaged.files[file]?.replaceSubrange(position..<(position + bytes.count), with: bytes)
        case .truncated: damaged.files[file]?.removeSubrange(position...)
        case .removed: damaged.files[file] = nil
        case .lengthened(let count):
            damaged.files[file]? += [UInt8](repeating: 0, count: count)
        }
        return damaged
    }

    /// The bytes that are changed or gone.
    func range(in image: DiskImage) -> Range<Int> {
        switch kind {
        case .flip, .value: position..<(position + 1)
        case .replaced(let bytes): position..<(position + bytes.count)
        case .lengthened: position..<position
        case .truncated, .removed: position..<max(position, image.files[file, default: []].count)
        }
    }

    var isOfOneByte: Bool {
        switch kind {
        case .flip, .value: true
        case .replaced, .truncated, .removed, .lengthened: false
        }
    }

    func changes(_ image: DiskImage) -> Bool { applied(to: image).files != image.files }

    /// Where the first byte differs.
    func firstChange(_ image: DiskImage) -> Int {
        guard case .replaced(let bytes) = kind else { return position }
        let old = image.files[file, default: []]
        for (index, byte) in bytes.enumerated() where old[position + index] != byte {
            return position + index
        }
        return position
    }

    var description: String {
        let what =
            switch kind {
            case .flip(let bit): "bit \(bit) flipped"
            case .value(let value): "set to \(value)"
            case .replaced(let bytes): "\(bytes.count) bytes replaced"
            case .truncated: "cut"
            case .removed: "removed"
            case .lengthened(let count): "lengthened by \(count) zeros"
            }
        return "\(file), byte \(position), \(what)"
    }
}

extension ReferenceStore {
    func flips(of bits: [Int]) -> [Damage] {
        files.flatMap { file in
            file.bytes.indices.flatMap { position in
                bits.map { Damage(file: file.name, position: position, kind: .flip(bit: $0)) }
            }
        }
    }

    func values(_ generator: inout SeededGenerator) -> [Damage] {
        var all: [Damage] = []
        for (name, bytes) in files {
            for position in bytes.indices {
                let random = UInt8.random(in: 0...255, using: &generator)
                for value in Set([0, 0xFF, random]) where value != bytes[position] {
                    all.append(Damage(file: name, position: position, kind: .value(value)))
                }
            }
        }
        return all
    }

    func truncations() -> [Damage] {
        files.flatMap { file in
            file.bytes.indices.map {
                Damage(file: file.name, position: $0, kind: .truncated)
            } + [Damage(file: file.name, position: 0, kind: .removed)]
        }
    }

    func growths() -> [Damage] {
        files.flatMap { file in
            [1, 8, 512 - file.bytes.count % 512, 4_096, 70_000, 1 << 20].map {
                Damage(file: file.name, position: file.bytes.count, kind: .lengthened($0))
            }
        }
    }

    /// Every sector that starts at a multiple of eight: zeros, ones, garbage, and what stands
    /// elsewhere in the store.
    func sectors(of length: Int, every step: Int, _ generator: inout SeededGenerator) -> [Damage] {
        var all: [Damage] = []
        for (name, bytes) in files {
            for start in Swift.stride(from: 0, to: bytes.count, by: step) {
                let count = min(length, bytes.count - start)
                let old = Array(bytes[start..<(start + count)])
                var contents = [
                    [UInt8](repeating: 0, count: count), [UInt8](repeating: 0xFF, count: count),
                    generator.bytes(count),
                ]
                if let other = files.randomElement(using: &generator), other.bytes.count > count {
                    let from = Int.random(
                        in: 0...(other.bytes.count - count) / 8, using: &generator)
                    contents.append(Array(other.bytes[(from * 8)..<(from * 8 + count)]))
                }
                for content in contents where content != old {
                    all.append(Damage(file: name, position: start, kind: .replaced(content)))
                }
            }
        }
        return all
    }

    /// Frames in the places of others.
    func exchangedFrames() -> [Damage] {
        var all: [Damage] = []
        for (name, ranges) in frames {
            for (otherName, others) in frames {
                for range in ranges.dropFirst() {
                    for other in others.dropFirst() where other.count == range.count {
                        guard name != otherName || range != other,
                            let bytes = image.files[otherName]
                        else { continue }
                        all.append(
                            Damage(
                                file: name, position: range.lowerBound,
                                kind: .replaced(Array(bytes[other]))))
                    }
                }
            }
        }
        return all
    }
}
