internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Reads the transactions of one feed from the log, a page at a time, on a thread of its own.
///
/// Unchecked: everything mutable is touched on `queue` alone.
final class ChangeReader: @unchecked Sendable {
    private let store: Store
    private let queue = DispatchQueue(label: "varve.feed")
    private let source: any ChangeSource

    init(_ store: Store, after token: ChangeToken?) {
        self.store = store
        source =
            if let writer = store.writer {
                WrittenChanges(store, writer, after: token)
            } else {
                FollowedChanges(store, after: token)
            }
    }

    /// What is new since the last look, at most a page of it; nil when the store is closed.
    func look() async throws -> [StoreChangeEvent]? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(with: Result { try source.read() })
            }
        }
    }
}

/// Where a feed's transactions come from.
protocol ChangeSource: AnyObject {
    /// What is new, at most a page of it; nil when nothing can come any more.
    func read() throws -> [StoreChangeEvent]?
}

/// How much is read at a time.
enum ChangePage {
    static let transactionsMax = 512
    static let bytesMax = 4 << 20
}

/// A transaction of the log, copied.
struct CopiedTransaction {
    let header: TransactionHeader
    let checksum: UInt32
    let bytes: [UInt8]

    init(_ logged: LoggedTransaction) throws {
        do throws(EventError) {
            header = try TransactionView(logged.payload).header
        } catch {
            throw StoreError.inconsistent(
                transaction: TransactionID(logged.sequence.rawValue), reason: "\(error)")
        }
        checksum = logged.headerChecksum
        bytes = [UInt8](logged.payload)
    }

    func change(_ store: StoreID, _ reading: ChangeReading) -> StoreChange {
        StoreChange(
            transaction: WrittenTransaction(
                info: TransactionInfo(header), bytes: bytes, reading: reading),
            token: ChangeToken(store, header.id, checksum: checksum))
    }
}

/// What a feed asks of a log.
struct ChangeLog {
    let snapshot: LogSnapshot
    /// The oldest transaction that may be told.
    let floor: TransactionID
    private let reader: TransactionReader

    init(_ snapshot: LogSnapshot, floor: TransactionID) {
        self.snapshot = snapshot
        self.floor = max(floor, TransactionID(snapshot.oldestSequence.rawValue))
        reader = TransactionReader(snapshot)
    }

    var store: StoreID {
        guard let segment = snapshot.segments.last else {
            preconditionFailure("a log has a segment")
        }
        return segment.header.store
    }

    var newest: TransactionID { TransactionID(snapshot.lastSequence.rawValue) }

    /// What a token's checksum is to be; 0 of a transaction that is not kept.
    func checksum(of transaction: TransactionID) throws -> UInt32 {
        guard transaction >= floor, transaction.rawValue > 0 else { return 0 }
        return try unwrapping { () throws(ReplayFailure<any Error>) in
            try reader.withTransaction(LogSequence(transaction.rawValue)) {
                logged throws(any Error) in logged.headerChecksum
            }
        }
    }

    func token(_ transaction: TransactionID) throws -> ChangeToken {
        ChangeToken(store, transaction, checksum: try checksum(of: transaction))
    }

    /// A page of what is behind a transaction, through `bound`.
    func page(
        behind transaction: TransactionID, through bound: TransactionID
    ) throws -> [CopiedTransaction] {
        guard transaction < bound else { return [] }
        var page: [CopiedTransaction] = []
        var bytes = 0
        try unwrapping { () throws(ReplayFailure<any Error>) in
            try reader.forEachOldestFirst(from: LogSequence(transaction.rawValue + 1)) {
                logged throws(any Error) in
                page.append(try CopiedTransaction(logged))
                bytes += logged.payload.count
                return logged.sequence.rawValue < bound.rawValue
                    && page.count < ChangePage.transactionsMax && bytes < ChangePage.bytesMax
            }
        }
        return page
    }

    private func unwrapping<Result>(
        _ body: () throws(ReplayFailure<any Error>) -> Result
    ) throws -> Result {
        do throws(ReplayFailure<any Error>) {
            return try body()
        } catch {
            switch error {
            case .log(let error): throw StoreError.log(error)
            case .consumer(let error): throw error
            }
        }
    }
}

/// Where a token stands in a log.
enum TokenPlace {
    /// What follows can be told.
    case known(TransactionID)
    /// The log ends before it.
    case ahead
    /// What follows is not kept, or the log is another.
    case lost

    init(_ token: ChangeToken?, in log: ChangeLog) throws {
        guard let token else {
            self = log.floor > 1 ? .lost : .known(0)
            return
        }
        guard token.store == "\(log.store)" else {
            throw StoreError.foreignToken(store: "\(log.store)", found: token.store)
        }
        if token.transaction > log.newest {
            self = .ahead
        } else if !token.transaction.isReachable(from: log.floor) {
            self = .lost
        } else if try token.transaction >= log.floor
            && log.checksum(of: token.transaction) != token.checksum
        {
            self = .lost
        } else {
            self = .known(token.transaction)
        }
    }
}
