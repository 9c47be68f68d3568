import Foundation
import Testing
import VarveEvents
import VarveLog
import VarveReplay
import VarveTables
import VarveTestSupport

@testable import VarveInspection

/// Stores as version 1.0 wrote them, kept as files. A change that these tests notice is a change of
/// the format: stores on users' disks look like this.
@Suite("Golden stores")
struct GoldenStoreTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/1.0")

    private static func files(of name: String) throws -> [String: Data] {
        let folder = fixtures.appending(path: name)
        var files: [String: Data] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            files[file] = try Data(contentsOf: folder.appending(path: file))
        }
        return files
    }

    private static func directory(_ name: String) throws -> MemoryFileSystem {
        try directory(name, files(of: name))
    }

    private static func directory(
        _ name: String, _ files: [String: Data]
    ) throws -> MemoryFileSystem {
        let directory = MemoryFileSystem(name: name)
        try directory.createDirectory()
        for (file, content) in files {
            let opened = try directory.open(file, .createExclusive)
            try content.withUnsafeBytes { bytes in
                try opened.writeAll(bytes, at: FrameOffset(0), name: file)
            }
        }
        return directory
    }

    /// What the fixtures were written from.
    private static func written(_ name: String) throws -> [String: Data] {
        var files = try SampleFiles(segmentBytesMax: 700)
        switch name {
        case "damaged": try files.damage(transaction: 3)
        case "image": return try compacted(files.files, .transactions(3))
        case "image-damaged":
            var compacted = try compacted(files.files, .everything)
            compacted["checkpoint-0000000001"]?[200] ^= 0x40
            return compacted
        default: break
        }
        return files.files
    }

    private static func compacted(
        _ files: [String: Data], _ retention: Retention
    ) throws -> [String: Data] {
        let directory = try directory("compacted", files)
        _ = try StoreCompaction.compact(
            directory, environment: SimulatedEnvironment(seed: 2), retaining: retention)
        var compacted: [String: Data] = [:]
        for name in try directory.list() ?? [] where name != StoreFileName.lock.text {
            let file = try directory.open(name, .read)
            let length = Int(try file.length().rawValue)
            let bytes = try file.readBytes(at: FrameOffset(0), count: length, name: name)
            compacted[name] = Data(bytes)
        }
        return compacted
    }

    /// Not those whose checkpoints are pages of entities, "checkpoint" and "checkpoint-damaged", or images of former forms:
    /// stores have them, and a compaction writes an image of today. An image has the key of a process's map of ids, which is random.
    @Test(
        "Today's encoders write the same bytes, but for images",
        arguments: ["good", "damaged", "image", "image-damaged"])
    func bytes(_ name: String) throws {
        var written = try Self.written(name)
        if ProcessInfo.processInfo.environment["VARVE_RECORD_GOLDEN"] == "1" {
            let folder = Self.fixtures.appending(path: name)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            for (file, content) in written { try content.write(to: folder.appending(path: file)) }
        }
        var files = try Self.files(of: name)
        let image = "checkpoint-0000000001"
        #expect(
            files.removeValue(forKey: image)?.isEmpty == written.removeValue(forKey: image)?.isEmpty
        )
        #expect(files == written)
    }

    @Test("A good one is read, verified, compacted, and read again")
    func good() throws {
        let directory = try Self.directory("good")
        let entities = try SampleFiles.entities(in: directory)
        #expect(entities.count == 3)
        #expect(entities.contains { $0.hasPrefix("Chat 7 ") && $0.contains("Hello, world") })
        #expect(try StoreVerification.verify(directory).problems.isEmpty)
        #expect(try SampleFiles.payloads(in: directory).count == 9)
        _ = try StoreCompaction.compact(
            directory, environment: SimulatedEnvironment(seed: 3), retaining: Retention.newestState)
        #expect(try SampleFiles.entities(in: directory) == entities)
        #expect(try StoreVerification.verify(directory).problems.isEmpty)
    }

    @Test(
        "One with a checkpoint of any form opens from it, is verified, compacted to an image, and read again",
        arguments: ["checkpoint", "image", "image-form-2", "image-form-3"])
    func checkpoint(_ name: String) throws {
        let directory = try Self.directory(name)
        let entities = try SampleFiles.entities(in: Self.directory("good"))
        #expect(try SampleFiles.entities(in: directory) == entities)
        #expect(try StoreVerification.verify(directory).problems.isEmpty)
        let scanned = try ScannedLog.scan(directory, mode: .readOnly)
        #expect(scanned.manifest.checkpoints.map(\.sequence) == [LogSequence(9)])
        #expect(scanned.manifest.floor == LogSequence(7))
        let form = try scanned.open(scanned.manifest.checkpoints[0]).header.isImage
        #expect(form == (name != "checkpoint"))
        #expect(try Inspection(directory).summary().checkpoints.map(\.problem) == [nil])
        try SampleFiles.append(to: directory)
        _ = try StoreCompaction.compact(
            directory, environment: SimulatedEnvironment(seed: 3), retaining: Retention.newestState)
        let compacted = try ScannedLog.scan(directory, mode: .readOnly)
        #expect(compacted.manifest.floor == LogSequence(11))
        #expect(try compacted.open(compacted.manifest.checkpoints[0]).header.isImage)
        #expect(try SampleFiles.entities(in: directory) == entities)
        #expect(try StoreVerification.verify(directory).problems.isEmpty)
    }

    @Test("A compaction of one of form 2 compresses thoroughly, without a write since, and once")
    func compression() throws {
        let directory = try Self.directory("image-form-2")
        let entities = try SampleFiles.entities(in: directory)
        for number in [2, 2] as [UInt64] {
            _ = try StoreCompaction.compact(
                directory, environment: SimulatedEnvironment(seed: 3), retaining: .everything)
            let scanned = try ScannedLog.scan(directory, mode: .readOnly)
            #expect(scanned.manifest.checkpoints.map(\.number) == [number])
            let image = try #require(
                try scanned.open(scanned.manifest.checkpoints[0]).load().image)
            #expect(image.blockCount > 0 && image.thoroughBlockCount == image.blockCount)
        }
        #expect(try SampleFiles.entities(in: directory) == entities)
        #expect(try StoreVerification.verify(directory).problems.isEmpty)
    }

    @Test(
        "One with a damaged checkpoint is read from its log, and the next compaction mends it",
        arguments: [
            "checkpoint-damaged", "image-damaged", "image-form-2-damaged", "image-form-3-damaged",
        ])
    func damagedCheckpoint(_ name: String) throws {
        let directory = try Self.directory(name)
        let problems = try StoreVerification.verify(directory).problems
        #expect(problems.count == 1)
        #expect(problems.allSatisfy { "\($0)".contains("checkpoint-0000000001") }, "\(problems)")
        let entities = try SampleFiles.entities(in: directory)
        #expect(try entities == SampleFiles.entities(in: Self.directory("good")))
        _ = try StoreCompaction.compact(
            directory, environment: SimulatedEnvironment(seed: 3), retaining: Retention.newestState)
        #expect(try SampleFiles.entities(in: directory) == entities)
        #expect(try StoreVerification.verify(directory).problems.isEmpty)
    }

    @Test("A damaged one is refused with the place, and salvaged but for the damage")
    func damaged() throws {
        let directory = try Self.directory("damaged")
        let problems = try StoreVerification.verify(directory).problems
        #expect(problems.count == 1 && problems[0].segment != nil && problems[0].offset != nil)
        #expect(throws: InspectionError.self) {
            _ = try Inspection(directory).entities(of: "User")
        }
        let target = MemoryFileSystem(name: "salvaged")
        let report = try StoreSalvage.salvage(
            from: directory, to: target, environment: SimulatedEnvironment(seed: 4))
        #expect(report.lost.map(\.description) == ["3"] && report.transactions == 8)
        #expect(try StoreVerification.verify(target).problems.isEmpty)
    }
}
