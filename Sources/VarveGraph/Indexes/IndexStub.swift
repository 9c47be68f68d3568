@usableFromInline enum IndexKind: Sendable { case ordered, hash, unique, text }
@usableFromInline struct IndexComponent: Sendable {
    let path: SendablePath
    let descendingPath: SendablePath?
    let isDescending: Bool
}
@usableFromInline struct IndexDefinition<Entity>: Sendable {
    let name: String
    let kind: IndexKind
    let components: [IndexComponent]
}
@usableFromInline struct IndexBounds: Sendable {
    struct Bound { let operand: QueryOperand; let isInclusive: Bool }
    var equal: [QueryOperand] = []
    var lower: Bound?
    var upper: Bound?
}
@usableFromInline struct PostingRange: Sendable { var count: Int }
@usableFromInline enum PostingOrder: Sendable { case ascending(depth: Int), descending(depth: Int) }
extension Table {
    @usableFromInline var indexDefinitions: [IndexDefinition<Entity>] { [] }
    @usableFromInline func postings(of index: Int, in bounds: IndexBounds) -> PostingRange? { nil }
    @usableFromInline func forEachPosting(of index: Int, in range: PostingRange, order: PostingOrder? = nil, _ body: (UInt32, UInt64) -> Bool) {}
}
