public import VarveEvents
internal import VarveText

/// A migration that keeps what is before it from being read, or undone.
public struct MigrationBarrier: Sendable {
    /// Why.
    public enum Reason: Sendable {
        /// The store was opened without the migration, whose steps say how values of before become those of now.
        case notGiven
        /// A step cannot convert a value of before.
        case failed(MigrationFailure)
        /// The log has no value of before that the migration could convert.
        case noValue(type: String, id: String, CodecError)
        /// Entities of the type took over values of others, which a version of one entity alone does not say.
        case joined(type: String)
        /// It is the migration itself that was to be reverted.
        case isMigration
    }

    /// The name of the migration.
    public let migration: String
    /// The transaction that performed it.
    public let transaction: TransactionID
    /// Why.
    public let reason: Reason
}

extension MigrationBarrier: CustomStringConvertible {
    /// What happened and, behind the semicolon, what to do.
    public var description: String { message.text }

    var message: ErrorMessage {
        let place = "transaction \(transaction) is the migration '\(migration)'"
        return switch reason {
        case .notGiven:
            ErrorMessage(
                "\(place), and the store was opened without it: values from before cannot be converted",
                "open the store with this migration in the list")
        case .failed(let failure):
            ErrorMessage(
                "\(place), and a value from before does not convert: \(failure.type ?? "") "
                    + "\(failure.id ?? ""): \(failure.error)",
                "look at a later transaction, or let the step convert the value")
        case .noValue(let type, let id, let error):
            ErrorMessage(
                "\(place), and the log has no value of \(type) \(id) from before: \(error)",
                "look at a later transaction")
        case .joined(let type):
            ErrorMessage(
                "\(place), and \(type) took over values of other entities: a version alone lacks them",
                "look at the state behind the version's transaction, with context(asOf:)")
        case .isMigration:
            ErrorMessage(
                "\(place): it cannot be reverted, because the app's types have no place for the former values",
                "write a migration that leads back")
        }
    }
}
