import VarveInspection

extension InspectedStatistics {
    /// What `varve du --json` writes.
    var json: JSON {
        [
            "path": .text(path), "store": .optional(store.map { "\($0)" }),
            "sound": .bool(health.isSound),
            "state": health.stateTransaction.map { .id($0) } ?? .null, "log": log.json,
            "belowFloor": belowFloor.json,
            "types": .array(types.map(\.json)), "labels": .array(labels.entries.map(\.json)),
            "labelPatterns": .array(labelPatterns.entries.map(\.json)),
            "authors": .array(authors.entries.map(\.json)),
            "scopes": .array(scopes.entries.map(\.json)),
            "ages": .array(ages.map(\.json)), "files": .array(files.map { $0.json(types) }),
            "missing": .array(
                health.missing.map { ["first": .id($0.lowerBound), "last": .id($0.upperBound)] }),
            "damages": .array(health.damages.map(\.json)),
        ]
    }
}

extension InspectedStatistics.Amount {
    fileprivate var json: JSON {
        [
            "transactions": .number(transactions), "events": .number(events),
            "rawBytes": .bytes(raw),
            "storedBytes": .bytes(stored),
        ]
    }
}

extension TypeStatistics {
    fileprivate var json: JSON {
        [
            "name": .text(type.name), "live": .number(live), "deleted": .number(deleted),
            "links": .number(links), "liveBytes": .bytes(liveBytes),
            "deletedBytes": .bytes(deletedBytes),
            "historyBytes": .bytes(history), "storedBytes": .bytes(stored),
            "inserted": .number(insertions), "updated": .number(updates),
            "deletions": .number(deletions),
            "linkChanges": .number(linkChanges),
            "fields": .array(
                fields.map {
                    [
                        "name": .text($0.name), "type": .text($0.type),
                        "liveBytes": .bytes($0.live),
                        "historyBytes": .bytes($0.history),
                    ]
                }),
        ]
    }
}

extension NameStatistics.Entry {
    fileprivate var json: JSON {
        JSON.object([(key: "name", value: .optional(name))]).adding([
            "transactions": .number(amount.transactions), "events": .number(amount.events),
            "rawBytes": .bytes(amount.raw), "storedBytes": .bytes(amount.stored),
            "first": .id(first.id),
            "last": .id(last.id),
        ])
    }
}

extension AgeStatistics {
    fileprivate var json: JSON {
        [
            "age": .text(age.rawValue), "entities": .number(entities), "liveBytes": .bytes(live),
            "transactions": .number(log.transactions), "storedBytes": .bytes(log.stored),
        ]
    }
}

extension FileStatistics {
    fileprivate func json(_ known: [TypeStatistics]) -> JSON {
        let parts = known.compactMap { type -> (key: String, value: JSON)? in
            types[type.type.number].map { (key: type.type.name, value: .bytes($0)) }
        }
        return [
            "name": .text(name), "bytes": .bytes(bytes), "transactions": .number(transactions),
            "first": first.map { .id($0) } ?? .null, "last": last.map { .id($0) } ?? .null,
            "types": .object(parts), "problem": .optional(problem),
        ]
    }
}

extension Health.Damage {
    fileprivate var json: JSON {
        [
            "file": .text(file), "offset": .number(offset.rawValue), "bytes": .bytes(bytes),
            "transaction": transaction.map { .id($0) } ?? .null, "reason": .text(reason),
        ]
    }
}
