public import Foundation
internal import VarveReplay
internal import VarveText

/// Why a store cannot be read, or does not hold what was asked for.
public enum InspectionError: Error, Hashable, Sendable {
    /// The files: missing, damaged, or refused by the system.
    case log(LogError)
    /// The frames are intact, but what they hold cannot be understood, or does not follow from
    /// what was before.
    case transaction(TransactionID, FrameLocation, reason: String)
    /// The definitions at the head of a segment cannot be read.
    case definitions(SegmentID, reason: String)
    /// The store keeps no transaction of that number; the oldest and the newest that it keeps.
    case noSuchTransaction(TransactionID, first: TransactionID, last: TransactionID)
    /// The store has no type of that name; the names that it has.
    case noSuchType(name: String, known: [String])
    /// The type has no property of that name; the names that it has. `type` is nil where all types were meant.
    case noSuchField(name: String, type: String?, known: [String])
    /// `deletedIn` is the transaction that deleted it, if there is a tombstone.
    case noSuchEntity(type: String, id: String, deletedIn: TransactionID?)
    /// There is no tombstone of that id; whether the entity is there.
    case noSuchTombstone(type: String, id: String, isLive: Bool)
    /// The scope has no step that could be undone.
    case nothingToUndo(scope: String?)
    /// The scope has no step that could be redone.
    case nothingToRedo(scope: String?)
    /// Transactions cannot be undone; nothing was written.
    case revision(reason: String)
    /// The bytes of a stored entity are not what its type says.
    case entity(type: String, reason: String)
    /// An index that a checkpoint stores is not that of the checkpoint's entities. The files are what was written: another
    /// program, or an error of this one, wrote them so.
    case index(StoredIndexDifference)
    /// A damaged store whose files are more than may be read into memory.
    case tooLargeToSalvageInMemory(ByteCount, limit: ByteCount)
}

extension InspectionError {
    /// The segment that is damaged, where that is known.
    public var segment: SegmentID? {
        switch self {
        case .log(.damaged(let damage)), .log(.chainBroken(let damage)): damage.segment
        case .log(.unsupportedFrame(let segment, _, _)): segment
        case .log(.segmentMissing(let segment)), .log(.successorMissing(let segment)): segment
        case .transaction(_, let location, _): location.segment
        case .definitions(let segment, _): segment
        default: nil
        }
    }

    /// The place in that segment, where that is known.
    public var offset: FrameOffset? {
        switch self {
        case .log(.damaged(let damage)), .log(.chainBroken(let damage)): damage.offset
        case .log(.unsupportedFrame(_, let offset, _)): offset
        case .transaction(_, let location, _): location.offset
        default: nil
        }
    }
}

extension InspectionError: CustomStringConvertible {
    /// One line that says what is wrong and, where there is something to do, what.
    public var description: String { message.text }

    var message: ErrorMessage {
        switch self {
        case .log(.notAStore(let directory, let reason)):
            ErrorMessage(
                "\(directory) is not a store: \(reason)",
                "check the path: the folder of a store has files named segment-0000000001 and so on"
            )
        case .log(let error): error.message
        case .transaction(let id, let location, let reason):
            ErrorMessage("\(location): transaction \(id): \(reason)")
        case .definitions(let segment, let reason):
            ErrorMessage("segment \(segment): definitions at its head: \(reason)")
        case .noSuchTransaction(let id, let first, let last):
            ErrorMessage(
                "there is no transaction \(id)",
                first <= last
                    ? "the log holds \(first) to \(last)"
                    : first > 1 ? "no history is kept" : "the log is empty")
        case .noSuchType(let name, let known):
            ErrorMessage("there is no type '\(name)'", Self.choice(known) ?? "the store has none")
        case .noSuchField(let name, let type, let known):
            ErrorMessage(
                "there is no property '\(name)'" + (type.map { " of '\($0)'" } ?? ""),
                Self.choice(known))
        case .noSuchEntity(let type, let id, let transaction):
            ErrorMessage(
                transaction.map { "\(type) '\(id)' was deleted by transaction \($0)" }
                    ?? "there is no \(type) '\(id)'")
        case .noSuchTombstone(let type, let id, let isLive):
            ErrorMessage(
                isLive ? "\(type) '\(id)' is not deleted" : "there is no deleted \(type) '\(id)'")
        case .nothingToUndo(let scope):
            ErrorMessage("there is nothing to undo" + (scope.map { " in the scope '\($0)'" } ?? ""))
        case .nothingToRedo(let scope):
            ErrorMessage("there is nothing to redo" + (scope.map { " in the scope '\($0)'" } ?? ""))
        case .revision(let reason): ErrorMessage("nothing was done: \(reason)")
        case .entity(let type, let reason):
            ErrorMessage("an entity of type '\(type)': \(reason)")
        case .index(let difference): difference.message
        case .tooLargeToSalvageInMemory(let bytes, let limit):
            ErrorMessage(
                "the files have \(bytes), more than the \(limit) that are salvaged in memory",
                "salvage the store first")
        }
    }

    private static func choice(_ names: [String]) -> String? {
        names.isEmpty ? nil : "there is " + names.joined(separator: ", ")
    }
}

extension InspectionError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}

extension InspectionError {
    /// Runs `body`, turning the log's errors into the inspection's.
    static func wrapping<Result>(
        _ body: () throws(LogError) -> Result
    ) throws(InspectionError) -> Result {
        do throws(LogError) {
            return try body()
        } catch {
            throw .log(error)
        }
    }
}

extension InspectionError {
    /// - Parameter snapshot: tells which segment begins behind a transaction.
    init(_ error: RecordError, in snapshot: LogSnapshot) {
        switch error {
        case .transaction(let id, let location, let reason):
            self = .transaction(id, location, reason: reason)
        case .definitions(let before, let reason):
            let segment = snapshot.segments.first {
                $0.header.firstSequence.rawValue > before.rawValue
            }
            self = .definitions(segment?.id ?? SegmentID(1), reason: reason)
        }
    }
}

extension ReplayFailure<RecordError> {
    func inspectionError(in snapshot: LogSnapshot) -> InspectionError {
        switch self {
        case .log(let error): .log(error)
        case .consumer(let error): InspectionError(error, in: snapshot)
        }
    }
}

extension TransactionView {
    /// Reads a transaction of the log, which must call itself what the log calls it.
    init(of logged: LoggedTransaction) throws(InspectionError) {
        do throws(RecordError) {
            self = try TransactionView(logged)
        } catch {
            // It is never about definitions at a segment's head.
            throw .transaction(
                TransactionID(logged.sequence.rawValue), logged.location, reason: error.reason)
        }
    }
}

extension ReplayFailure<InspectionError> {
    var inspectionError: InspectionError {
        switch self {
        case .log(let error): .log(error)
        case .consumer(let error): error
        }
    }
}
