internal import Synchronization
internal import VarveEvents
public import VarveGraph
internal import VarveLog

/// A scratch copy of a store: edited like any context, and committed as one transaction, or dropped.
///
/// ```swift
/// let draft = store.draft("Edit contact")
/// try draft.edit { context in try contact.save(to: &context) }
/// try draft.commit()
/// ```
///
/// It begins with a snapshot. What others write meanwhile shows after ``rebase()``. A form, its rows and its live
/// results share one draft, so it is an object. Any thread may use it; edits run one after the other. The store and
/// its readers see nothing of a draft before it is committed, and a draft that is dropped leaves nothing.
public final class Draft: Sendable {
    /// Where a draft comes from, and what it commits to.
    enum Source: Sendable {
        case store(Store)
        case draft(Draft)
    }

    /// What the draft does, for people: the label of the transaction that commits it.
    public let label: String
    /// Who and what else the log says about that transaction.
    public let options: WriteOptions
    let source: Source
    /// The states that the draft shows.
    let published: PublishedState
    private let content: Lock<DraftContent>
    /// Held while the content is changed. Comes before the writer lock, and a child's before its parent's.
    private let editing = Lock(())
    /// The thread that holds `editing`; 0 for none.
    private let editor = Atomic<UInt>(0)

    init(
        _ content: DraftContent, of source: Source, _ label: String, _ options: WriteOptions
    ) {
        self.content = Lock(content)
        self.source = source
        self.label = label
        self.options = options
        published = PublishedState(SharedState(content.state))
    }

    // MARK: - Reading

    /// The draft as it is now, as a snapshot: later edits leave it as it is. O(1).
    public var context: Context { published.context }

    /// Whether committing would change anything.
    ///
    /// - Complexity: that of the entities that the draft touched.
    public var hasChanges: Bool {
        // What cannot be encoded differs from what was.
        (try? snapshot.hasChanges) ?? true
    }

    /// How the draft differs from what it began with.
    ///
    /// - Complexity: that of the entities that the draft touched.
    public var changes: StoreDiff {
        get throws {
            let content = snapshot
            do throws(CodecError) {
                return try content.changes
            } catch {
                throw content.unencodable(error)
            }
        }
    }

    /// The draft's content as it is now.
    var snapshot: DraftContent { content.withLock { $0 } }

    // MARK: - Editing

    /// Changes the draft: all of what the body does or, when it throws, nothing.
    ///
    /// Hooks, merge strategies, collision resolvers and delete rules run here, on the draft.
    ///
    /// - Parameter body: changes the context that it is given, and that alone.
    /// - Throws: whatever the body throws; ``DraftError/nestedEdit`` inside another edit of the draft.
    @discardableResult
    public func edit<Result>(_ body: (inout Context) throws -> Result) throws -> Result {
        var result: Result?
        try editState { result = try body(&$0.context) }
        guard let result else { preconditionFailure("a body that neither returned nor threw") }
        return result
    }

    func editState(_ body: (inout StoreState) throws -> Void) throws {
        try modify { content in
            try store.opener.waiting.check(content.state.context)
            let rows = try content.edit(at: store.opener.environment.wallClockMicroseconds(), body)
            // A number that no row has any more is logged by the commit.
            guard !rows.tables.isEmpty || content.state.context.session.hasGivenIDs else { return }
            self.content.withLock { $0 = content }
            show(content.state, rows)
        }
    }

    /// Drops all changes: the draft is what it began with.
    ///
    /// - Throws: ``DraftError/nestedEdit``.
    public func revert() throws {
        try modify { content in replace(by: content.reverted) }
    }

    /// A draft that begins with what this one shows, and is committed into it.
    public func draft(_ label: String = "") -> Draft {
        let content = snapshot
        return Draft(
            DraftContent(
                on: content.state, transaction: content.state.lastTransaction, sharesSlots: false),
            of: .draft(self), label, options)
    }

    // MARK: - Exchange

    /// The store that the draft, or the outermost of its parents, is of.
    var store: Store {
        switch source {
        case .store(let store): store
        case .draft(let parent): parent.store
        }
    }

    /// Lets one body at a time change the content.
    func modify(_ body: (inout DraftContent) throws -> Void) throws {
        // A write that waits here would hold the turn that a commit of this draft waits for.
        try store.writer?.checkCaller()
        let thread = SystemEnvironment.threadNumber
        guard editor.load(ordering: .relaxed) != thread else { throw DraftError.nestedEdit }
        try editing.withLock { _ in
            editor.store(thread, ordering: .relaxed)
            defer { editor.store(0, ordering: .relaxed) }
            var content = snapshot
            try body(&content)
        }
    }

    /// Makes another content the draft's. Slots may stand for other ids.
    func replace(by content: DraftContent) {
        self.content.withLock { $0 = content }
        published.replace(by: content.state)
    }

    /// Makes what the draft shows its base: it was committed.
    func didCommit(
        _ content: DraftContent, behind head: TransactionID, in transaction: TransactionID?
    ) {
        let committed = content.committed(behind: head, in: transaction)
        self.content.withLock { $0 = committed }
    }

    private func show(_ state: StoreState, _ rows: ChangedRows) {
        if published.watch.isWatched {
            published.watch.note(
                StateChange(
                    transactions: state.lastTransaction...state.lastTransaction,
                    context: state.context, rows: rows))
        }
        published.publish(SharedState(state))
    }
}

extension Store {
    /// A scratch copy of the newest state, which an app edits and commits as one transaction.
    ///
    /// A store that is only read gives drafts too; they cannot be committed.
    ///
    /// - Parameters:
    ///   - label: what the draft does, for people: "Edit contact".
    ///   - options: who and what else the log says about the transaction that commits it.
    /// - Complexity: that of ``context``, O(1).
    public func draft(_ label: String = "", options: WriteOptions = WriteOptions()) -> Draft {
        draft(on: published.current, label, options, sharesSlots: true)
    }

    /// A scratch copy of an earlier state: what came since shows after ``Draft/rebase()``.
    ///
    /// - Throws: as ``context(asOf:)``.
    /// - Complexity: that of ``context(asOf:)``.
    public func draft(
        _ label: String = "", asOf point: HistoryPoint, options: WriteOptions = WriteOptions()
    ) throws -> Draft {
        let current = published.current
        let state: StoreState = try readingHistory { history in
            try self.state(
                behind: try history.transaction(at: point, current), from: current, history)
        }
        return draft(on: state, label, options, sharesSlots: false)
    }

    private func draft(
        on state: StoreState, _ label: String, _ options: WriteOptions, sharesSlots: Bool
    ) -> Draft {
        Draft(
            DraftContent(
                on: state, transaction: state.lastTransaction, sharesSlots: sharesSlots),
            of: .store(self), label, options)
    }
}
