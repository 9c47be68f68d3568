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
        private var iteration: ResultIteration<LiveSections<Entity, Key>>

        /// - Parameter sections: what was found already in the state that the watcher saw first.
        init(
            _ watching: Watching, _ live: LiveSections<Entity, Key>,
            sections: ResultSections<Entity, Key>? = nil
        ) {
            iteration = ResultIteration(watching, live, results: sections)
        }

        /// Returns the next sections that differ, and waits until there are some.
        ///
        /// - Returns: nil when the task is cancelled or the store is closed.
        public mutating func next() async -> SectionedUpdate<Entity, Key>? {
            await iteration.next()
        }

        /// What is new by now, without waiting for it.
        mutating func poll() -> SectionedUpdate<Entity, Key>? { iteration.poll() }
    }
}

extension LiveSections: FollowedResults {
    func results(in context: Context) -> Sections { sections(in: context) }

    func update(of first: Sections, _ transaction: TransactionID) -> SectionedUpdate<Entity, Key> {
        SectionedUpdate(
            sections: first, changes: SectionChanges(allInserted: first.count),
            transaction: transaction)
    }

    func advance(
        _ old: Sections, to change: StateChange
    ) -> (results: Sections, update: SectionedUpdate<Entity, Key>?) {
        let (sections, changes) = advance(old, to: change.context, change.rows)
        guard !changes.isEmpty else { return (sections, nil) }
        let transaction = change.transactions.upperBound
        return (
            sections,
            SectionedUpdate(sections: sections, changes: changes, transaction: transaction)
        )
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
