public import VarveEvents
public import VarveLog

/// Why a store refuses. Every case says what to do next.
public enum StoreError: Error, Sendable {
    /// The files: missing, held by another process, damaged, or refused by the system.
    case log(LogError)
    /// Entity types that cannot be kept, or that disagree with what the log holds.
    case schema([SchemaProblem])
    /// The log is intact and yet says what cannot be.
    case inconsistent(transaction: TransactionID, reason: String)
    /// A value that cannot be encoded, or that would read back as another.
    case unencodable(type: String, id: String, CodecError)
    /// The disk refused to make a transaction safe from a power cut: nobody knows whether reopening
    /// the store will find it. Nothing is written any more until then.
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

extension StoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .log(let error): "\(error)"
        case .schema(let problems): problems.map(\.description).joined(separator: "\n")
        case .inconsistent(let transaction, let reason):
            "transaction \(transaction) does not fit what came before it: \(reason); "
                + "the log was written by something else than this library"
        case .unencodable(let type, let id, let error): "\(type) \(id) cannot be stored: \(error)"
        case .outcomeUnknown(let transaction, let error):
            "transaction \(transaction) may or may not be on the disk: \(error); "
                + "close the store and open it again to find out"
        case .nestedWrite: "write was called inside write: pass the context on instead"
        case .foreignContext:
            "the body of a write must change the context it is given, not replace it by another"
        case .belowFloor(let transaction, let floor):
            "transaction \(transaction) is no longer kept; history begins with \(floor): "
                + "open the store with a longer retention to keep more"
        case .unknownTransaction(let transaction, let newest):
            "there is no transaction \(transaction); the newest is \(newest)"
        case .nothingToUndo(let scope): "there is nothing to undo" + Self.place(scope)
        case .nothingToRedo(let scope): "there is nothing to redo" + Self.place(scope)
        case .conflicts(let conflicts):
            "nothing was done, because something came since: "
                + conflicts.map(\.description).joined(separator: "; ")
        case .unknownSavepoint(let name): "there is no savepoint '\(name)'"
        case .reservedMetadata(let key):
            "metadata '\(key)' cannot be written: keys that begin with 'varve.' are the store's own"
        case .foreignToken(let store, let found):
            "the token belongs to the store \(found), this one is \(store): "
                + "keep a token for each store, or start without one"
        case .notTheFormerVersion(let type, let id):
            "\(type) \(id) is not as it was before the change: "
                + "apply each change once, to the version before it"
        case .readOnly: "the store was opened for reading only: open it with mode .readWrite"
        case .closed: "the store is closed: open it again"
        case .suspended: "the store is suspended: call resume() first"
        case .replacedWhileSuspended:
            "another log lies where the suspended store was: close it and open what is there now"
        }
    }
}

extension StoreError {
    private static func place(_ scope: String?) -> String {
        scope.map { " in the scope '\($0)'" } ?? ""
    }
}

/// One thing about an entity type that keeps a store from opening.
public struct SchemaProblem: Sendable, Hashable, CustomStringConvertible {
    public let type: String
    public let property: String?
    public let reason: String

    package init(type: String, property: String?, reason: String) {
        self.type = type
        self.property = property
        self.reason = reason
    }

    public var description: String {
        property.map { "\(type).\($0): \(reason)" } ?? "\(type): \(reason)"
    }
}
