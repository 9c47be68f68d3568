internal import Foundation
internal import VarveEvents

/// The durable transactions of a store, those that are there and those that come; see
/// ``Store/changes(after:lookingEvery:)``.
public struct StoreChanges: AsyncSequence, Sendable {
    /// A transaction, or a break in the sequence of transactions.
    public typealias Element = StoreChangeEvent

    let store: Store
    let token: ChangeToken?
    let interval: Duration

    /// Begins a feed behind the token. Each iterator reads the log by itself.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// A feed that is being read.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: ChangeReader
        private let bell: ChangeBell?
        private var rings: AsyncStream<Void>.Iterator?
        private let interval: Duration
        private var ready: [StoreChangeEvent] = []

        init(_ changes: StoreChanges) {
            interval = changes.interval
            // Before the first look: what comes after it rings.
            bell = changes.store.writer == nil ? nil : ChangeBell(changes.store)
            rings = bell?.stream.makeAsyncIterator()
            reader = ChangeReader(changes.store, after: changes.token)
        }

        /// Returns the next event, and waits for one where there is none yet.
        ///
        /// - Returns: nil when the task is cancelled or the store is closed.
        /// - Throws: ``StoreError`` where the log cannot be read, or where the token belongs to another store.
        public mutating func next() async throws -> StoreChangeEvent? {
            while ready.isEmpty {
                if Task.isCancelled { return nil }
                guard let found = try await reader.look() else { return nil }
                ready = found.reversed()
                if ready.isEmpty, await !wait() { return nil }
            }
            return ready.popLast()
        }

        /// Until it is worth to look again. False when the task is cancelled.
        private mutating func wait() async -> Bool {
            if rings != nil { return await rings?.next() != nil }
            do {
                try await Task.sleep(for: interval)
                return true
            } catch {
                return false
            }
        }
    }
}

/// A bell as long as somebody listens.
final class ChangeBell: Sendable {
    let stream: AsyncStream<Void>
    private let number: UInt64
    private let store: Store

    init(_ store: Store) {
        self.store = store
        (stream, number) = store.published.watch.bell()
    }

    deinit { store.published.watch.endBell(number) }
}

extension Store {
    /// The durable transactions of the store behind a token, oldest first, with old and new values:
    /// those that are there and those that come.
    ///
    /// ```swift
    /// for try await event in store.changes(after: token) {
    ///     if case .transaction(let change) = event {
    ///         for change in try change.changes(of: User.self) { … }
    ///     }
    ///     token = event.token   // kept together with what was made of the change
    /// }
    /// ```
    ///
    /// The feed reads the log at the consumer's pace: a slow one misses nothing and takes no memory. What
    /// it has not told yet is kept by compactions, as long as the sequence is iterated; a feed of a store
    /// that is only read has no such hold on its writer's log, and may find a gap. It ends when its task
    /// is cancelled, or the store is closed. A store that is only read looks for news every `interval`.
    ///
    /// - Parameters:
    ///   - token: how far the consumer has come; nil to begin with the oldest transaction that is kept, or, where
    ///     those before it are not, with a gap and the state.
    ///   - interval: how often a store that is only read looks for news.
    /// - Throws: while iterating, ``StoreError/foreignToken(store:found:)`` for a token of another store;
    ///   ``StoreError/log(_:)``.
    public func changes(
        after token: ChangeToken? = nil, lookingEvery interval: Duration = .milliseconds(100)
    ) -> StoreChanges {
        StoreChanges(store: self, token: token, interval: interval)
    }

    /// A token of the newest durable transaction: behind it come the changes of now on.
    public func changeToken() throws -> ChangeToken {
        // Before the look: what it names is there as long as the pin lives.
        let pin = writer?.figures.withLock { $0.pins }.pinFloor()
        defer { withExtendedLifetime(pin) {} }
        guard writer == nil else {
            return try newestToken(of: ChangeLog(try writing().logSnapshot(), floor: floor))
        }
        return try opener.lookingAgain {
            try newestToken(of: ChangeLog(try opener.look().snapshot, floor: floor))
        }
    }

    private func newestToken(of log: ChangeLog) throws -> ChangeToken {
        try log.token(min(durableForFeeds, log.newest))
    }
}
