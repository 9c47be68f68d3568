public import Foundation
internal import VarveEvents
public import VarveGraph
public import VarveLog

/// A graph of entities that lives on disk.
///
/// Every write is a transaction: it is appended to the store's log whole or not at all, and
/// opening the store replays the log. Reads take ``context``, a snapshot that nothing disturbs
/// and that any thread may use; writes are serialised. All live entities are in memory.
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

    /// What opening the store found at the end of its log and, in a writable store, mended.
    public let recovery: RecoveryReport
    public let mode: Mode

    /// The state that readers see. Replaced as a whole by each write.
    private let published: Lock<StoreState>
    private let writer: Writer
    /// Runs the bodies of `async` writes, one after the other, away from the cooperative pool: a
    /// write may wait for the disk.
    private let queue: DispatchQueue
    private let temporaryDirectory: TemporaryDirectory?

    // MARK: - Opening

    /// Opens the store in a directory, creating it where there is nothing yet.
    ///
    /// - Parameters:
    ///   - url: the store's directory. Its parent must exist.
    ///   - mode: whether the store can be written.
    ///   - durability: what a write waits for.
    ///   - types: the entity types; those that relations lead to come along by themselves.
    /// - Throws: ``StoreError`` when the store is held by another process, damaged, written by a
    ///   newer version, or at odds with the types.
    /// - Complexity: linear in the length of the log.
    public convenience init(
        at url: URL, mode: Mode = .readWrite, durability: Durability = .commit,
        _ types: any EntityModelProtocol.Type...
    ) throws {
        try self.init(
            in: POSIXFileSystem(url.path), mode: mode, durability: durability, types: types)
    }

    /// Opens the store in a directory, with the types in an array.
    public convenience init(
        at url: URL, mode: Mode = .readWrite, durability: Durability = .commit,
        types: [any EntityModelProtocol.Type]
    ) throws {
        try self.init(
            in: POSIXFileSystem(url.path), mode: mode, durability: durability, types: types)
    }

    /// A store without a disk, gone with its last reference.
    public static func inMemory(_ types: any EntityModelProtocol.Type...) throws -> Store {
        try Store(in: MemoryFileSystem(), mode: .readWrite, durability: .none, types: types)
    }

    /// A store in a new directory of its own, which is removed with the last reference to it.
    public static func temporary(_ types: any EntityModelProtocol.Type...) throws -> Store {
        let directory = try TemporaryDirectory()
        return try Store(
            in: POSIXFileSystem(directory.url.path), mode: .readWrite, durability: .commit,
            types: types, temporaryDirectory: directory)
    }

    package init(
        in fileSystem: any FileSystem, environment: any LogEnvironment = SystemEnvironment(),
        configuration: LogConfiguration = LogConfiguration(), mode: Mode,
        durability: Durability, types: [any EntityModelProtocol.Type],
        temporaryDirectory: TemporaryDirectory? = nil
    ) throws {
        let opened = try StoreOpening(
            fileSystem: fileSystem, environment: environment, configuration: configuration,
            types: types
        ).open(mode)
        self.mode = mode
        self.recovery = opened.report
        self.temporaryDirectory = temporaryDirectory
        published = Lock(opened.state)
        writer = Writer(
            log: opened.log, prologue: opened.prologue, head: opened.state,
            durability: durability,
            clock: environment)
        queue = DispatchQueue(label: "varve.store")
        if mode == .readWrite, opened.newInverses.isNeeded(in: context) {
            // Logged, because what follows in the log counts on what the lists hold.
            try write("Complete relations that have another side now") { context in
                opened.newInverses.complete(&context)
            }
        }
    }

    // MARK: - Reading

    /// The newest acknowledged state, as a snapshot: later writes leave it as it is. O(1).
    public var context: Context { published.withLock { $0.context } }

    /// The newest transaction that ``context`` shows; 0 in a store that nothing was written to.
    public var lastTransaction: TransactionID { published.withLock { $0.lastTransaction } }

    /// The newest transaction that a power cut cannot reach.
    public var durableTransaction: TransactionID { writer.durableTransaction }

    /// What an operator asks about the store.
    public var statistics: StoreStatistics {
        StoreStatistics(
            lastTransaction: lastTransaction, durableTransaction: durableTransaction,
            log: writer.logStatistics, isWritable: mode == .readWrite && writer.isWritable)
    }

    // MARK: - Writing

    /// Runs a transaction: what the body changes becomes durable and visible as a whole, or, when
    /// the body or the log throws, not at all.
    ///
    /// A transaction that changes nothing writes nothing.
    ///
    /// - Parameters:
    ///   - label: what the transaction does, for people: "Rename chat".
    ///   - options: who and what else the log should say about it.
    ///   - body: changes the context that it is given, and that alone. It must not call ``write``.
    /// - Returns: what the body returns.
    @discardableResult
    public func write<Result>(
        _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: (inout Context) throws -> Result
    ) throws -> Result {
        guard mode == .readWrite else { throw StoreError.readOnly }
        return try writer.write(label, options, body) { state, owesSeal in
            published.withLock { $0 = state }
            if owesSeal { scheduleSeal() }
        }
    }

    /// Runs a transaction on the store's own thread. Cancellation before it starts means that
    /// nothing happened; once it runs, it completes.
    @discardableResult
    public func write<Result: Sendable>(
        _ label: String = "", options: WriteOptions = WriteOptions(),
        _ body: @escaping @Sendable (inout Context) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let cancellation = Lock(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(
                        with: Swift.Result {
                            if cancellation.withLock({ $0 }) { throw CancellationError() }
                            return try write(label, options: options, body)
                        })
                }
            }
        } onCancel: {
            cancellation.withLock { $0 = true }
        }
    }

    // MARK: - Ending

    /// Makes everything that was written durable, and says so in the log at once.
    public func flush() throws { try writer.flush() }

    /// Makes everything durable, marks the log's end as clean and releases the store. Every later
    /// write throws; snapshots stay usable.
    public func close() throws { try writer.close() }

    /// When writing pauses, the log is told that its end is safe: readers in other processes see
    /// the last transactions, and damage to them can be told from a cut tail.
    private func scheduleSeal() {
        queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
            guard let self else { return }
            if writer.sealIfIdle() == .isBusy { scheduleSeal() }
        }
    }
}

/// What a write waits for.
public enum Durability: Sendable, Hashable {
    /// `write` returns when the transaction is safe from a power cut.
    case commit
    /// `write` returns when the transaction is with the operating system: safe from a crash of the
    /// process, not from a power cut, until ``Store/flush()`` or ``Store/close()``.
    case none
}

/// What a transaction says about itself besides its label.
public struct WriteOptions: Sendable, Hashable {
    /// The undo stack it belongs to: a document, a window.
    public var scope: String?
    /// Joins transactions into one step.
    public var group: String?
    /// Who made the change.
    public var author: String?
    /// Whatever else is to be kept with it.
    public var metadata: [String: String]
    /// Whether undo may take it back.
    public var undoable: Bool
    /// What this write waits for, where that is more than the store's own rule.
    public var durability: Durability?

    public init(
        scope: String? = nil, group: String? = nil, author: String? = nil,
        metadata: [String: String] = [:], undoable: Bool = true, durability: Durability? = nil
    ) {
        self.scope = scope
        self.group = group
        self.author = author
        self.metadata = metadata
        self.undoable = undoable
        self.durability = durability
    }
}

/// What an operator asks about a store.
public struct StoreStatistics: Sendable, Hashable {
    public let lastTransaction: TransactionID
    /// The newest transaction that a power cut cannot reach.
    public let durableTransaction: TransactionID
    public let log: LogStatistics
    /// False in read-only mode, after closing, and after an I/O error that ended the writing.
    public let isWritable: Bool
}
