/// A condition on the rows of one type: a test, and what the planner needs to know of it.
///
/// Comparisons of key paths make one (`\.age >= 18`), ``string(_:contains:caseSensitive:)`` and its
/// relatives make one, and `&&`, `||` and `!` combine them.
public struct QueryPredicate<Entity: EntityModelProtocol>: Sendable {
    /// Tests a row in place, where its table holds it: copying it first would cost several times
    /// the test, and its metadata stand beside it.
    @usableFromInline let matches: @Sendable (UnsafePointer<Entity>) -> Bool
    /// The same condition as data.
    @usableFromInline let structure: PredicateStructure<Entity>

    @usableFromInline
    init(
        _ structure: PredicateStructure<Entity>,
        matches: @escaping @Sendable (UnsafePointer<Entity>) -> Bool
    ) {
        self.structure = structure
        self.matches = matches
    }

    /// A condition that no index can serve.
    @usableFromInline
    init(matches: @escaping @Sendable (UnsafePointer<Entity>) -> Bool) {
        self.init(.opaque("a closure"), matches: matches)
    }

    /// A condition written as a closure. No index can serve it.
    public static func satisfying(
        _ body: @escaping @Sendable (Entity) -> Bool
    ) -> QueryPredicate<Entity> {
        QueryPredicate { body($0.pointee) }
    }
}

/// What a predicate is made of.
@usableFromInline
indirect enum PredicateStructure<Entity: EntityModelProtocol>: Sendable {
    case property(PropertyCondition)
    case text(TextCondition<Entity>)
    case conjunction([QueryPredicate<Entity>])
    case disjunction([QueryPredicate<Entity>])
    case negation(QueryPredicate<Entity>)
    /// Something that only a test of the row can tell, in words.
    case opaque(String)
}

// The names that code written for separate kinds of predicates may spell.

/// A comparison for equality.
public typealias EqualityPredicate<Entity: EntityModelProtocol, Value> = QueryPredicate<Entity>
/// A comparison for order.
public typealias ComparisonPredicate<Entity: EntityModelProtocol, Value> = QueryPredicate<Entity>
/// A condition on text.
public typealias StringPredicate<Entity: EntityModelProtocol> = QueryPredicate<Entity>
