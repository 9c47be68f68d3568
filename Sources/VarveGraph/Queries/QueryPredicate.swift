/// A condition on the rows of one type: a test, and what the planner needs to know of it.
///
/// Comparisons of key paths make one (`\.age >= 18`), ``string(_:contains:caseSensitive:diacriticSensitive:)`` and its
/// relatives make one, and `&&`, `||` and `!` combine them.
public struct QueryPredicate<Entity: EntityModelProtocol>: Sendable {
    @usableFromInline let condition: RowCondition

    @inlinable
    init(_ condition: RowCondition) { self.condition = condition }

    @inlinable
    init(
        _ structure: PredicateStructure,
        matches: @escaping @Sendable (UnsafeRawPointer) -> Bool
    ) { condition = RowCondition(structure, matches: matches) }

    /// A condition written as a closure. No index can serve it, and it cannot read relations.
    public static func satisfying(
        _ body: @escaping @Sendable (Entity) -> Bool
    ) -> QueryPredicate<Entity> {
        QueryPredicate(.opaque("a closure")) { row in
            Entity._withCoveredRow(row) { body($0.pointee) }
        }
    }
}

// The names that code written for separate kinds of predicates may spell.

/// A comparison for equality.
public typealias EqualityPredicate<Entity: EntityModelProtocol, Value> = QueryPredicate<Entity>
/// A comparison for order.
public typealias ComparisonPredicate<Entity: EntityModelProtocol, Value> = QueryPredicate<Entity>
/// A comparison of a property with a value.
public typealias Predicate<Entity: EntityModelProtocol, Value> = QueryPredicate<Entity>
/// A condition on text.
public typealias StringPredicate<Entity: EntityModelProtocol> = QueryPredicate<Entity>
/// A condition on text by a regular expression.
public typealias RegexPredicate<Entity: EntityModelProtocol> = QueryPredicate<Entity>
