public import Foundation
internal import VarveAssets
internal import VarveEvents
public import VarveGraph
public import VarveLog
package import VarveReplay

/// A graph of entities that lives on disk.
///
/// Every write is a transaction: it is appended to the store's log whole or not at all, and
/// opening the store replays the log. Reads take ``context``, a snapshot that nothing disturbs
/// and that any thread may use; writes are serialised. What has been read stays in memory within its ``MemoryBudget``;
/// see ``Loading``.
///
/// ```swift
/// let store = try Store(at: url, Chat.self)
/// try store.write("Rename chat") { context in try chat.save(to: &context) }
/// let chats = Chat.query().with(\.$users).resolve(in: store.context)
/// ```
public final class Store: Sendable {
    /// What may be done with a store.
    public enum Mode: Sendable {
        /// Reads and writes. One process at a time can have a store open so.
        case readWrite
        /// Reads what is there, takes no lock and changes nothing. Any number of processes can.
        case readOnly
    }

    /// When the entities of a large store are made of what its files hold.
    ///
    /// An entity that is found by its id or by an index of the checkpoint, changed, or reached by links is made by itself, with
    /// its neighbours. All of a type are made for a query over all, or of which no such index names few.
    ///
    /// An opening makes all entities of a store with few, and those of types that may refuse a stored value: raw values, JSON,
    /// types of the app's own. Behind a compaction by the same build of the program it makes none of those either,
    /// where their ids are of standard types. What such types make of stored bytes must depend on the bytes alone, and must not use
    /// the store: a value that can no longer be read ends the program then.
    public enum Loading: Sendable {
        /// All, beside whatever the app does, from the opening on; those of a type that a query needs meanwhile at once.
        case ahead
        /// All of a type when a query first needs them: for programs that run shortly, or read little of what is stored.
        case whenRead
    }

    /// What opening the store found at the end of its log and, in a writable store, mended.
    public let recovery: RecoveryReport
    /// What opening the store found beside the entities that it shows.
    public let opening: OpeningReport
    /// Whether the store was opened for writing.
    public let mode: Mode

    /// The state that readers see. Replaced as a whole by each write.
    let published: PublishedState
    /// Nil in a store that is only read.
    let writer: Writer?
    /// Nil in a store that can be written.
    let follower: Lock<HeldFollower>?
    let opener: StoreOpening
    /// Nil in a store that is only read.
    let compactor: Compactor?
    /// Nil in a store that is only read.
    let fileChecker: FileChecker?
    /// The oldest transaction that could be asked for when the log was looked at last: what a store
    /// knows that is only read.
    let readersFloor: Lock<TransactionID>
    /// The checkpoint that the opening started from.
    let openingCheckpoint: CheckpointSize?
    private let temporaryDirectory: TemporaryDirectory?
    /// Nil where nothing is filled ahead.
    let tablesAhead: TablesAhead?
    /// Nil where the opening has compared all of the checkpoint with its checksums.
    let checkpointLook: CheckpointLook?

    // MARK: - Opening

    /// Opens the store in a directory, creating it where there is nothing yet.
    ///
    /// - Parameters:
    ///   - url: the store's directory; ``defaultLocation(named:of:)`` is a place for it.
    ///   - createsParents: whether the directories above it are made where they are missing. Otherwise its parent must
    ///     exist.
    ///   - mode: whether the store can be written.
    ///   - durability: what a write waits for.
    ///   - retention: how much history compactions keep.
    ///   - compactsAutomatically: whether the log is compacted, beside writing, when it is as
    ///     large as the newest checkpoint or takes long to replay; otherwise only ``compact(retaining:for:progress:)`` does.
    ///   - loading: when the entities of a large store are made of what its files hold.
    ///   - memory: how much memory the store may use for its entities.
    ///   - migrations: changes of stored data that go with changes of the types. Those that the store has not
    ///     behind it are performed, all in one transaction. A store that is only read must not need any.
    ///   - migrating: where the store is copied to before it is migrated, and what receives the progress.
    ///   - log: receives what the store has to say about its work.
    ///   - progress: receives how far the opening is, on the opening thread.
    ///   - types: the entity types; those that relations lead to come along by themselves.
    /// - Throws: ``StoreError`` when the store is held by another process, damaged, written by a
    ///   newer version, or at odds with the types.
    /// - Complexity: linear in the length of the log behind the newest checkpoint. Of a large one the root is read, and the
    ///   rest compared with its checksums behind the opening; ``health`` says what that finds. Entities are made
    ///   afterwards where ``Loading`` says so, else here. Without a checkpoint, linear in the length of the whole log.
    public convenience init(
        at url: URL, createsParents: Bool = false, mode: Mode = .readWrite,
        durability: Durability = .commit, retention: Retention = .standard,
        compactsAutomatically: Bool = true, loading: Loading = .ahead,
        memory: MemoryBudget = .standard, migrations: [Migration] = [],
        migrating: MigrationOptions = MigrationOptions(), log: StoreLog? = nil,
        progress: (@Sendable (OpeningProgress) -> Void)? = nil,
        _ types: any EntityModelProtocol.Type...
    ) throws {
        try self.init(
            at: url, createsParents: createsParents, mode: mode, durability: durability,
            retention: retention, compactsAutomatically: compactsAutomatically, loading: loading,
            memory: memory, migrations: migrations, migrating: migrating, log: log,
            progress: progress, types: types)
    }

    /// Opens the store in a directory, with the types in an array.
    public convenience init(
        at url: URL, createsParents: Bool = false, mode: Mode = .readWrite,
        durability: Durability = .commit, retention: Retention = .standard,
        compactsAutomatically: Bool = true, loading: Loading = .ahead,
        memory: MemoryBudget = .standard, migrations: [Migration] = [],
        migrating: MigrationOptions = MigrationOptions(), log: StoreLog? = nil,
        progress: (@Sendable (OpeningProgress) -> Void)? = nil,
        types: [any EntityModelProtocol.Type]
    ) throws {
        if createsParents, mode == .readWrite { try Store.createParents(of: url) }
        try self.init(
            in: POSIXFileSystem(url.path), mode: mode, durability: durability,
            retention: retention, compactsAutomatically: compactsAutomatically, loading: loading,
            memory: memory, migrations: migrations, migrating: migrating, log: log,
            progress: progress, types: types)
    }

    package init(
        in fileSystem: any FileSystem, environment: any LogEnvironment = SystemEnvironment(),
        configuration: LogConfiguration = LogConfiguration(), mode: Mode,
        durability: Durability, retention: Retention = .standard,
        compactsAutomatically: Bool = true, loading: Loading = .ahead,
        memory: MemoryBudget = .standard, migrations: [Migration] = [],
        migrating: MigrationOptions = MigrationOptions(), log: StoreLog? = nil,
        progress: (@Sendable (OpeningProgress) -> Void)? = nil,
        types: [any EntityModelProtocol.Type], temporaryDirectory: TemporaryDirectory? = nil,
        waitingSlotsMin: Int = Hydration.waitingSlotsMin,
        comparedImageMax: ByteCount = CheckpointFile.smallImageBytes,
        build: BuildIdentity? = .ofProcess
    ) throws {
        let opening = StoreOpening(
            fileSystem: fileSystem, environment: environment, configuration: configuration,
            types: types, assets: AssetFolder(of: fileSystem, environment: environment),
            migrations: migrations, migrating: migrating, log: log, progress: progress,
            waitingSlotsMin: waitingSlotsMin, comparedImageMax: comparedImageMax, build: build,
            memory: StoreMemory(memory, spillingTo: fileSystem))
        let opened = try opening.open(mode)
        let opener = opening.withoutProgress
        let shown = SharedState(opened.state)
        let published = PublishedState(shown)
        self.mode = mode
        self.recovery = opened.report
        self.temporaryDirectory = temporaryDirectory
        self.published = published
        self.opener = opener
        self.opening = OpeningReport(unread: opened.unread)
        follower = opened.follower.map {
            Lock(
                HeldFollower(
                    follower: $0,
                    promised: TransactionID(opened.report.promisedSequence.rawValue)))
        }
        writer = opened.log.map {
            Writer(
                opened, shown, log: $0, opening: opener, published: published,
                durability: durability)
        }
        let record = opener.health
        let compactor = writer.map {
            Compactor(
                writer: $0, record: record, waiting: opener.waiting, retention: retention,
                startsByItself: compactsAutomatically)
        }
        self.compactor = compactor
        fileChecker = writer.flatMap { writer in
            compactor.map { FileChecker(writer: writer, compactor: $0, record: record) }
        }
        readersFloor = Lock(opened.floor)
        openingCheckpoint = opened.checkpoint
        tablesAhead = loading == .ahead ? TablesAhead(of: opened.state.context) : nil
        checkpointLook = opened.look.map {
            CheckpointLook($0, opening: opener, published: published)
        }
        try complete(opened.newInverses)
        compactor?.countReplacedAssets()
        checkpointLook?.schedule()
    }

    // MARK: - Reading

    /// The newest acknowledged state, as a snapshot: later writes leave it as it is.
    ///
    /// - Complexity: O(1), except for the first call while writes are under way: then their
    ///   changes so far are rolled back in a copy, which takes about as long as making them.
    public var context: Context {
        if opener.memory.hasManyLeaves { published.evictLeaves(opener.memory) }
        return published.context
    }

    /// The newest transaction that ``context`` shows; 0 in a store that nothing was written to.
    public var lastTransaction: TransactionID { published.lastTransaction }

    /// The newest transaction that a power cut cannot reach.
    public var durableTransaction: TransactionID {
        writer?.durableTransaction ?? follower?.withLock { $0.promised } ?? 0
    }
}

/// What a transaction says about itself besides its label.
public struct WriteOptions: Sendable, Hashable {
    /// The undo stack it belongs to: a document, a window.
    public var scope: String?
    /// Joins transactions that follow one another into one step. ``Store/group(_:_:)`` gives a group
    /// to all writes of a block.
    public var group: String?
    /// Joins the transaction with the step on top of its undo stack, where that has the same key
    /// and is young enough. A group goes first.
    public var coalescing: Coalescing?
    /// Who made the change.
    public var author: String?
    /// Whatever else is to be kept with it. Keys that begin with `varve.` are the store's own; see
    /// ``StoreError/reservedMetadata(_:)``.
    public var metadata: [String: String]
    /// Whether undo may take it back.
    public var undoable: Bool
    /// What this write waits for, where that is more than the store's own rule.
    public var durability: Durability?

    /// Says what a transaction is, for its log entry and for undo.
    ///
    /// - Parameters:
    ///   - scope: the undo stack; nil is the stack of writes without a scope.
    ///   - group: transactions of one group that follow one another are one undo step.
    ///   - coalescing: joins the transaction with the step on top of its stack.
    ///   - author: who makes the change.
    ///   - metadata: what else to keep. Keys that begin with `varve.` are refused.
    ///   - undoable: whether the transaction is an undo step.
    ///   - durability: what the write waits for, where that is more than the store's own rule.
    public init(
        scope: String? = nil, group: String? = nil, coalescing: Coalescing? = nil,
        author: String? = nil, metadata: [String: String] = [:], undoable: Bool = true,
        durability: Durability? = nil
    ) {
        self.scope = scope
        self.group = group
        self.coalescing = coalescing
        self.author = author
        self.metadata = metadata
        self.undoable = undoable
        self.durability = durability
    }
}
