/// A condition on rows, without their type: a test, and what the planner needs to know of it.
///
/// Whatever passes conditions on and weighs them is compiled once for all types; if it knew the type, it
/// would look up at run time what it needs of it, for microseconds a query.
@usableFromInline
struct RowCondition: Sendable {
    /// Tests a row in place, where its table holds it: copying it first would cost several times
    /// the test, and its metadata stand beside it.
    @usableFromInline let matches: @Sendable (UnsafeRawPointer) -> Bool
    /// The condition as data.
    @usableFromInline let structure: PredicateStructure
    /// How deep conditions of one kind nest; 0 but for what ``joined(_:_:by:)`` made.
    let height: UInt8

    @usableFromInline
    init(
        _ structure: PredicateStructure,
        matches: @escaping @Sendable (UnsafeRawPointer) -> Bool
    ) {
        self.init(structure, height: 0, matches: matches)
    }

    init(
        _ structure: PredicateStructure, height: UInt8,
        matches: @escaping @Sendable (UnsafeRawPointer) -> Bool
    ) {
        self.structure = structure
        self.height = height
        self.matches = matches
    }
}

/// What a predicate is made of. One word, whatever it is.
@usableFromInline
enum PredicateStructure: Sendable {
    case property(PropertyCondition)
    indirect case text(TextCondition)
    case conjunction([RowCondition])
    case disjunction([RowCondition])
    indirect case negation(RowCondition)
    /// Something that only a test of the row can tell, in words.
    indirect case opaque(String)
}
