import Foundation
import Testing
import VarveEvents
import VarveLog
import VarveReplay
import VarveTables
import VarveTestSupport

@testable import VarveInspection

/// The files of the sample store in memory, to be damaged.
struct SampleFiles {
    var files: [String: Data]
    /// Where each transaction lies.
    private let places: [UInt64: (file: String, bytes: Range<Int>)]

    init(segmentBytesMax: UInt64 = 64 << 20, compacting retention: Retention? = nil) throws {
        try self.init(
            of: SampleStore.filled(segmentBytesMax: segmentBytesMax), compacting: retention)
    }

    /// The files of a store that was closed.
    init(of store: SampleStore, compacting retention: Retention? = nil) throws {
        var places: [UInt64: (file: String, bytes: Range<Int>)] = [:]
        let scanned = try ScannedLog.scan(POSIXFileSystem(store.path), mode: .readOnly)
        try scanned.replay { (record: LogRecord) throws(Never) in
            guard case .transaction(let transaction) = record else { return }
            let start = Int(transaction.location.offset.rawValue)
            places[transaction.sequence.rawValue] = (
                StoreFileName.segment(transaction.location.segment).text,
                start..<(start + Int(transaction.storedBytes.rawValue))
            )
        }
        self.places = places
        if let retention { _ = try StoreCompaction.compact(at: store.path, retaining: retention) }
        files = try store.files()
        files["LOCK"] = nil
    }

    /// The transactions of which a file's bytes hold something.
    func transactions(in file: String, _ bytes: Range<Int>) throws -> Set<UInt64> {
        Set(places.filter { $0.value.file == file && $0.value.bytes.overlaps(bytes) }.keys)
    }

    /// Where the one frame of a transaction begins.
    func start(of transaction: UInt64) throws -> Int {
        try #require(places[transaction]).bytes.lowerBound
    }

    mutating func damage(transaction: UInt64) throws {
        let place = try #require(places[transaction])
        files[place.file]?[place.bytes.lowerBound + 60] ^= 0x40
    }

    func directory() throws -> MemoryFileSystem {
        let directory = MemoryFileSystem(name: "taken")
        try directory.createDirectory()
        for (name, content) in files {
            let file = try directory.open(name, .createExclusive)
            try content.withUnsafeBytes { bytes in
                try file.writeAll(bytes, at: FrameOffset(0), name: name)
            }
        }
        return directory
    }

    func salvage() throws -> Salvaged {
        let target = MemoryFileSystem(name: "salvaged")
        let report = try StoreSalvage.salvage(
            from: directory(), to: target, environment: SimulatedEnvironment(seed: 77))
        return Salvaged(directory: target, report: report)
    }

    /// Appends a transaction that changes no entity.
    static func append(to directory: any FileSystem) throws {
        let scanned = try ScannedLog.scan(directory, mode: .readWrite)
        let replayed = try Inspection.replay(scanned)
        let next = replayed.state.lastTransaction.rawValue + 1
        let (log, _) = try scanned.recover(
            start: replayed.start, prologue: replayed.state.catalog.encodedDefinitions)
        var encoder = TransactionEncoder()
        let header = TransactionHeader(
            id: TransactionID(next), time: replayed.state.lastTime, isUndoable: false)
        encoder.begin(id: header.id, time: header.time)
        var writer = ByteWriter()
        encoder.finish(header, into: &writer)
        try writer.withBytes { bytes in
            try log.append(
                sequence: LogSequence(next), time: header.time.microseconds, payload: bytes)
        }
        try log.close()
    }

    // MARK: Contents

    static func store(of files: [String: Data]) -> StoreID? {
        guard let header = files["segment-0000000001"] else { return nil }
        func integer(_ offset: Int) -> UInt64 {
            header[offset..<(offset + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return StoreID(high: integer(32), low: integer(40))
    }

    static func payloads(in directory: any FileSystem) throws -> [UInt64: [UInt8]] {
        var payloads: [UInt64: [UInt8]] = [:]
        let scanned = try ScannedLog.scan(directory, mode: .readOnly)
        try scanned.replay { (record: LogRecord) throws(Never) in
            guard case .transaction(let transaction) = record else { return }
            payloads[transaction.sequence.rawValue] = Array(transaction.payload)
        }
        return payloads
    }

    /// All live entities and tombstones with their fields and links.
    static func entities(in directory: any FileSystem) throws -> [String] {
        let inspection = try Inspection(directory)
        var entities: [String] = []
        for type in ["User", "Chat"] {
            for selection in [EntityList.Selection.live, .deleted] {
                // In a store of which nothing is left no type is known.
                guard let list = try? inspection.entities(of: type, selection) else { continue }
                for position in 0..<list.count {
                    let entity = try list.entity(at: position)
                    let fields = entity.fields.map { "\($0.name): \($0.value.json)" }
                    let links = entity.links.map { "\($0.relation): \($0.targets.map(\.json))" }
                    entities.append("\(type) \(entity.id.json) \(fields) \(links)")
                }
            }
        }
        return entities
    }
}

/// A store that was salvaged into memory.
struct Salvaged {
    let directory: MemoryFileSystem
    let report: SalvageReport

    var lost: Set<UInt64> {
        Set(report.lost.flatMap { $0.first.rawValue...$0.last.rawValue })
    }

    func inspection() throws -> Inspection { try Inspection(directory) }

    func payloads() throws -> [UInt64: [UInt8]] { try SampleFiles.payloads(in: directory) }

    func entities() throws -> [String] { try SampleFiles.entities(in: directory) }

    /// The new store opens, and a check in depth finds nothing.
    func expectSound(_ comment: Comment? = nil) throws {
        let verification = try StoreVerification.verify(directory)
        #expect(verification.problems.map { "\($0)" } == [], comment)
        #expect(try inspection().lastTransaction.rawValue == report.last.rawValue, comment)
    }
}
