public import Foundation
public import VarveEvents

/// What a transaction says about itself.
public struct TransactionInfo: Sendable, Hashable {
    /// What a transaction is for.
    public typealias Kind = TransactionPurpose

    public let id: TransactionID
    public let time: Date
    public let kind: Kind
    /// Whether it is, or was, a step that can be undone.
    public let isUndoable: Bool
    public let label: String?
    public let scope: String?
    public let group: String?
    public let author: String?
    public let metadata: [String: String]
}

extension TransactionInfo {
    init(_ header: TransactionHeader) {
        id = header.id
        time = header.time.date
        kind = header.purpose
        isUndoable = header.isUndoable
        label = header.label
        scope = header.scope
        group = header.group
        author = header.author
        metadata = header.metadata
    }
}
