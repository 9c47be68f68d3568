public import VarveEvents
public import VarveGraph

/// The results of a query in sections, now and after every transaction that makes a difference; see
/// ``Store/results(of:sectionedBy:)``.
///
/// The elements come as those of ``LiveResults`` do. A transaction that changes no row of the query but the keys of
/// sections, as of a related entity, makes a difference, too.
public struct SectionedResults<Entity: EntityModelProtocol, Key: Sendable>: AsyncSequence, Sendable
{
    /// The sections, and how they differ from those before.
    public typealias Element = SectionedUpdate<Entity, Key>

    let source: StateSource
    let sections: LiveSections<Entity, Key>

    /// Begins with the results of now. Each iterator follows the store by itself.
    public func makeAsyncIterator() -> Iterator { Iterator(Watching(source), sections) }

    /// Sections that are being followed.
    public struct Iterator: AsyncIteratorProtocol {
        private let live: LiveSections<Entity, Key>
        private let watching: Watching
        private var arrivals: WatcherArrivals
        private var sections: ResultSections<Entity, Key>?

        /// - Parameter sections: what was found already in the state that the watcher saw first.
        init(
            _ watching: Watching, _ live: LiveSections<Entity, Key>,
            sections: ResultSections<Entity, Key>? = nil
        ) {
            self.live = live
            self.watching = watching
            self.sections = sections
            arrivals = WatcherArrivals(watching.watcher)
        }

        /// Returns the next sections that differ, and waits until there are some.
        ///
        /// - Returns: nil when the task is cancelled or the store is closed.
        public mutating func next() async -> SectionedUpdate<Entity, Key>? {
            while !Task.isCancelled {
                if let update = poll() { return update }
                guard await arrivals.wait() else { return nil }
            }
            return nil
        }

        /// What is new by now, without waiting for it.
        mutating func poll() -> SectionedUpdate<Entity, Key>? {
            guard var current = sections else { return begin() }
            while let change = watching.watcher.pop() {
                let (new, difference) = live.advance(current, to: change.context, change.rows)
                current = new
                sections = new
                guard !difference.isEmpty else { continue }
                return SectionedUpdate(
                    sections: new, changes: difference, transaction: change.transactions.upperBound)
            }
            return nil
        }

        private mutating func begin() -> SectionedUpdate<Entity, Key> {
            let first = live.sections(in: watching.shown.context)
            sections = first
            return SectionedUpdate(
                sections: first, changes: SectionChanges(allInserted: first.count),
                transaction: watching.shown.lastTransaction)
        }
    }
}

/// The sections behind a transaction, and how they differ from those before.
public struct SectionedUpdate<Entity: EntityModelProtocol, Key: Sendable>: Sendable {
    /// The sections behind the transaction.
    public let sections: ResultSections<Entity, Key>
    /// What turns the sections before into these.
    public let changes: SectionChanges
    /// The newest transaction that the sections show.
    public let transaction: TransactionID
}
