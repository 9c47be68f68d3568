/// What an index holds about the rows of a table: entries in a tree, or the words of texts.
@usableFromInline
package struct IndexContent: Sendable {
    @usableFromInline var tree = PostingTree()
    /// Nil for every index but a full-text one, which has no entries in the tree.
    @usableFromInline var text: TextPostings?
    /// Of a unique index: whether two rows may have the same values, which stored rows may from before the
    /// constraint, and those whose resolver left it at that. Once true it stays so.
    @usableFromInline var mayHoldEqual = false

    @usableFromInline
    init(kind: IndexKind) { text = kind == .text ? TextPostings() : nil }

    @usableFromInline
    init(tree: PostingTree, mayHoldEqual: Bool) {
        self.tree = tree
        self.mayHoldEqual = mayHoldEqual
    }
}
