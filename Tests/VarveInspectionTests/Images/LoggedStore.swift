import Testing
import VarveEvents
import VarveReplay
import VarveTables
import VarveTestSupport

@testable import VarveInspection
@testable import VarveLog

/// A store of random transactions, and the state that they lead to without any file.
struct LoggedStore: ~Copyable {
    let disk = SimulatedDisk()
    private(set) var state = State()
    private var model: ReplayModel
    private var time: Int64 = 1_700_000_000_000_000
    private let environment = SimulatedEnvironment(seed: 9)

    init(seed: Int) throws {
        model = ReplayModel(seed: UInt64(seed))
        try LogCreation.createIfAbsent(in: disk, environment: environment)
    }

    mutating func append(_ count: Int) throws {
        let scanned = try ScannedLog.scan(disk, environment: environment, mode: .readWrite)
        let replayed = try LoggedState(scanned)
        let (log, _) = try scanned.recover(
            start: replayed.start, prologue: replayed.state.catalog.encodedDefinitions)
        for _ in 0..<count {
            let payload = try model.transaction()
            state = try state.changed { transaction in
                try payload.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
            }
            time += 1_000_000
            try payload.withUnsafeBytes {
                try log.append(
                    sequence: LogSequence(state.lastTransaction.rawValue), time: time, payload: $0)
            }
        }
        try log.close()
    }

    func compact(_ retention: Retention = .everything, for goal: CompactionGoal = .safety) throws {
        _ = try StoreCompaction.compact(
            disk, environment: environment, retaining: retention, for: goal)
    }

    /// The checkpoints that the manifest names, the newest first.
    func checkpoints() throws -> [CheckpointFile] {
        let scanned = try ScannedLog.scan(disk, mode: .readOnly)
        return try scanned.manifest.checkpoints.map { try scanned.open($0) }
    }
}

extension LoggedState {
    init(of disk: SimulatedDisk) throws {
        try self.init(ScannedLog.scan(disk, mode: .readOnly))
    }

    /// Of all that is in the state.
    func contentDigest() throws -> UInt64 { try state.reading { try state.contentDigest() } }
}

extension CheckpointFile {
    /// The content of all pages, as it was before it was compressed.
    func pageContents() throws -> [(key: CheckpointPageKey, bytes: [UInt8])] {
        let reader = try makeReader()
        return try pages.map { page in
            let bytes = try reader.read(page)
            defer { bytes.deallocate() }
            return (page.key, [UInt8](bytes))
        }
    }
}
