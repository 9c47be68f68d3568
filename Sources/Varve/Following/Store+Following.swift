internal import Foundation
public import VarveEvents
internal import VarveLog

extension Store {
    /// Shows what other processes have written since: at least everything that the writer's
    /// ``flush()`` promised before this call.
    ///
    /// Beside a live writer a reader sees what is promised to be safe from a power cut, where
    /// no process has the store open for writing every whole transaction. A store that is open for
    /// writing is up to date by itself.
    ///
    /// - Complexity: where nothing is new, a look at the newest segment's end. Otherwise each new
    ///   transaction is read once, and the context is made anew from encoded rows that are kept:
    ///   linear in the number of entities of the types that are read then. The first refresh that
    ///   finds something reads the whole log once more to have these rows, which double the
    ///   memory of the store.
    @discardableResult
    public func refresh() throws -> StoreRefresh {
        guard let follower else {
            return StoreRefresh(
                course: .unchanged, lastTransaction: lastTransaction,
                promisedTransaction: durableTransaction)
        }
        return try follower.withLock { held in
            let (news, promised) = try held.follower.refresh(shown: published.lastTransaction)
            held.promised = promised
            // Before anything else can fail: the follower tells its news once.
            if let news {
                published.replace(by: news.state)
                held.untold = held.untold.followed(by: news.course)
            }
            let floor = try held.follower.readFloor()
            readersFloor.withLock { $0 = max($0, floor) }
            defer { held.untold = .unchanged }
            return StoreRefresh(
                course: held.untold, lastTransaction: published.lastTransaction,
                promisedTransaction: promised)
        }
    }

    /// The transactions behind `last`, those that are there and those that come, as they are
    /// written by whatever process. ``context`` of a store that is only read shows each before it
    /// is delivered.
    ///
    /// The sequence ends when its task is cancelled. It looks for news every `interval`, and reads
    /// on no thread of the cooperative pool.
    ///
    /// - Parameters:
    ///   - last: the newest transaction that the caller knows; nil for what ``context`` shows now.
    ///   - interval: how often the sequence looks for news.
    public func transactions(
        after last: TransactionID? = nil, lookingEvery interval: Duration = .milliseconds(100)
    ) -> FollowedTransactions {
        FollowedTransactions(store: self, last: last ?? lastTransaction, interval: interval)
    }
}

/// The follower of a store, reached under a lock.
///
/// Unchecked: nothing of it is reached in any other way.
struct HeldFollower: @unchecked Sendable {
    let follower: StoreFollower
    var promised: TransactionID
    /// What is shown and the caller was not told of, because an error ended the refresh.
    var untold = StoreRefresh.Course.unchanged
}
