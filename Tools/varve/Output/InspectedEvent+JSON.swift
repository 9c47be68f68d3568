import VarveInspection

extension InspectedEvent {
    var json: JSON {
        switch self {
        case .define(let type): ["event": .text("define"), "definition": type.json]
        case .insert(let insertion): insertion.json
        case .update(let update): update.json
        case .delete(let deletion): deletion.json
        case .link(let link): link.json
        case .purge(let entities):
            ["event": .text("purge"), "entities": .array(entities.map(\.json))]
        case .unknown(let tag, let bytes):
            ["event": .text("unknown"), "tag": .number(tag), "bytes": .bytes(bytes)]
        }
    }
}

extension EntityName {
    fileprivate var json: JSON { ["type": .text(type), "id": .value(id)] }
}

extension [InspectedField] {
    var json: JSON { .object(map { (key: $0.name, value: .value($0.value)) }) }
}

extension InspectedEvent.Previous {
    fileprivate var json: JSON {
        ["transaction": .id(transaction), "updatedAt": .moment(updatedAt)]
    }
}

extension InspectedEvent.Insertion {
    fileprivate var json: JSON {
        [
            "event": .text("insert"), "type": .text(entity.type), "id": .value(entity.id),
            "ordinal": .number(ordinal), "previous": previous?.json ?? .null,
            "fields": fields.json,
        ]
    }
}

extension InspectedEvent.Update {
    fileprivate var json: JSON {
        [
            "event": .text("update"), "type": .text(entity.type), "id": .value(entity.id),
            "previous": previous?.json ?? .null, "changes": .array(changes.map(\.json)),
        ]
    }
}

extension InspectedEvent.FieldChange {
    fileprivate var json: JSON {
        switch content {
        case .values(let old, let new):
            ["field": .text(name), "old": .value(old), "new": .value(new)]
        case .splice(let splice): ["field": .text(name), "splice": splice.json]
        }
    }
}

extension InspectedEvent.Splice {
    fileprivate var json: JSON {
        let areTexts = areTexts
        func side(_ bytes: [UInt8]) -> JSON {
            areTexts
                ? .text(String(decoding: bytes, as: UTF8.self))
                : .written(StoredContent.data(bytes).json)
        }
        return [
            "prefixBytes": .bytes(prefix), "suffixBytes": .bytes(suffix),
            "encoding": .text(areTexts ? "utf8" : "base64"), "old": side(old), "new": side(new),
        ]
    }
}

extension InspectedEvent.Deletion {
    fileprivate var json: JSON {
        [
            "event": .text("delete"), "type": .text(entity.type), "id": .value(entity.id),
            "ordinal": .number(ordinal), "previous": previous?.json ?? .null,
            "cause": .text(cause.name), "by": cause.origin?.json ?? .null,
            "restorable": .bool(keepsTombstone), "hadRow": .bool(!isRowless),
            "fields": fields.json,
            "links": .object(
                links.map { links in
                    (
                        key: links.relation,
                        value: .array(links.targets.map { .value($0.id) })
                    )
                }),
        ]
    }
}

extension InspectedEvent.Deletion.Cause {
    fileprivate var name: String {
        switch self {
        case .direct: "direct"
        case .cascade: "cascade"
        case .upsert: "upsert"
        }
    }

    /// The entity that this one had to go for.
    fileprivate var origin: EntityName? {
        switch self {
        case .direct: nil
        case .cascade(let origin), .upsert(let origin): origin
        }
    }
}

extension InspectedEvent.LinkChange {
    fileprivate var json: JSON {
        [
            "event": .text("link"), "type": .text(parent.type), "id": .value(parent.id),
            "relation": .text(relation), "oldCount": .number(oldCount),
            "removed": .array(removals.map(\.json)), "inserted": .array(insertions.map(\.json)),
        ]
    }
}

extension InspectedEvent.LinkChange.Member {
    fileprivate var json: JSON {
        ["type": .text(target.type), "id": .value(target.id), "position": .number(position)]
    }
}
