internal import Foundation
internal import VarveEvents

extension EntityVersion: CustomStringConvertible {
    /// The transaction, what happened, and what the entity was from then on, in one line.
    public var description: String {
        let properties = change == .updated ? " " + changedProperties.joined(separator: ", ") : ""
        let remains = entity.map { ": \($0)" } ?? ""
        return "\(transaction): \(change)\(properties)\(remains)"
    }
}

extension TransactionInfo: CustomStringConvertible {
    /// Its number, time, label and author, in one line.
    public var description: String {
        var text = "transaction \(id), \(time.formatted(.iso8601))"
        switch kind {
        case .write: break
        case .undo(let id): text += ", undo of \(id)"
        case .redo(let id): text += ", redo of \(id)"
        case .revert(let id): text += ", revert of \(id)"
        case .rewind: text += ", rewind"
        case .restore: text += ", restoration"
        case .schema: text += ", schema"
        case .purge: text += ", purge"
        }
        if let label { text += " \"\(label)\"" }
        if let author { text += " by \(author)" }
        return text
    }
}

extension VersionChange: CustomStringConvertible {
    /// One line: the transaction, what happened, and which properties changed.
    public var description: String {
        switch self {
        case .inserted: "inserted"
        case .updated: "updated"
        case .deleted: "deleted"
        case .deletedWith(let type, let id): "deleted with \(type) \(id)"
        case .replaced(let type, let id): "replaced by \(type) \(id)"
        case .purged: "purged"
        }
    }
}
