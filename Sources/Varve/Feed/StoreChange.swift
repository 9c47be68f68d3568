public import VarveEvents
public import VarveGraph

/// One durable transaction, with the old and the new value of everything it changed.
///
/// It holds the transaction's bytes as they lie in the log, and decodes what is asked for.
public struct StoreChange: Sendable {
    /// The transaction with what it changed.
    public let transaction: WrittenTransaction
    /// Where to go on behind this transaction.
    public let token: ChangeToken

    /// What the transaction says about itself.
    public var info: TransactionInfo { transaction.info }

    /// The number of the transaction.
    public var id: TransactionID { transaction.id }

    /// The names of the types that the transaction mentions, in the order in which it does.
    ///
    /// - Complexity: linear in the number of entities that it mentions.
    public func types() throws -> [String] { try transaction.types() }

    /// What the transaction did to entities of a type; see ``WrittenTransaction/changes(of:)``.
    ///
    /// - Complexity: linear in the size of the transaction.
    public func changes<Entity: EntityModelProtocol>(
        of type: Entity.Type
    ) throws -> [LoggedChange<Entity>] { try transaction.changes(of: type) }
}
