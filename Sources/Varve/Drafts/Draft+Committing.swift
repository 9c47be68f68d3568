public import VarveEvents
internal import VarveGraph
internal import VarveLog

extension Draft {
    // MARK: - Committing

    /// Writes all changes as one transaction of the store, which can be undone; of a draft's child, into its parent.
    ///
    /// Only what the draft changed is written: what others wrote beside it stays. Nothing that the draft shows
    /// changes; from here on it differs from what was committed.
    ///
    /// - Returns: the transaction; nil where nothing was to be written, and of a child.
    /// - Throws: ``DraftError/conflicts(_:)`` with all conflicts, and then nothing was done;
    ///   ``ContextError/deleteDenied(type:id:relation:children:)`` where others linked something to an entity that
    ///   the draft deleted; ``StoreError/unencodable(type:id:_:)`` for a value that cannot be stored;
    ///   ``StoreError/readOnly`` and what ``Store/write(_:options:_:)`` throws.
    /// - Complexity: that of the changes, whatever the size of the store. Where others wrote an entity that the draft
    ///   changed, as well a pass over what was logged since the base.
    @discardableResult
    public func commit() throws -> TransactionID? {
        guard case .store(let store) = source else {
            try commitToParent()
            return nil
        }
        let options = try options.joined(to: StepGroup.current, of: store)
        return try store.finish(try append(to: try store.writing(), options) { false })
    }

    /// Commits on the store's own thread, and waits for the disk on none. See ``commit()``.
    ///
    /// Cancelled before the transaction is appended, it throws `CancellationError` and nothing has happened.
    @discardableResult
    public func commit() async throws -> TransactionID? {
        guard case .store(let store) = source else {
            try commitToParent()
            return nil
        }
        let options = try options.joined(to: StepGroup.current, of: store)
        return try await store.onOwnThread { writer, isCancelled in
            try self.append(to: writer, options, isCancelled)
        }
    }

    private func append(
        to writer: Writer, _ options: WriteOptions, _ isCancelled: () -> Bool
    ) throws -> Writer.Written<TransactionID?> {
        var receipt: Writer.Receipt?
        try modify { content in
            let written = try writer.commit(options.durability, isCancelled: isCancelled) { core in
                writer.header(label, options, core)
            } body: { state, turn in
                let head = state.lastTransaction
                try Self.apply(
                    content, to: &state, turn.unpinnedHistory(state), keeping: Self.noChoice)
                return head
            }
            didCommit(content, behind: written.result, in: written.receipt.appended)
            receipt = written.receipt
        }
        guard let receipt else { preconditionFailure("a commit that neither returned nor threw") }
        return Writer.Written(result: receipt.appended, receipt: receipt)
    }

    private func commitToParent() throws {
        guard case .draft(let parent) = source else { return }
        try modify { content in
            try parent.editState { state in
                try Self.apply(content, to: &state, nil, keeping: Self.noChoice)
            }
            didCommit(content, behind: content.baseTransaction, in: nil)
        }
    }

    // MARK: - Rebasing

    /// What a commit would meet now: everything that the draft and others have both changed.
    ///
    /// - Complexity: that of the changes.
    public func conflicts() throws -> [DraftConflict] {
        do {
            _ = try rebased(snapshot, keeping: Self.noChoice)
            return []
        } catch DraftError.conflicts(let conflicts) {
            return conflicts
        }
    }

    /// Takes in what others have committed: the draft shows the newest state, with its own changes on top.
    ///
    /// - Throws: ``DraftError/conflicts(_:)`` with all conflicts; then the draft is as it was.
    /// - Complexity: that of the changes.
    public func rebase() throws { try rebase(choosing: Self.noChoice) }

    /// Takes in what others have committed, with one choice for all conflicts.
    ///
    /// - Throws: ``DraftError/conflicts(_:)`` where a conflict remains that no choice resolves.
    public func rebase(_ choice: DraftChoice) throws { try rebase { _ in choice } }

    /// Takes in what others have committed, with a choice for each conflict.
    ///
    /// - Parameter choosing: which side to keep; nil leaves the conflict. It may be called twice for a conflict, and
    ///   must not use the draft.
    /// - Throws: ``DraftError/conflicts(_:)`` with all conflicts without a choice, and those that are final; what the
    ///   closure throws. Then the draft is as it was.
    public func rebase(choosing: (DraftConflict) throws -> DraftChoice?) throws {
        try modify { content in
            replace(by: try rebased(content, keeping: choosing))
        }
    }

    private static func noChoice(_ conflict: DraftConflict) -> DraftChoice? { nil }

    private func rebased(
        _ content: DraftContent, keeping choosing: (DraftConflict) throws -> DraftChoice?
    ) throws -> DraftContent {
        let time = store.opener.environment.wallClockMicroseconds()
        switch source {
        case .store(let store):
            // A commit of this draft is shown when it is synced: without it the draft's own entities look deleted.
            if store.published.lastTransaction < content.newestTransaction {
                try store.writer?.flush()
            }
            var rebased = DraftContent(published: store.published.current)
            try store.readingHistory { history in
                var next = rebased
                _ = try next.edit(at: time) { state in
                    try Self.apply(content, to: &state, history, keeping: choosing)
                }
                rebased = next
            }
            return rebased
        case .draft(let parent):
            var rebased = DraftContent(
                on: parent.snapshot.state, transaction: content.baseTransaction, sharesSlots: false)
            _ = try rebased.edit(at: time) { state in
                try Self.apply(content, to: &state, nil, keeping: choosing)
            }
            return rebased
        }
    }

    // MARK: - Merging

    /// Does to a state what a draft changed, in the running transaction. Throws ``DraftError/conflicts(_:)`` where
    /// conflicts remain.
    ///
    /// - Parameter history: the log that led to the state; nil where the values alone decide.
    private static func apply(
        _ content: DraftContent, to state: inout StoreState, _ history: LogHistory?,
        keeping choosing: (DraftConflict) throws -> DraftChoice?
    ) throws {
        do {
            try withoutActuallyEscaping(choosing) { choosing in
                try merge(content, into: &state, history, choosing: choosing)
            }
        } catch let error as CodecError {
            throw content.unencodable(error)
        }
    }

    private static func merge(
        _ content: DraftContent, into state: inout StoreState, _ history: LogHistory?,
        choosing: @escaping (DraftConflict) throws -> DraftChoice?
    ) throws {
        let newest = TransactionID(state.context.session.transaction - 1)
        var merge = try DraftMerge(content, into: &state, written: [], choosing: choosing)
        if let history, !merge.asked.isEmpty {
            let written = try written(
                merge.asked, since: content, through: newest, state.catalog, history)
            if !written.isEmpty {
                merge = try DraftMerge(content, into: &state, written: written, choosing: choosing)
            }
        }
        var application = DraftApplication(merge.plan)
        do {
            try application.run(on: &state)
        } catch  where !merge.conflicts.isEmpty {
            throw DraftError.conflicts(merge.conflicts)
        }
        let conflicts = try merge.conflicts + application.uniqueConflicts(in: state, content)
        guard conflicts.isEmpty else { throw DraftError.conflicts(conflicts) }
    }

    /// The items that others wrote since the base. What the log does not hold any more is decided by values.
    private static func written(
        _ items: Set<WrittenSince.Item>, since content: DraftContent,
        through newest: TransactionID, _ catalog: Catalog, _ history: LogHistory
    ) throws -> Set<WrittenSince.Item> {
        let oldest = TransactionID(content.baseTransaction.rawValue + 1)
        guard oldest <= newest, oldest >= history.floor else { return [] }
        do {
            return try WrittenSince.items(among: items, except: content.commits, catalog) { body in
                try history.another().forEach(from: oldest) { view in
                    guard view.id <= newest else { return false }
                    try body(view)
                    return true
                }
            }
        } catch StoreError.belowFloor {
            return []
        }
    }
}
