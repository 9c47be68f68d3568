public import Foundation
internal import VarveText

extension StoreError: CustomStringConvertible {
    /// What happened and, behind the last semicolon, what to do next.
    public var description: String { message.text }

    // One table, exhaustive, so that a new case cannot come without its sentence.
    private var message: ErrorMessage {
        switch self {
        case .log(let error): error.message
        case .schema(let problems):
            ErrorMessage(
                lines: problems.map(\.description),
                "change the declarations so that they agree with the store, or open it with the "
                    + "version of the app that wrote it")
        case .inconsistent(let transaction, let reason):
            ErrorMessage(
                "transaction \(transaction) does not fit what came before it: \(reason); the log was "
                    + "written by something else than this library",
                "restore a backup, or salvage a copy")
        case .migration(let failure): failure.message
        case .migratedByNewerApp(let names, let problems):
            // What each problem says to do would lead the store back.
            ErrorMessage(
                "a newer version of the app has migrated the store ("
                    + names.map { "'\($0)'" }.joined(separator: ", ")
                    + "), and this one does not fit it"
                    + (problems.isEmpty
                        ? "" : ": " + problems.map(\.place).joined(separator: ", ")),
                "open it with the newer version, or open the backup from before the migration")
        case .needsMigration(let names):
            ErrorMessage(
                "the store needs to be migrated (" + names.joined(separator: ", ") + ")",
                "open it once with mode .readWrite and these migrations")
        case .acrossMigration(let barrier): barrier.message
        case .unreadable(let value):
            ErrorMessage(
                "\(value)",
                "\(value.advice), or open the store with the version of the app that wrote it")
        case .unencodable(let type, let id, let error):
            ErrorMessage(
                "\(type) \(id) cannot be stored: \(error)",
                "save another value, or change the type of the property")
        case .rowTooLarge(let type, let id, let bytes, let limit):
            ErrorMessage(
                "\(type) \(id) takes \(bytes), which is over the limit of \(limit)",
                "divide its content among several entities, or make a large property an asset")
        case .asset(let failure): ErrorMessage("\(failure)", failure.advice)
        case .outcomeUnknown(let transaction, let error):
            ErrorMessage(
                "transaction \(transaction) may or may not be on the disk: \(error)",
                "close the store and open it again to find out")
        case .readOnly:
            ErrorMessage("the store was opened for reading only", "open it with mode .readWrite")
        case .closed: ErrorMessage("the store is closed", "open it again")
        case .suspended: ErrorMessage("the store is suspended", "call resume() first")
        case .replacedWhileSuspended:
            ErrorMessage(
                "the directory of the suspended store holds another log",
                "close the store and open what is there now")
        case .nestedWrite:
            ErrorMessage(
                "write was called inside the body of a write",
                "use the context that the body was given")
        case .foreignContext:
            ErrorMessage(
                "the body of a write replaced its context by another one",
                "change the context it is given")
        case .reservedMetadata(let key):
            ErrorMessage(
                "metadata '\(key)' cannot be written: keys that begin with 'varve.' belong to the store",
                "choose another key")
        case .foreignToken(let store, let found):
            ErrorMessage(
                "the token belongs to the store \(found), this one is \(store)",
                "keep a token for each store, or start without one")
        case .notTheFormerVersion(let type, let id):
            ErrorMessage(
                "\(type) \(id) is not as it was before the change",
                "apply each change once, to the version before it")
        case .belowFloor(let transaction, let floor):
            ErrorMessage(
                "transaction \(transaction) is no longer kept: of those before \(floor) none is",
                "ask for a later one, and open the store with a longer retention to keep more")
        case .unknownTransaction(let transaction, let newest):
            ErrorMessage(
                "there is no transaction \(transaction): the newest is \(newest)",
                "ask for one up to that")
        case .nothingToUndo(let scope):
            ErrorMessage(
                "there is nothing to undo\(Self.place(scope))",
                "ask canUndo first, with the same scope")
        case .nothingToRedo(let scope):
            ErrorMessage(
                "there is nothing to redo\(Self.place(scope))",
                "ask canRedo first, with the same scope")
        case .conflicts(let conflicts): Self.message(about: conflicts)
        case .unknownSavepoint(let name):
            ErrorMessage(
                "there is no savepoint '\(name)'", "see savepoints for the names there are")
        }
    }

    private static func place(_ scope: String?) -> String {
        scope.map { " in the scope '\($0)'" } ?? ""
    }

    private static func message(about conflicts: [UndoConflict]) -> ErrorMessage {
        ErrorMessage(
            "nothing was done, because of later changes: "
                + conflicts.map(\.description).joined(separator: ", "),
            conflicts.contains(where: \.isFinal)
                ? "undo the later changes first"
                : "undo the later changes first, or use force: true to overwrite them")
    }
}

extension StoreError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}
