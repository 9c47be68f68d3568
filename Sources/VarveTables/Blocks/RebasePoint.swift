package import VarveEvents

/// The version of a state that an image holds, while the state goes on changing: what is changed since can be brought onto the
/// image.
///
///     state      image A, and pages of transactions 1...90
///     image B    what transactions 1...70 have led to
///     rebased    image B, and copies of the pages of 71...90
///
/// In image B pages have the numbers that they had in memory. So only pages that were made since are copied, and only they
/// name others by new numbers.
package struct RebasePoint: Sendable {
    /// Keeps the pages of the version as they are.
    private let state: State
    private let departures: Departures

    /// The point at which an image is planned.
    package init(_ plan: ImagePlan) { (state, departures) = (plan.state, plan.departures) }

    /// The newest transaction of the state in the image.
    package var lastTransaction: TransactionID { state.lastTransaction }

    /// Whether a state is of the store whose image was planned.
    package func isInStore(of state: State) -> Bool { state.store === self.state.store }

    /// Brings the newest state of the store onto the image.
    ///
    /// - Parameters:
    ///   - newest: no other thread changes its store meanwhile.
    ///   - image: the state that was opened from the image, which nothing has changed.
    /// - Returns: a state of the content of `newest` in the store of `image`.
    /// - Complexity: O(pages that were made since).
    package func rebase(_ newest: State, onto image: State) -> State {
        precondition(
            isInStore(of: newest) && image.version == state.version,
            "A state is brought onto an image of its own store")
        let transaction = StateTransaction(image)
        let copies = PageCopies(
            source: newest.pages, base: state.version, target: transaction.transaction)
        transaction.tables = newest.tables.map { $0.replacingRoots(copies.copy) }
        transaction.catalog = newest.catalog
        transaction.lastTransaction = newest.lastTransaction
        transaction.lastTime = newest.lastTime
        transaction.timeline = newest.timeline
        transaction.unknownEventCount = newest.unknownEventCount
        for number in departures.numbers(through: newest.version) {
            transaction.transaction.release(number)
        }
        return transaction.publish()
    }
}

/// Copies pages that were made behind a version to another store, which has all others under the numbers that they have.
private struct PageCopies {
    let source: PageTable
    let base: PageVersion
    let target: PageTransaction

    /// Copies a page and all below it that is as new; returns the number of the copy. Recursion is as deep as a tree.
    func copy(_ number: PageNumber) -> PageNumber {
        // A page that was not read is one of the image before: it is as old as that.
        guard number != .none, !source.isUnread(number) else { return number }
        let page = source[number]
        guard page.birth > base else { return number }
        let (copyNumber, copy) = target.copy(page)
        PageAnatomy.replaceReferences(of: copy, self.copy)
        return copyNumber
    }
}

extension Table {
    /// The table with other pages at the top of its structures.
    fileprivate func replacingRoots(_ body: (PageNumber) -> PageNumber) -> Table {
        func replaced(_ root: PageArray.Root) -> PageArray.Root {
            PageArray.Root(page: body(root.page), height: root.height)
        }
        func replaced(_ tree: KeyTree) -> KeyTree {
            KeyTree(pageBytes: tree.pageBytes, root: body(tree.root), height: tree.height)
        }
        var parts = parts
        parts.rows = RowTree(replaced(rows.root), count: rows.count)
        parts.ids = IDMap(root: body(ids.root), key: ids.key)
        parts.links = links.map { LinkMap(replaced($0.root)) }
        parts.keptLists = keptLists.map { ($0.relation, LinkMap(replaced($0.lists.root))) }
        var table = Table(parts, layouts: layouts)
        table.indexes = indexes.map { declared in
            var index = declared.index
            let isTaken = index.take(replaced(index.tree), madeIn: index.form)
            precondition(isTaken, "An index takes over a tree of its own form")
            return DeclaredIndex(declaration: declared.declaration, index: index)
        }
        table.staleTrees = staleTrees.map(replaced)
        return table
    }
}
