internal import Foundation
internal import VarveEvents
internal import VarveLog

/// The transactions that a store's log gains; see ``Store/transactions(after:lookingEvery:)``.
public struct FollowedTransactions: AsyncSequence, Sendable {
    /// A transaction, or a break in the sequence of transactions.
    public typealias Element = FollowedEvent

    let store: Store
    let last: TransactionID
    let interval: Duration

    /// Begins to follow the log. Each iterator reads it by itself.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: TransactionFeed(store, after: last), interval: interval)
    }

    /// A log that is being followed.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: TransactionFeed
        let interval: Duration
        private var ready: [FollowedEvent] = []

        init(feed: TransactionFeed, interval: Duration) {
            self.feed = feed
            self.interval = interval
        }

        /// Returns the next event, and looks again every interval where there is none yet.
        ///
        /// - Returns: nil when the task is cancelled.
        /// - Throws: ``StoreError`` where the log cannot be read.
        public mutating func next() async throws -> FollowedEvent? {
            while ready.isEmpty {
                if Task.isCancelled { return nil }
                ready = try await feed.look().reversed()
                guard ready.isEmpty else { break }
                do {
                    try await Task.sleep(for: interval)
                } catch is CancellationError {
                    return nil
                }
            }
            return ready.popLast()
        }
    }
}

/// Reads one follower's transactions on a thread of its own.
///
/// Unchecked: everything mutable is touched on `queue` alone.
final class TransactionFeed: @unchecked Sendable {
    private static let pageCountMax = 256

    private let store: Store
    private let queue = DispatchQueue(label: "varve.follower")
    private var last: TransactionID
    private var log: LogFollower?
    /// What was read, and what the store could not show yet.
    private var untold: [FollowedEvent] = []
    /// What was there when following began, up to where the follower starts.
    private var backlog: (reader: TransactionReader, end: LogSequence)?

    init(_ store: Store, after last: TransactionID) {
        self.store = store
        self.last = last
    }

    /// What is new since the last look; at most a page of it.
    func look() async throws -> [FollowedEvent] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                continuation.resume(with: Result { try read() })
            }
        }
    }

    private func read() throws(StoreError) -> [FollowedEvent] {
        var events = untold
        if events.isEmpty, log == nil { try begin(&events) }
        if events.isEmpty, backlog != nil { try readBacklog(&events) }
        if events.isEmpty { try readNew(&events) }
        untold = events
        if !events.isEmpty { try refresh() }
        untold = []
        return events
    }

    /// Lets the store show what is told.
    private func refresh() throws(StoreError) { _ = try rethrowing { try store.refresh() } }

    private func rethrowing<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as LogError {
            throw .log(error)
        } catch {
            preconditionFailure("a store that is read throws errors of its own: \(error)")
        }
    }

    private func begin(_ events: inout [FollowedEvent]) throws(StoreError) {
        let (scanned, follower) = try look()
        // What the log tells to be forgotten is known when its newest state is.
        try refresh()
        log = follower
        let end = scanned.lastSequence
        let forgotten = store.published.timeline.forgotten.rawValue
        let first = max(scanned.snapshot.oldestSequence.rawValue, forgotten + 1)
        if last.rawValue < first - 1 {
            last = TransactionID(first - 1)
            events.append(.missed(through: last))
        }
        if end.rawValue < last.rawValue {
            last = TransactionID(end.rawValue)
            events.append(.rewound(to: last))
        } else if end.rawValue > last.rawValue {
            backlog = (scanned.makeReader(), end)
        }
    }

    /// The log, and what follows its end. Once more, where a compaction removes what is being looked at.
    private func look() throws(StoreError) -> (ScannedLog, LogFollower) {
        try rethrowing {
            try store.opener.lookingAgain {
                let scanned = try store.opener.look()
                return (scanned, try LogFollower(scanned))
            }
        }
    }

    private func readBacklog(_ events: inout [FollowedEvent]) throws(StoreError) {
        guard let (reader, end) = backlog, let first = LogSequence(last.rawValue).next else {
            return
        }
        var read: [FollowedTransaction] = []
        do throws(ReplayFailure<StoreError>) {
            try reader.forEachOldestFirst(from: first) { logged throws(StoreError) in
                read.append(try FollowedTransaction(logged))
                return read.count < Self.pageCountMax
            }
        } catch {
            // A compaction has dropped what was being read: the next look begins with what is left.
            if case .log(.fileSystem(let problem)) = error, problem.isNotFound {
                backlog = nil
                log = nil
            } else {
                throw error.storeError
            }
        }
        take(read, &events)
        if last.rawValue >= end.rawValue || read.isEmpty { backlog = nil }
    }

    private func readNew(_ events: inout [FollowedEvent]) throws(StoreError) {
        guard let log else { return }
        var read: [FollowedTransaction] = []
        let outcome: LogFollower.Outcome
        do throws(ReplayFailure<StoreError>) {
            outcome = try log.poll(limit: Self.pageCountMax) { record throws(StoreError) in
                guard case .transaction(let logged) = record else { return }
                read.append(try FollowedTransaction(logged))
            }
        } catch {
            throw error.storeError
        }
        take(read, &events)
        switch outcome {
        case .upToDate, .more: break
        case .rewound(let sequence):
            self.log = nil
            last = TransactionID(sequence.rawValue)
            events.append(.rewound(to: last))
        case .gap: self.log = nil
        }
    }

    private func take(_ read: [FollowedTransaction], _ events: inout [FollowedEvent]) {
        events += read.map { .transaction($0) }
        if let newest = read.last { last = newest.id }
    }
}

extension ReplayFailure where Consumer == StoreError {
    fileprivate var storeError: StoreError {
        switch self {
        case .log(let error): .log(error)
        case .consumer(let error): error
        }
    }
}
