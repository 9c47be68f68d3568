internal import Foundation

/// What the expressions of a query are for a row.
struct QueryEvaluator {
    let rows: QueryRows

    func holds(
        _ condition: BoundExpression, for row: QueryRow
    ) throws(InspectionError) -> Bool {
        if case .bool(true) = try value(of: condition, for: row) { return true }
        return false
    }

    /// The value to compare by: see ``QueryValue/plain(_:)``.
    func value(
        of expression: BoundExpression, for row: QueryRow
    ) throws(InspectionError) -> StoredContent {
        QueryValue.plain(try stored(expression, for: row))
    }

    /// The value as it is stored, to be written.
    func stored(
        _ expression: BoundExpression, for row: QueryRow
    ) throws(InspectionError) -> StoredContent {
        switch expression {
        case .constant(let content): return content
        case .id: return try row.id()
        case .field(let position): return try row.value(at: position)
        case .metadata(let metadata): return Self.value(of: metadata, row)
        case .member(let parent, let name):
            return Self.member(name, of: try value(of: parent, for: row))
        case .related(let relation, let inner):
            return try related(inner, over: relation, row)
        case .function(let function, let inner):
            return Self.value(of: function, try value(of: inner, for: row))
        case .linkCount(let relation, let condition):
            return .signed(Int64(try count(relation, where: condition, row)))
        case .aggregate: preconditionFailure("an aggregate is known of a group alone")
        default: return .bool(try test(expression, row))
        }
    }

    // MARK: Conditions

    private func test(
        _ expression: BoundExpression, _ row: QueryRow
    ) throws(InspectionError) -> Bool {
        switch expression {
        case .not(let inner): return try !holds(inner, for: row)
        case .and(let parts):
            for part in parts where try !holds(part, for: row) { return false }
            return true
        case .or(let parts):
            for part in parts where try holds(part, for: row) { return true }
            return false
        case .comparison(let comparison, let first, let second):
            return Self.holds(
                comparison, try value(of: first, for: row), try value(of: second, for: row))
        case .membership(let first, let members):
            let value = try value(of: first, for: row)
            for member in members
            where QueryValue.areEqual(value, try self.value(of: member, for: row)) {
                return true
            }
            return false
        case .isNull(let inner): return QueryValue.isNull(try value(of: inner, for: row))
        case .quantified(let quantifier, let relation, let condition):
            return try holds(quantifier, relation, condition, row)
        default: preconditionFailure("an expression that is no test")
        }
    }

    static func holds(
        _ comparison: QueryComparison, _ first: StoredContent, _ second: StoredContent
    ) -> Bool {
        switch comparison {
        case .equal: QueryValue.areEqual(first, second)
        case .notEqual: !QueryValue.areEqual(first, second)
        case .less: QueryValue.order(first, second) == .orderedAscending
        case .greater: QueryValue.order(first, second) == .orderedDescending
        case .lessOrEqual:
            [.orderedAscending, .orderedSame].contains(QueryValue.order(first, second))
        case .greaterOrEqual:
            [.orderedDescending, .orderedSame].contains(QueryValue.order(first, second))
        case .contains, .startsWith, .endsWith: holdsPart(comparison, first, second)
        }
    }

    private static func holdsPart(
        _ comparison: QueryComparison, _ first: StoredContent, _ second: StoredContent
    ) -> Bool {
        switch (comparison, first, second) {
        case (.contains, .array(let elements), _), (.contains, .set(let elements), _):
            elements.contains { QueryValue.areEqual(QueryValue.plain($0), second) }
        case (.contains, .string(let text), .string(let part)):
            part.isEmpty || text.contains(part)
        case (.startsWith, .string(let text), .string(let part)): text.hasPrefix(part)
        case (.endsWith, .string(let text), .string(let part)): text.hasSuffix(part)
        default: false
        }
    }

    // MARK: Relations

    private func related(
        _ inner: BoundExpression, over relation: BoundRelation, _ row: QueryRow
    ) throws(InspectionError) -> StoredContent {
        guard let slot = rows.targets(of: row.slot, relation).first else { return QueryValue.null }
        // The id is known, also of what the store does not hold.
        if case .id = inner { return try rows.id(of: relation.target, at: slot) }
        guard let target = try rows.row(of: relation.target, at: slot), !target.isDeleted else {
            return QueryValue.null
        }
        return try stored(inner, for: target)
    }

    private func holds(
        _ quantifier: QueryQuantifier, _ relation: BoundRelation, _ condition: BoundExpression,
        _ row: QueryRow
    ) throws(InspectionError) -> Bool {
        for slot in rows.targets(of: row.slot, relation) {
            guard let target = try rows.row(of: relation.target, at: slot), !target.isDeleted
            else { continue }
            let isMet = try holds(condition, for: target)
            if isMet == (quantifier == .any) { return quantifier == .any }
        }
        return quantifier == .all
    }

    private func count(
        _ relation: BoundRelation, where condition: BoundExpression?, _ row: QueryRow
    ) throws(InspectionError) -> Int {
        let slots = rows.targets(of: row.slot, relation)
        guard let condition else { return slots.count }
        var count = 0
        for slot in slots {
            guard let target = try rows.row(of: relation.target, at: slot), !target.isDeleted,
                try holds(condition, for: target)
            else { continue }
            count += 1
        }
        return count
    }

    // MARK: Values

    private static func value(of metadata: QueryMetadata, _ row: QueryRow) -> StoredContent {
        switch metadata {
        case .updatedAt: QueryValue.date(of: Moment(row.updatedAt))
        case .transaction: .unsigned(row.transaction.rawValue)
        case .ordinal: .unsigned(row.ordinal.rawValue)
        }
    }

    private static func member(_ name: String, of parent: StoredContent) -> StoredContent {
        switch parent {
        case .structure(let members), .enumeration(_, _, let members):
            members.first { $0.name == name }?.value ?? QueryValue.null
        case .dictionary(let entries):
            entries.first { QueryValue.areEqual(QueryValue.plain($0.key), .string(name)) }?.value
                ?? QueryValue.null
        default: QueryValue.null
        }
    }

    static func value(
        of function: QueryFunction, _ value: StoredContent
    ) -> StoredContent {
        switch (function, value) {
        case (.lower, .string(let text)): .string(text.lowercased())
        case (.length, .string(let text)): .signed(Int64(text.count))
        case (.length, .data(let bytes)): .signed(Int64(bytes.count))
        case (.length, .array(let elements)), (.length, .set(let elements)):
            .signed(Int64(elements.count))
        case (.length, .dictionary(let entries)): .signed(Int64(entries.count))
        case (.length, .structure(let members)): .signed(Int64(members.count))
        default: QueryValue.null
        }
    }
}
