/// The true names of properties that the runtime takes for others.
///
/// It tells a stored property by its place in a row. The declarations of indexes take no room, so
/// that the property behind them has their place, and goes by the name of the first of them.
struct StorageNames {
    private(set) var names: [String: String] = [:]

    /// From any row of the type; there is nothing to name without one.
    init<Entity: EntityModelProtocol>(in context: Context, of type: Entity.Type) {
        context.table(of: type)?.forEachRow { _, row in
            read(row.pointee)
            return false
        }
    }

    private mutating func read(_ row: some Any) {
        var waiting: [String] = []
        for child in Mirror(reflecting: row).children {
            guard let label = child.label else { continue }
            if StorageNames.size(of: child.value) == 0 {
                waiting.append(label)
            } else {
                for other in waiting { names[other] = label }
                waiting = []
            }
        }
    }

    private static func size<Value>(of value: Value) -> Int { MemoryLayout<Value>.size }

    /// The text with the true names, where others stand as words of their own.
    func apply(to text: String) -> String {
        var text = text
        for (other, name) in names where text.contains(other) {
            text = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
                let core = word.drop { $0 == "(" || $0 == "!" }
                guard core.hasPrefix(other),
                    core.dropFirst(other.count).allSatisfy({ !$0.isLetter && !$0.isNumber })
                        || core.dropFirst(other.count).first == "."
                else { return String(word) }
                return word.prefix(word.count - core.count) + name + core.dropFirst(other.count)
            }.joined(separator: " ")
        }
        return text
    }
}

extension QueryPlan {
    func renamingProperties(_ names: StorageNames) -> QueryPlan {
        if names.names.isEmpty { return self }
        return QueryPlan(
            entity: entity, access: access.renamingProperties(names), candidates: candidates,
            test: test.map(names.apply), order: order.renamingProperties(names),
            stopsEarly: stopsEarly, steps: steps.map(names.apply))
    }
}

extension QueryPlan.Access {
    fileprivate func renamingProperties(_ names: StorageNames) -> Self {
        switch self {
        case .scan, .storedScan, .ids, .relation: self
        case .index(let index, let ranges):
            .index(index.renamingProperties(names), ranges: ranges)
        case .union(let branches): .union(branches.map { $0.renamingProperties(names) })
        case .intersection(let first, let second):
            .intersection(first.renamingProperties(names), second.renamingProperties(names))
        case .ranking(let index): .ranking(index?.renamingProperties(names))
        case .walk(let index, let backwards):
            .walk(index.renamingProperties(names), backwards: backwards)
        }
    }
}

extension QueryPlan.Index {
    fileprivate func renamingProperties(_ names: StorageNames) -> Self {
        Self(name: name, kind: kind, properties: properties.map(names.apply))
    }
}

extension QueryPlan.Order {
    fileprivate func renamingProperties(_ names: StorageNames) -> Self {
        switch self {
        case .asFound, .restored: self
        case .sorted(let words): .sorted(by: names.apply(to: words))
        case .selected(let words, let count):
            .selected(by: names.apply(to: words), count: count)
        }
    }
}
