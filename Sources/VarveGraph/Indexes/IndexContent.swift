/// What an index holds about the rows of a table.
@usableFromInline
package struct IndexContent: Sendable {
    @usableFromInline var tree = PostingTree()

    @usableFromInline
    init() {}

    @usableFromInline
    init(tree: PostingTree) { self.tree = tree }
}
