import Foundation
import VarveInspection
import VarveLog
import VarveTestSupport
import VarveTool

/// What a fuzzer feeds with bytes. Whatever they are, each ends in a value or a typed error; what
/// must hold beyond that is a precondition here, so that a fuzzer stops at it.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// A segment's header and frames, their checksums made right.
    case segment
    /// A manifest, its checksum made right.
    case manifest
    /// A checkpoint, its checksums and digest made right.
    case checkpoint
    /// The image of a state, the checksums of its blocks and its root made right.
    case image
    /// One LZ4 block, in a frame whose checksums are right.
    case compression
    /// Any payload, written and read back.
    case roundTrip
    /// Steps of a workload and a power cut in it.
    case operations
    /// A whole directory: everything that opens a store must agree on it.
    case directory
    /// The payload of a transaction, replayed and described.
    case events
    /// The program's arguments.
    case arguments
    /// A question to a store.
    case query

    /// Longer inputs say nothing new.
    public static let bytesMax = 1 << 14

    public func run(_ bytes: [UInt8]) {
        let bytes = Array(bytes.prefix(Self.bytesMax))
        switch self {
        case .segment: Self.segment(bytes)
        case .manifest: Self.manifest(bytes)
        case .checkpoint: Self.checkpoint(bytes)
        case .image: ImageTarget.run(bytes)
        case .compression: Self.compression(bytes)
        case .roundTrip: Self.roundTrip(bytes)
        case .operations: Self.operations(bytes)
        case .directory: Self.directory(bytes)
        case .events: Self.events(bytes)
        case .arguments: Self.arguments(bytes)
        case .query: Self.query(bytes)
        }
    }

    /// Inputs to start from.
    public var seeds: [[UInt8]] {
        let sample = FuzzSample.shared
        switch self {
        case .segment:
            return sample.segments
        case .manifest: return sample.manifests
        case .checkpoint: return sample.checkpoints
        case .image: return ImageTarget.seeds
        case .compression:
            return [[0, 1, 0x1F, 0x61, 1, 0, 0x10, 0x61, 0x62], [3, 0, 0xF0, 0xFF, 1]]
        case .roundTrip: return [Array("varve varve varve varve".utf8), [0], []]
        case .operations: return [[3, 0, 1, 2, 7, 9], [4, 2, 6, 5, 0, 1, 200, 3, 3]]
        case .directory: return [sample.directory]
        case .events: return FuzzSample.transactions
        case .arguments:
            return [
                "info store", "log -n 3 --json store", "show 2 store", "cat store User 7",
                "verify store",
            ]
            .map { Array($0.utf8) }
        case .query:
            return [
                "User where name == \"name 0\" and age > 0 or not (id in ('ann', \"bob\"))",
                "User where any(friends, age >= 1) order by -age, name limit 3 offset 1",
                "User group by length(name) select count(), sum(age), least(name) as n order by n",
                "deleted User where @updatedAt < \"2026-08-03T14:05Z\" select lower(name), @ordinal",
            ]
            .map { Array($0.utf8) }
        }
    }

    // MARK: Files with the right checksums

    private static func segment(_ bytes: [UInt8]) {
        var image = FuzzSample.shared.empty
        let header = image.files["segment-0000000001", default: []]
        image.files["segment-0000000001"] = Resealing.segment(header + bytes)
        agree(image)
    }

    private static func manifest(_ bytes: [UInt8]) {
        var image = FuzzSample.shared.image
        for name in image.files.keys where name.hasPrefix("manifest") {
            image.files[name] = Resealing.manifest(bytes)
        }
        agree(image)
    }

    private static func checkpoint(_ bytes: [UInt8]) {
        var image = FuzzSample.shared.image
        for name in image.files.keys where name.hasPrefix("checkpoint") {
            image.files[name] = Resealing.checkpoint(
                bytes, like: image.files[name, default: []])
        }
        agree(image)
        inspect(SimulatedDisk(image))
    }

    private static func compression(_ bytes: [UInt8]) {
        guard bytes.count > 2 else { return }
        let rawLength = UInt32(bytes[0]) | UInt32(bytes[1]) << 8
        var image = FuzzSample.shared.empty
        let header = image.files["segment-0000000001", default: []]
        image.files["segment-0000000001"] =
            header
            + Resealing.compressedFrame(
                Array(bytes.dropFirst(2)), rawLength: rawLength, behind: header)
        agree(image)
    }

    private static func roundTrip(_ bytes: [UInt8]) {
        let disk = SimulatedDisk()
        do {
            var test = TestLog(disk, segmentBytesMax: 2_000)
            test.configuration.frameBytesMax = ByteCount(UInt64(bytes.count) / 3 + 1)
            let log = try test.open().log
            for _ in 0..<3 { try log.append(bytes) }
            try log.close()
            let read = try test.read().content.transactions
            precondition(read == [bytes, bytes, bytes], "what was written is read")
        } catch {
            preconditionFailure("any payload can be written: \(error)")
        }
    }

    /// The first byte counts the steps, the last ones choose the power cut.
    private static func operations(_ bytes: [UInt8]) {
        guard let count = bytes.first.map({ Int($0 % 10) }), bytes.count >= count + 3 else {
            return
        }
        let steps = bytes[1..<(1 + count)].map {
            LogStep.allCases[Int($0) % LogStep.allCases.count]
        }
        let choice = bytes.dropFirst(1 + count)
        var generator = SeededGenerator(seed: UInt64(choice.last ?? 0))
        do {
            let workload = try LogWorkload(steps)
            var enumeration = CrashEnumeration(
                workload, memo: ImageMemo(), nested: ImageMemo(),
                CrashEnumeration.Settings(seed: generator.next()))
            let total = workload.disk.operations.count + 1
            let position = choice.prefix(2).reduce(0) { $0 << 8 | Int($1) } % total
            try enumeration.crash(at: position, statesMax: 6)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    // MARK: Anything at all

    /// For each file a length of two bytes, then its bytes; the names are those of a store.
    private static func directory(_ bytes: [UInt8]) {
        var image = DiskImage()
        var rest = bytes[...]
        for name in FuzzSample.names {
            guard rest.count >= 2 else { break }
            let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(2)
            image.files[name] = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        agree(image)
        inspect(SimulatedDisk(image))
    }

    private static func events(_ bytes: [UInt8]) {
        let disk = SimulatedDisk()
        do {
            let log = try TestLog(disk).open().log
            for transaction in FuzzSample.transactions { try log.append(transaction) }
            try log.append(bytes)
            try log.close()
        } catch {
            preconditionFailure("a log takes any bytes: \(error)")
        }
        inspect(disk)
    }

    private static func arguments(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        // Nothing outside of the directory that the fuzzer runs in.
        let words = text.split { $0 == " " || $0 == "\n" }.map { String($0) }
            .filter { !$0.contains("/") && !$0.contains("..") && $0 != "." }
        let output = TextSink()
        let errors = TextSink()
        let status = Tool.run(
            words,
            in: ToolEnvironment(
                output: output, errors: errors, now: Moment(microseconds: 1_700_000_000_000_000)))
        precondition(
            status == .success || !errors.text.isEmpty || !output.text.isEmpty,
            "what fails says why")
    }

    private static func query(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        func check(_ error: QueryError) {
            precondition(
                error.place.lowerBound >= 0 && error.place.upperBound <= text.count,
                "an error of '\(text)' is in the text")
            precondition(!"\(error)".isEmpty, "an error says what is wrong")
        }
        do {
            let inspection = try Inspection(FuzzSample.shared.queried)
            let query = try InspectionQuery(text)
            let answer = try inspection.answer(query)
            precondition(
                answer.rows.allSatisfy { $0.count == answer.columns.count },
                "each row of '\(text)' has a value for each column")
            _ = try inspection.explain(query)
            _ = answer.rows.map { $0.map(\.json) }
        } catch let error as QueryError {
            check(error)
        } catch QueryFailure.query(let error) {
            check(error)
        } catch {
            preconditionFailure("a sound store can be asked: \(error)")
        }
    }

    // MARK: What must hold

    /// Reading, writing and verifying a directory agree, and refusing changes nothing.
    private static func agree(_ image: DiskImage) {
        let reading = try? CompactionLog(SimulatedDisk(image)).read()
        let verified = try? LogVerification.verify(SimulatedDisk(image))
        let disk = SimulatedDisk(image)
        let opened = try? CompactionLog(disk, seed: 3).open()
        opened?.log.abandon()
        if opened == nil {
            for (name, bytes) in image.files where name != StoreFileName.lock.text {
                // A creation that was interrupted is begun anew.
                let isBegunAnew = !image.files.keys.contains { $0.hasPrefix("manifest") }
                precondition(
                    isBegunAnew || disk.image.files[name] == bytes
                        || StoreFileName(name).map {
                            if case .temporary = $0 { true } else { false }
                        }
                            ?? false,
                    "what is refused is left alone: \(name)")
            }
        }
        if verified?.isSound == true, let verified, verified.segments > 0 {
            precondition(reading != nil, "what is sound can be read")
        }
        if let reading, let opened {
            precondition(reading.payloads == opened.payloads, "a reader sees what a writer finds")
        }
        guard opened != nil else { return }
        let again = try? CompactionLog(disk, seed: 4).open()
        again?.log.abandon()
        precondition(again?.payloads == opened?.payloads, "opening again finds the same")
    }

    private static func inspect(_ fileSystem: any FileSystem) {
        _ = try? StoreVerification.verify(fileSystem)
        guard let inspection = try? Inspection(fileSystem) else { return }
        _ = try? inspection.summary()
    }
}

private final class TextSink: OutputSink {
    private(set) var text = ""
    func write(_ text: String) throws(OutputFailure) { self.text += text }
    func flush() throws(OutputFailure) {}
}

extension FuzzTarget {
    /// Making checksums right leaves a good file as it is.
    package var isSealedAlike: Bool {
        let sample = FuzzSample.shared
        if self == .image { return seeds.allSatisfy { Resealing.image($0) == $0 } }
        for (name, bytes) in sample.image.files {
            let sealed =
                switch self {
                case .segment where name.hasPrefix("segment"): Resealing.segment(bytes)
                case .manifest where name.hasPrefix("manifest"): Resealing.manifest(bytes)
                case .checkpoint where name.hasPrefix("checkpoint"):
                    Resealing.checkpoint(bytes, like: bytes)
                default: bytes
                }
            if sealed != bytes { return false }
        }
        return true
    }
}
