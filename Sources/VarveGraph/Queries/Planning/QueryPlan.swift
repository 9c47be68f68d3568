internal import VarveText

/// How a query is run in one context: what ``QueryList/explain(in:)`` gives.
///
/// A plan depends on what the context holds, not only on the query: an index that names nearly
/// every row is no help, and the same index may be the choice an hour later.
public struct QueryPlan: Sendable, Equatable {
    /// Where rows come from.
    public indirect enum Access: Sendable, Equatable {
        /// Every row of the type, in insertion order.
        case scan
        /// Every stored row of the type, in insertion order: after the opening of a store whose `MemoryBudget` the type's
        /// entities do not fit.
        case storedScan
        /// One look-up for each id given.
        case ids
        /// The links of other rows.
        case relation
        /// What one index holds for some of the conditions, for one or more ranges of it.
        case index(Index, ranges: Int)
        /// What at least one of several accesses names.
        case union([Access])
        /// What both of two accesses name.
        case intersection(Access, Access)
        /// Rows by how well they match a text, best first, by an index or by reading all of them.
        case ranking(Index?)
        /// Rows in the order of an index, forwards or backwards, as long as they are wanted.
        case walk(Index, backwards: Bool)
    }

    /// An index, as the entity declares it, and those of its properties that take part.
    public struct Index: Sendable, Equatable {
        /// The name of the property that declares the index.
        public let name: String
        /// `ordered`, `hash`, `unique` or `text`.
        public let kind: String
        /// The indexed properties that take part.
        public let properties: [String]
    }

    /// How the result comes into its order.
    public enum Order: Sendable, Equatable {
        /// As rows come, which is the order wanted.
        case asFound
        /// Found rows are put back in insertion order.
        case restored
        /// All found rows are sorted by these properties.
        case sorted(by: String)
        /// The first few are selected; the rest is never sorted.
        case selected(by: String, count: Int)
    }

    /// The entity's persisted name.
    public let entity: String
    /// Where the rows come from.
    public let access: Access
    /// How many rows the access names: exactly for one index, at most for a union, about so many
    /// for an intersection.
    public let candidates: Int
    /// What each of them is tested for; nil where the access decides the conditions exactly.
    public let test: String?
    /// How the result comes into its order.
    public let order: Order
    /// Whether finding ends before all candidates were seen, once there are enough.
    public let stopsEarly: Bool
    /// What happens to the rows found, step by step.
    public let steps: [String]
}

extension QueryPlan: CustomStringConvertible {
    /// One line for each part of the plan.
    public var description: String {
        var lines = ["\(entity): \(access.description), \(candidates) candidates"]
        if let test { lines.append("test each: \(test.escapedForDisplay)") }
        switch order {
        case .asFound: break
        case .restored: lines.append("put in insertion order")
        case .sorted(let properties): lines.append("sort by \(properties)")
        case .selected(let properties, let count):
            lines.append("select the first \(count) by \(properties)")
        }
        if stopsEarly { lines.append("stop when there are enough") }
        lines += steps
        return lines.joined(separator: "\n  ")
    }
}

extension QueryPlan.Access: CustomStringConvertible {
    /// One line for an access, with the accesses that it is made of.
    public var description: String {
        switch self {
        case .scan: "scan"
        case .storedScan: "scan of stored rows"
        case .ids: "by id"
        case .relation: "through a relation"
        case .index(let index, let ranges):
            ranges <= 1 ? "\(index)" : "\(index), \(ranges) ranges"
        case .union(let branches):
            "any of (" + branches.map(\.description).joined(separator: "; ") + ")"
        case .intersection(let first, let second): "both of (\(first); \(second))"
        case .ranking(let index): "by rank" + (index.map { " in \($0)" } ?? " in all rows")
        case .walk(let index, let backwards): "\(backwards ? "back " : "")along \(index)"
        }
    }
}

extension QueryPlan.Index: CustomStringConvertible {
    /// One line: kind, name and properties.
    public var description: String {
        "\(kind) index \(name) (\(properties.joined(separator: ", ")))"
    }
}
