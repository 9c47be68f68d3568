/// What an index holds about the rows of a table: entries in a tree, or the words of texts.
@usableFromInline
package struct IndexContent: Sendable {
    @usableFromInline var tree = PostingTree()
    /// Nil for every index but a full-text one, which has no entries in the tree.
    @usableFromInline var text: TextPostings?

    @usableFromInline
    init(kind: IndexKind) { text = kind == .text ? TextPostings() : nil }

    @usableFromInline
    init(tree: PostingTree) { self.tree = tree }
}
