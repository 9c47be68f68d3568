// A tree whose leaves are loaded, and the tree with all of them.
extension PageTree {
    /// Calls `body` with each leaf, the tree's own or a stored one, and the index of its first element, until it returns
    /// false. Stored leaves are decoded and cached.
    func forEachStoredNode(_ body: (Int, UnsafeRawPointer) throws -> Bool) rethrows {
        let end = max(stored?.count ?? 0, root == nil ? 0 : capacity >> leafShift)
        for number in 0..<end {
            let index = number << leafShift
            guard let leaf = nodes.nodeInTree(holding: index) ?? stored?.node(number) else {
                continue
            }
            guard try body(index, leaf) else { return }
        }
    }

    /// Scans all leaves: calls `body` with each and the index of its first element, forwards or backwards, until it returns
    /// false. Stored leaves are decoded for the call alone.
    func forEachScannedNode(
        isReversed: Bool = false, _ body: (Int, UnsafeRawPointer) throws -> Bool
    ) rethrows {
        let end = max(stored?.count ?? 0, root == nil ? 0 : capacity >> leafShift)
        try withExtendedLifetime(self) {
            for step in 0..<end {
                let number = isReversed ? end - 1 - step : step
                let index = number << leafShift
                var owner: AnyObject?
                guard
                    let leaf = nodes.nodeInTree(holding: index)
                        ?? stored?.node(number, pinnedBy: &owner)
                else { continue }
                let goesOn = try withExtendedLifetime(owner) { try body(index, leaf) }
                if !goesOn { return }
            }
        }
    }

    /// Scans the stored leaves, also those that a leaf of the tree's own replaces: calls `body` with each and the index of
    /// its first element until it returns false.
    func forEachLeafOfSource(_ body: (Int, UnsafeRawPointer) -> Bool) {
        guard let stored else { return }
        for number in 0..<stored.count {
            var owner: AnyObject?
            guard let leaf = stored.node(number, pinnedBy: &owner) else { continue }
            let goesOn = withExtendedLifetime(owner) { body(number << leafShift, leaf) }
            if !goesOn { return }
        }
    }

    /// Calls `body` with each leaf of the tree's own and the index of its first element.
    func forEachOwnNode(_ body: (Int, UnsafeRawPointer) -> Void) {
        withExtendedLifetime(self) {
            LeafNodes(root: nodes.root, height: height).forEach { body($0 << leafShift, $1) }
        }
    }

    /// How many leaves the tree has of its own. O(such leaves)
    var ownLeafCount: Int {
        var count = 0
        forEachOwnNode { _, _ in count += 1 }
        return count
    }

    /// The tree with the leaves of another one, which has all that are stored of this one, in the place of those.
    /// O(leaves of its own).
    func completed(by whole: PageTree) -> PageTree {
        var tree = whole
        forEachOwnNode { index, node in
            let leaf = Unmanaged<AnyObject>.fromOpaque(node).takeUnretainedValue()
            tree.setLeaf(at: index, to: leaf)
        }
        return tree
    }
}
