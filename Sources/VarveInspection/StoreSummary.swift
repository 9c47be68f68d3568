internal import VarveReplay
internal import VarveTables

/// What a store holds.
public struct StoreSummary: Sendable {
    /// How the last writer left the log.
    public enum State: String, Hashable, Sendable {
        /// The writer closed the store.
        case closedCleanly
        /// The writer ended without closing the store.
        case notClosed
        /// A writer has it open now; what it has not promised to be safe is not shown.
        case openForWriting
    }

    /// A transaction as the log's own index knows it.
    public struct Transaction: Hashable, Sendable {
        /// The number of the transaction.
        public let id: TransactionID
        /// When it was written, by its writer's clock.
        public let time: Moment
    }

    /// A file in the store's directory.
    public struct File: Hashable, Sendable {
        /// The name of the file.
        public let name: String
        /// The length of the file.
        public let bytes: ByteCount
        /// What there is to say of it when it is a segment.
        public let segment: Segment?
    }

    /// A part of the log.
    public struct Segment: Hashable, Sendable {
        /// The number of the segment.
        public let id: SegmentID
        /// Whether a footer ends the segment: nothing is appended to it any more.
        public let isSealed: Bool
        /// How many transactions it holds.
        public let transactions: UInt64
        /// Nil when it holds none.
        public let first: TransactionID?
        /// The newest transaction in it; nil when it holds none.
        public let last: TransactionID?
        /// What its frames hold before compression.
        public let rawBytes: ByteCount
    }

    /// A file with a whole state.
    public struct Checkpoint: Hashable, Sendable {
        /// The name of the file.
        public let file: String
        /// The last transaction whose effects it holds.
        public let transaction: TransactionID
        /// What is wrong with it, if it could not be used.
        public let problem: String?
        /// What it holds before compression; nil where it cannot be read.
        public let rawBytes: ByteCount?
    }

    /// A migration that the log has behind it.
    public struct Migration: Hashable, Sendable {
        /// Its name, with its version where that is not the first.
        public let name: String
        /// The transaction that performed it, or with which a new store said that it does not need it.
        public let transaction: TransactionID
    }

    /// How many entities of a type there are.
    public struct TypeCount: Hashable, Sendable {
        /// The type.
        public let type: InspectedType
        /// How many entities are there.
        public let live: Int
        /// Entities that were deleted and can be restored.
        public let deleted: Int
    }

    /// The store's directory, as it was given.
    public let path: String
    /// The store's identity.
    public let store: StoreID
    /// Major and minor version of the format.
    public let formatVersion: String
    /// How the last writer left the log; nil of a damaged store, of which a part is shown.
    public let state: State?
    /// What opening the store would find at the end of its log.
    public let report: RecoveryReport
    /// When the manifest was written; nil of a damaged store.
    public let createdAt: Moment?
    /// The oldest and the newest transaction, nil when there is none.
    public let first: Transaction?
    /// The newest transaction; nil when there is none.
    public let last: Transaction?
    /// How many transactions can be read.
    public let transactions: UInt64
    /// The oldest transaction that can be asked for; what lies before it was dropped.
    public let floor: TransactionID
    /// What the last compaction kept; nil when there was none.
    public let retention: Retention?
    /// The newest first; none of a damaged store.
    public let checkpoints: [Checkpoint]
    /// Everything in the store's directory, in order of names.
    public let files: [File]
    /// What the segments occupy, and what their frames hold before compression.
    public let storedBytes: ByteCount
    /// What the frames of all segments hold before compression.
    public let rawBytes: ByteCount
    /// In the order in which they were first defined.
    public let types: [TypeCount]
    /// In the order in which they were performed.
    public let migrations: [Migration]
    /// Events of later versions, which this one passes over.
    public let unknownEventCount: Int

    /// The memory that all entities of the newest checkpoint take, at most about this; nil where there is none that can be
    /// used. A store with a smaller memory budget reads some of them on demand.
    public var memoryBytes: ByteCount? {
        guard let newest = checkpoints.first(where: { $0.problem == nil }),
            let raw = newest.rawBytes?.rawValue
        else { return nil }
        return ByteCount(UInt64(VarveTables.State.filledBytesPerPageByte) * raw)
    }
}

extension Inspection {
    /// What the store holds. Reads the newest checkpoint, the log after it, and the ends of older segments.
    public func summary() throws(InspectionError) -> StoreSummary {
        let state = try replay()
        let statistics = snapshot.statistics
        return StoreSummary(
            path: path, store: store,
            formatVersion: scanned.manifest.version.text,
            state: logState, report: scanned.report(startingFrom: start),
            createdAt: damaged == nil
                ? Moment(microseconds: scanned.manifest.createdAt) : nil,
            first: try place(of: snapshot.oldestSequence),
            last: try place(of: snapshot.lastSequence),
            transactions: transactionCount, floor: firstTransaction,
            retention: scanned.manifest.retention, checkpoints: checkpoints, files: try files(),
            storedBytes: statistics.storedBytes, rawBytes: statistics.rawBytes,
            types: typeCounts(state),
            migrations: state.timeline.migrations.map {
                StoreSummary.Migration(name: "\($0.id)", transaction: $0.transaction)
            }, unknownEventCount: state.unknownEventCount)
    }

    /// Those that can be asked for.
    private var transactionCount: UInt64 {
        lastTransaction < firstTransaction
            ? 0 : lastTransaction.rawValue - firstTransaction.rawValue + 1
    }

    private var checkpoints: [StoreSummary.Checkpoint] {
        // Those of a salvaged store are its own.
        (damaged == nil ? scanned.manifest.checkpoints : []).map { reference in
            var problem = start.problems.first { $0.file == reference.file.text }?.reason
            var rawBytes: ByteCount?
            do throws(LogError) {
                rawBytes = ByteCount(try scanned.open(reference).contentBytes())
            } catch {
                problem = problem ?? "\(error)"
            }
            return StoreSummary.Checkpoint(
                file: reference.file.text,
                transaction: TransactionID(reference.sequence.rawValue), problem: problem,
                rawBytes: rawBytes)
        }
    }

    private func place(
        of sequence: LogSequence
    ) throws(InspectionError) -> StoreSummary.Transaction? {
        guard snapshot.oldestSequence <= snapshot.lastSequence else { return nil }
        do throws(ReplayFailure<InspectionError>) {
            return try reader.withTransaction(sequence) { logged throws(InspectionError) in
                StoreSummary.Transaction(
                    id: TransactionID(logged.sequence.rawValue),
                    time: Moment(microseconds: logged.time))
            }
        } catch {
            throw error.inspectionError
        }
    }

    private var logState: StoreSummary.State? {
        if damaged != nil { return nil }
        if scanned.hasLiveWriter { return .openForWriting }
        return scanned.report.endedCleanly ? .closedCleanly : .notClosed
    }

    private func typeCounts(_ state: VarveTables.State) -> [StoreSummary.TypeCount] {
        state.catalog.definitions.map { definition in
            let counts = state.counts(of: definition.number)
            return StoreSummary.TypeCount(
                type: InspectedType(definition) { state.catalog.definition(of: $0) },
                live: counts.live, deleted: counts.tombstones)
        }
    }

    private func files() throws(InspectionError) -> [StoreSummary.File] {
        try InspectionError.wrapping { () throws(LogError) in
            if let damaged { return try StoreSummary.File.all(in: damaged.source) }
            return try StoreSummary.File.all(in: fileSystem, segments: snapshot.segments)
        }
    }
}

extension StoreSummary.File {
    /// All files of a store, also those in its folders, in order of their names.
    static func all(
        in fileSystem: any FileSystem, segments: [SegmentEntry] = []
    ) throws(LogError) -> [StoreSummary.File] {
        try LogError.wrapping { () throws(FileSystemError) in
            try files(in: fileSystem, prefix: "", segments: segments)
        }
    }

    /// Nil for a foreign directory or link, and for a file that a writer has just taken away.
    private static func length(
        of name: String, in directory: any FileSystem
    ) throws(FileSystemError) -> ByteCount? {
        do {
            return try directory.open(name, .read).length()
        } catch {
            if error.isNotFound || error.reason == .notAPlainFile { return nil }
            throw error
        }
    }

    private static func files(
        in directory: any FileSystem, prefix: String, segments: [SegmentEntry]
    ) throws(FileSystemError) -> [StoreSummary.File] {
        var files: [StoreSummary.File] = []
        for name in (try directory.list() ?? []).sorted() {
            let kind = StoreFileName(name)
            if kind == .assets, let bytes = try assetBytes(in: directory.subdirectory(name)) {
                files.append(StoreSummary.File(name: name + "/", bytes: bytes, segment: nil))
                continue
            }
            if kind == .lost {
                files += try Self.files(
                    in: directory.subdirectory(name), prefix: name + "/", segments: [])
                continue
            }
            guard let bytes = try length(of: name, in: directory) else { continue }
            let segment = segments.first { .segment($0.id) == kind }
            files.append(
                StoreSummary.File(
                    name: prefix + name, bytes: bytes, segment: segment.map { .init($0) }))
        }
        return files
    }
}

extension StoreSummary.File {
    /// What all files of assets occupy: there may be many. Nil where it is no folder.
    private static func assetBytes(
        in directory: any FileSystem
    ) throws(FileSystemError) -> ByteCount? {
        guard let folders = try names(in: directory) else { return nil }
        var bytes: UInt64 = 0
        for name in folders {
            guard let files = try names(in: directory.subdirectory(name)) else {
                bytes &+= try length(of: name, in: directory)?.rawValue ?? 0
                continue
            }
            for file in files {
                let length = try length(of: file, in: directory.subdirectory(name))
                bytes &+= length?.rawValue ?? 0
            }
        }
        return ByteCount(bytes)
    }

    /// Nil where it is no folder.
    private static func names(
        in directory: any FileSystem
    ) throws(FileSystemError) -> [String]? {
        do throws(FileSystemError) {
            return try directory.list()
        } catch {
            guard error.isNotADirectory else { throw error }
            return nil
        }
    }
}

extension FormatVersion {
    fileprivate var text: String { "\(major).\(minor)" }
}

extension StoreSummary.Segment {
    fileprivate init(_ entry: SegmentEntry) {
        let holdsTransactions = entry.transactions > 0
        id = entry.id
        isSealed = entry.footer != nil
        transactions = entry.transactions
        first =
            holdsTransactions ? TransactionID(entry.header.firstSequence.rawValue) : nil
        last = holdsTransactions ? TransactionID(entry.lastSequence.rawValue) : nil
        rawBytes = entry.rawBytes
    }
}
