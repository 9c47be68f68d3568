public import VarveEvents
public import VarveGraph

/// What ``Store/restore(_:id:_:)`` or ``Store/restoreDeletion(of:id:_:)`` did.
public struct Restoration: Sendable, Hashable {
    /// The transaction that was appended. It is a step that can be undone.
    public let transaction: TransactionID
    /// Links of the restored entities to entities that are still deleted. They are not visible yet: each
    /// is once its other end is restored, or saved again.
    public let unlinked: [DanglingLink]
}

extension Restoration {
    init(_ transaction: TransactionID, hiding links: [HiddenLink]) {
        self.transaction = transaction
        unlinked = links.map { link in
            DanglingLink(
                type: link.type, id: link.id, relation: link.relation,
                targetType: link.targetType, targetID: link.targetID, isDeleted: true)
        }
    }
}
