public import VarveGraph

/// The results of a query in sections, now and after every transaction that makes a difference; see
/// ``Store/results(of:sectionedBy:)``.
public struct SectionedResults<Entity: EntityModelProtocol, Key: Comparable & Sendable>:
    AsyncSequence, Sendable
{
    /// The sections, and how they differ from those before.
    public typealias Element = SectionedUpdate<Entity, Key>

    private let results: LiveResults<Entity>
    private let key: SendableKeyPath<Entity, Key>

    init(_ results: LiveResults<Entity>, _ key: KeyPath<Entity, Key>) {
        self.results = results
        self.key = SendableKeyPath(key)
    }

    /// Begins with the results of now. Each iterator follows the store by itself.
    public func makeAsyncIterator() -> Iterator {
        Iterator(results: results.makeAsyncIterator(), key: key)
    }

    /// Sections that are being followed.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var results: LiveResults<Entity>.Iterator
        fileprivate let key: SendableKeyPath<Entity, Key>
        private var keys: [Key] = []

        fileprivate init(
            results: LiveResults<Entity>.Iterator, key: SendableKeyPath<Entity, Key>
        ) {
            self.results = results
            self.key = key
        }

        /// Returns the next sections that differ, and waits until there are some.
        ///
        /// - Returns: nil when the task is cancelled or the store is closed.
        public mutating func next() async -> SectionedUpdate<Entity, Key>? {
            guard let update = await results.next() else { return nil }
            let sections = ResultSections(update.list, key.raw)
            defer { keys = sections.keys }
            return SectionedUpdate(sections: sections, update: update, former: keys)
        }
    }
}

/// The sections behind a transaction, and how they differ from those before.
public struct SectionedUpdate<Entity: EntityModelProtocol, Key: Comparable & Sendable>: Sendable {
    /// The sections behind the transaction.
    public let sections: ResultSections<Entity, Key>
    /// What turns the whole list before into this one; ``ResultSections/place(of:)`` says where a new
    /// position lies.
    public let update: ResultUpdate<Entity>
    /// Sections that are gone, by their old positions.
    public let deletedSections: [Int]
    /// Sections that have come, by their new positions.
    public let insertedSections: [Int]

    fileprivate init(
        sections: ResultSections<Entity, Key>, update: ResultUpdate<Entity>, former: [Key]
    ) {
        self.sections = sections
        self.update = update
        var deleted: [Int] = []
        var inserted: [Int] = []
        var (old, new) = (0, 0)
        while old < former.count || new < sections.keys.count {
            if new == sections.keys.count
                || old < former.count && former[old] < sections.keys[new]
            {
                deleted.append(old)
                old += 1
            } else if old == former.count || sections.keys[new] < former[old] {
                inserted.append(new)
                new += 1
            } else {
                old += 1
                new += 1
            }
        }
        deletedSections = deleted
        insertedSections = inserted
    }
}
