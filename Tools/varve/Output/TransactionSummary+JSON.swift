import VarveInspection

extension TransactionSummary {
    /// - Parameter isPlaced: whether its place is one in the store's files, not in what was salvaged of them.
    func json(isPlaced: Bool = true) -> JSON {
        [
            "id": .id(id), "time": .moment(time), "kind": .text(kind.name),
            "of": kind.target.map { .id($0) } ?? .null, "label": .optional(label),
            "undoable": .bool(isUndoable), "scope": .optional(scope), "group": .optional(group),
            "author": .optional(author),
            "metadata": .object(
                metadata.sorted { $0.key < $1.key }.map { (key: $0.key, value: .text($0.value)) }),
            "migrations": .array(migrations.map { .text($0) }),
            "segment": isPlaced ? .number(location.segment.rawValue) : .null,
            "offset": isPlaced ? .number(location.offset.rawValue) : .null,
            "storedBytes": .bytes(storedBytes),
            "rawBytes": .bytes(rawBytes), "eventCount": .number(eventCount),
            "types": .array(types.map(\.json)), "unknownEvents": .number(unknownEventCount),
        ]
    }
}

extension TransactionSummary.Kind {
    var name: String {
        switch self {
        case .write: "write"
        case .undo: "undo"
        case .redo: "redo"
        case .revert: "revert"
        case .rewind: "rewind"
        case .restore: "restore"
        case .schema: "schema"
        case .purge: "purge"
        }
    }

    /// The transaction that was undone, redone or reverted.
    var target: TransactionID? {
        switch self {
        case .undo(let id), .redo(let id), .revert(let id): id
        case .write, .rewind, .restore, .schema, .purge: nil
        }
    }
}

extension TransactionSummary.TypeEvents {
    fileprivate var json: JSON {
        [
            "type": .text(type), "defined": .number(definitions), "inserted": .number(insertions),
            "updated": .number(updates), "deleted": .number(deletions), "links": .number(links),
            "purged": .number(purges),
        ]
    }
}

extension InspectedType {
    var json: JSON {
        [
            "name": .text(name), "idType": .text(idType),
            "fields": .array(
                fields.map { ["name": .text($0.name), "type": .text($0.type)] }),
            "relations": .array(relations.map(\.json)),
            "tombstoneOf": .optional(tombstoneOf),
        ]
    }
}

extension InspectedType.Relation {
    var json: JSON {
        [
            "name": .text(name), "target": .text(target), "toMany": .bool(isToMany),
            "inverse": .optional(inverse), "deleteRule": .text(deleteRule.rawValue),
            "required": .bool(isRequired),
        ]
    }
}
