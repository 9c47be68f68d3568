public import VarveEvents
public import VarveLog
internal import VarveText

/// Why a store refuses. Every case says what to do next.
public enum StoreError: Error, Sendable {
    /// The files: missing, held by another process, damaged, or refused by the system.
    case log(LogError)
    /// Entity types that cannot be kept, or that disagree with what the log holds.
    case schema([SchemaProblem])
    /// The log is intact and yet says what cannot be.
    case inconsistent(transaction: TransactionID, reason: String)
    /// A step of a migration failed. The store is as it was before.
    case migration(MigrationFailure)
    /// A newer version of the app has migrated the store: by these migrations, which this version does not know. The
    /// problems are what its types disagree with by now; none where the list of migrations alone says it.
    case migratedByNewerApp([String], [SchemaProblem])
    /// The store needs these migrations, and was opened for reading only.
    case needsMigration([String])
    /// Something would have to be read, or undone, across a migration, and cannot be.
    case acrossMigration(MigrationBarrier)
    /// A value in the log that the app's type does not know, where a property needs one.
    case unreadable(UnreadableValue)
    /// A value that cannot be encoded, or that would read back as another.
    case unencodable(type: String, id: String, CodecError)
    /// An entity whose properties together take more bytes than a checkpoint can hold of one. Nothing was
    /// written.
    case rowTooLarge(type: String, id: String, bytes: ByteCount, limit: ByteCount)
    /// An asset whose file is missing or not what was kept, or that is of another store. Nothing was written.
    case asset(AssetFailure)
    /// The disk refused to make a transaction safe from a power cut. Whether it is there shows only
    /// when the store is opened again; until then nothing is written.
    case outcomeUnknown(TransactionID, LogError)
    /// `write` was called inside the body of a `write` on the same store.
    case nestedWrite
    /// The body of a write put another context in the place of the one that it was given.
    case foreignContext
    /// The transaction is older than the history that the store keeps.
    case belowFloor(TransactionID, floor: TransactionID)
    /// The store has no transaction of that number yet.
    case unknownTransaction(TransactionID, newest: TransactionID)
    /// The scope has no step that could be undone.
    case nothingToUndo(scope: String?)
    /// The scope has no step that could be redone.
    case nothingToRedo(scope: String?)
    /// Something came since that would be lost, or is missing. Nothing was done.
    case conflicts([UndoConflict])
    /// There is no savepoint of that name.
    case unknownSavepoint(String)
    /// A write's metadata has this key, and keys that begin with `varve.` say something to the store
    /// itself: one of them makes it forget its history.
    case reservedMetadata(String)
    /// The token belongs to another store.
    case foreignToken(store: String, found: String)
    /// A change of a long text was to be applied to an entity that has another text.
    case notTheFormerVersion(type: String, id: String)
    /// The store was opened for reading only.
    case readOnly
    /// The store was closed.
    case closed
    /// The store was suspended and not resumed.
    case suspended
    /// While the store was suspended, its directory came to hold another log, or an older one.
    case replacedWhileSuspended
}

extension StoreError {
    static func wrapping<Result>(
        _ body: () throws(LogError) -> Result
    ) throws(StoreError) -> Result {
        do throws(LogError) {
            return try body()
        } catch {
            throw .log(error)
        }
    }
}

/// One thing about an entity type that keeps a store from opening.
public struct SchemaProblem: Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity type.
    public let type: String
    /// The name of the property or relation; nil where the type as a whole is meant.
    public let property: String?
    /// What is wrong with it, and what to do.
    public let reason: String

    package init(type: String, property: String?, reason: String) {
        self.type = type
        self.property = property
        self.reason = reason
    }

    /// The type, and the property where there is one.
    var place: String { property.map { "\(type).\($0)" } ?? type }

    /// One line: type, property and reason.
    public var description: String { "\(place): \(reason)".escapedForDisplay }
}
