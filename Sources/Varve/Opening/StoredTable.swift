internal import Synchronization
internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// One table of a checkpoint that an opening does not read: loads leaves when they are read, and fills the table for
/// operations that need all rows or an index.
final class StoredTable: TableSource {
    /// One reference, which is counted for each part that is read.
    final class Content: Sendable {
        let value: TableContent
        let type: TypeNumber
        /// Of the state.
        let health: PageHealth?
        /// Made at the first read: openings read none.
        private let knownForm = AtomicLazyReference<RowForm>()

        init(_ value: TableContent) {
            self.value = value
            type = value.definition.number
            health = value.state.health
        }

        /// How the state's rows are read; nil where the log has no such type.
        var form: RowForm? {
            if let known = knownForm.load() { return known }
            return value.state.rowForm(of: type, as: value.definition)
                .map { knownForm.storeIfNil($0) }
        }
    }

    /// Of the opening: a transaction may have given the tables of its own context what others lack. Unchecked: nothing changes
    /// it once another thread has the source.
    nonisolated(unsafe) let kind: AnyTable

    /// What is read.
    private struct Source {
        var content: Content
        /// How often the state of the content was made again.
        var attempts = 0
        let rebuilt: RebuiltState
        var failure: StoreError?
    }

    /// Nil once the table is filled.
    private let source: Lock<Source?>
    /// The filled table, once something needed it. The lock is held while it is filled, so that other threads wait for it.
    private let whole: Lock<FilledTable>
    private let isFilled = Atomic(false)
    private let memory: StoreMemory
    /// Memory for the filled table; nil where it does not fit.
    let reservation: (any MemoryReservation)?
    private let slotBytes: Int
    /// How many entities and leaves were read one by one.
    private let readCount = Atomic(0)
    let slotCount: Int

    /// Whether entities and leaves may be looked up by the bytes of ids. Two ids of an app's own type may be equal with
    /// other bytes, and those of tombstones are read by what they were deleted as: the filled table finds both.
    let loadsLeaves: Bool
    /// Nil until one is looked for: openings look into none.
    private let indexes = Lock<StoredIndexes?>(nil)
    /// By number of the index.
    let distinctValues = Lock<[Int: DistinctValues]>([:])

    // Sendable unchecked: it is changed behind the lock, and read when it is filled.
    private struct FilledTable: @unchecked Sendable {
        var table: AnyTable?
    }

    /// - Parameter table: the table that is going to wait, empty.
    init(_ content: TableContent, _ rebuilt: RebuiltState, for table: AnyTable) {
        kind = table.makeEmpty()
        loadsLeaves = content.tombstones == nil && content.descriptor.readsEveryID
        slotCount = content.slotCount
        memory = rebuilt.memory
        slotBytes = rebuilt.bytesPerSlot
        reservation = memory.reserve(slots: slotCount, slotBytes: slotBytes)
        source = Lock(Source(content: Content(content), rebuilt: rebuilt))
        whole = Lock(FilledTable())
    }

    // MARK: - Filling

    func filled() -> AnyTable {
        switch tryToFill() {
        case .success(let filled): return filled
        case .failure(let error):
            fatalError(
                "the store cannot be read any further, and what reads a context cannot throw: \(error)"
            )
        }
    }

    func fillAhead() { _ = tryToFill() }

    var filledIfThere: AnyTable? {
        isFilled.load(ordering: .acquiring) ? whole.withLock { $0 }.table : nil
    }

    var isWorthFilling: Bool {
        mayFill && readCount.load(ordering: .relaxed) > 16 + slotCount / 8
    }

    var file: String? { source.withLock { $0?.content.value.state.checkpointFile } }

    var failure: (any Error)? { source.withLock { $0?.failure } }

    /// - Returns: the filled table, or why there is none.
    private func tryToFill() -> Result<AnyTable, StoreError> {
        let result: Result<FilledTable, StoreError> = whole.withLock { whole in
            if whole.table != nil { return .success(whole) }
            do throws(StoreError) {
                whole.table = try fill()
            } catch {
                source.withLock { $0?.failure = error }
                source.withLock { $0?.rebuilt }?.noteFailure()
                return .failure(error)
            }
            whole.table?.memoryReservation =
                reservation ?? memory.exceed(bySlots: slotCount, slotBytes: slotBytes)
            isFilled.store(true, ordering: .releasing)
            // The last reference to the state may go here, behind the lock that guards its copy.
            let former = source.withLock { source in
                defer { source = nil }
                return source
            }
            withExtendedLifetime(former) {}
            return .success(whole)
        }
        return result.map {
            guard let table = $0.table else { preconditionFailure("a filled table is missing") }
            return table
        }
    }

    private func fill() throws(StoreError) -> AnyTable {
        guard var source = source.withLock({ $0 }) else {
            preconditionFailure("a table is filled once")
        }
        while true {
            let table = kind.makeEmpty()
            do throws(StoreError) {
                try source.content.value.fill(table)
                return table
            } catch {
                var content = source.content.value
                content.state = try source.rebuilt.state(behind: source.attempts, after: error)
                source.content = Content(content)
                source.attempts += 1
                let next = source
                self.source.withLock { $0 = next }
            }
        }
    }

    // MARK: - Reading a part

    /// The content to read from. Evicts pages first if their generation is full.
    func currentContent() -> Content? {
        guard let content = source.withLock({ $0?.content }) else { return nil }
        guard content.value.state.isFull else { return content }
        // Leaves may have been evicted since.
        memory.rebalance()
        guard content.value.state.isFull else { return content }
        source.withLock { $0?.rebuilt }?.evictPages()
        return source.withLock { $0?.content }
    }

    /// Replaces the state by one with other pages. Returns the former content, or nil if the table is filled.
    func use(_ state: State, attempts: Int) -> Content? {
        source.withLock { source in
            guard let former = source?.content else { return nil }
            var content = former.value
            content.state = state
            // A state of other files may lack indexes.
            if source?.attempts != attempts { indexes.withLock { $0 = nil } }
            source?.content = Content(content)
            source?.attempts = attempts
            return former
        }
    }

    /// Calls `body` with the content, and again after damage that other files can mend, unless the table may be filled.
    /// Returns nil after damage, and for a filled table: the caller reads the filled table then.
    ///
    /// - Parameters:
    ///   - tryingAgain: false if `body` must not be called twice.
    ///   - isCounted: whether it counts among the reads behind which filling the table costs no more.
    func reading<Value, Failure: Error>(
        tryingAgain: Bool = true, isCounted: Bool = true, _ body: (Content) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        while true {
            guard let content = currentContent() else { return nil }
            if isCounted { readCount.add(1, ordering: .relaxed) }
            let meetings = content.health?.meetingCount
            let result = Result { () throws(Failure) in try body(content) }
            // After damage an error only says that zeros are no row.
            guard let meetings, content.health?.meetingCount != meetings,
                let damage = content.value.state.damage(since: meetings)
            else { return try result.get() }
            guard !mayFill, replacePages(of: content, after: damage), tryingAgain else {
                return nil
            }
        }
    }

    /// Rebuilds the state from other files. False where there are none: filling the table reports that.
    private func replacePages(of content: Content, after damage: LogError) -> Bool {
        guard
            let (newest, attempts, rebuilt) = source.withLock({
                $0.map { ($0.content, $0.attempts, $0.rebuilt) }
            })
        else { return false }
        // Another thread was faster.
        if newest !== content { return true }
        guard (try? rebuilt.state(behind: attempts, after: .log(damage))) != nil else {
            return false
        }
        rebuilt.publishState()
        return true
    }

    func read(
        id: UnsafeRawBufferPointer, _ body: (LoadedEntity) throws(CodecError) -> Void
    ) throws(CodecError) -> StoredPresence {
        // A table that is read so often is filled: its rows are found without the state then.
        guard loadsLeaves, !isWorthFilling else { return .unknown }
        return try reading { content throws(CodecError) in
            guard let form = content.form else { return .absent }
            return try content.value.read(id: id, in: form, body)
        } ?? .unknown
    }

    func slot(ofID id: UnsafeRawBufferPointer) -> StoredSlot {
        guard loadsLeaves else { return .unknown }
        return reading { content -> StoredSlot in
            let slot = content.value.state.slot(of: content.type, id: id)
            return slot.map { .known($0.rawValue) } ?? .absent
        } ?? .unknown
    }

    func writeID(ofSlot slot: UInt32, into writer: inout ByteWriter) -> Bool {
        guard loadsLeaves else { return false }
        let count = writer.count
        // Not counted: the leaf stays unread, so one id might count again and again.
        let isWritten = reading(tryingAgain: false, isCounted: false) { content in
            guard
                let entry = content.value.state.entry(of: content.type, at: VarveTables.Slot(slot))
            else { return false }
            writer.write(entry.id)
            return true
        }
        // Damage was met, or the table was filled meanwhile.
        if isWritten != true { writer.truncate(to: count) }
        return isWritten == true
    }

    func storedFields(ofIndex index: Int) -> [StoredIndexField]? {
        storedIndex(index)?.fields
    }

    /// Nil for an index that is not stored, and for a filled table.
    func storedIndex(_ index: Int) -> StoredIndexes.Entry? {
        if let known = indexes.withLock({ $0 }) { return known.entries[index] }
        guard let content = source.withLock({ $0?.content })?.value else { return nil }
        let found = StoredIndexes(of: content.descriptor, as: content.definition)
            .stored(in: content.state, of: content.definition.number)
        indexes.withLock { $0 = found }
        return found.entries[index]
    }

    func forEachSlot(
        ofIndex index: Int, in bounds: FieldBounds, isReversed: Bool,
        while body: (_ slot: UInt32, _ isNewKey: Bool) -> Bool
    ) -> Bool {
        guard let declaration = storedIndex(index)?.declaration else { return false }
        let isThere = try? reading(tryingAgain: false) { content throws(CodecError) in
            try content.value.state.forEachSlot(
                of: content.type, by: declaration, in: bounds, isReversed: isReversed
            ) { body($0.rawValue, $1) }
        }
        return isThere ?? false
    }

    /// Makes a table, which is empty and not shared yet, a stored table of this source.
    func wait(_ table: AnyTable) {
        table.wait(for: self)
        source.withLock { $0?.rebuilt }?.add(self)
        guard loadsLeaves, let content = source.withLock({ $0?.content.value }) else { return }
        let (state, type) = (content.state, content.definition.number)
        let counts = state.counts(of: type)
        table.load(
            AnyTable.StoredRows(
                slotCount: counts.slots, liveCount: counts.live,
                nextOrdinal: state.nextOrdinal(of: type).rawValue,
                isInSlotOrder: state.isInSlotOrder(type),
                size: LeafSize(memory.leaves, bytes: slotBytes * AnyTable.leafWidth),
                rows: { self.leaves($0).rows }, vacantIDs: { self.leaves($0).vacantIDs }))
        for (index, number) in content.relations {
            table.loadLinks(relation: index, countedIn: memory.leaves) { slots in
                self.lists(of: index, number, slots)
            }
        }
    }

    private func leaves(_ number: Int) -> TableLeaves {
        let read = try? reading { content throws(CodecError) -> TableLeaves? in
            guard let form = content.form else { return nil }
            return try content.value.leaves(number, of: kind, in: form)
        }
        if let read = read ?? nil { return read }
        let filled = filled()
        return TableLeaves(rows: filled.rowLeaf(number), vacantIDs: filled.vacantIDLeaf(number))
    }

    private func lists(
        of index: Int, _ relation: RelationNumber, _ slots: Range<UInt32>
    ) -> [(slot: UInt32, children: [UInt32])] {
        if let read = reading({ $0.value.lists(of: relation, slots) }) { return read }
        let filled = filled()
        return slots.compactMap { slot in
            let children = filled.linkList(relation: index, of: slot).slots
            return children.isEmpty ? nil : (slot, Array(children))
        }
    }
}
