extension AnyTable {
    /// The postings that may lie within the bounds, or nil where the index cannot tell: an operand
    /// of another type, or an index for equality that is not asked for all of its values.
    /// O(log n).
    ///
    /// A superset: a hash may stand for several values. Rows are to be tested again.
    final func postings(of index: Int, in bounds: IndexBounds) -> PostingRange? {
        let definition = indexDefinitions[index]
        switch definition.content {
        case .hashed(let properties): return postings(of: index, properties, in: bounds)
        case .ordered(let properties): return postings(of: index, properties, in: bounds)
        case .text: return nil
        }
    }

    final func postings(
        of index: Int, _ properties: [HashedColumn], in bounds: IndexBounds
    ) -> PostingRange? {
        guard bounds.equal.count == properties.count, bounds.lower == nil, bounds.upper == nil
        else { return nil }
        guard properties.count > 1 else {
            return properties[0].hashOperand(bounds.equal[0])
                .map { indexContents[index].postings(underHash: $0) }
        }
        var hasher = Hasher()
        for (property, operand) in zip(properties, bounds.equal) {
            guard let hash = property.hashOperand(operand) else { return nil }
            hasher.combine(hash)
        }
        return indexContents[index].postings(underHash: ValueHash.finish(hasher))
    }

    final func postings(
        of index: Int, _ properties: [OrderedColumn], in bounds: IndexBounds
    ) -> PostingRange? {
        guard bounds.equal.count <= properties.count else { return nil }
        if bounds.isOpen { return .ranks(0..<indexContents[index].tree.count) }
        var values: [IndexBoundValue] = []
        for (property, operand) in zip(properties, bounds.equal) {
            guard let value = property.bound(operand) else { return nil }
            values.append(value)
        }
        var start = IndexEdge(values: values, isBehindEqual: false)
        var end = IndexEdge(values: values, isBehindEqual: true)
        if bounds.lower != nil || bounds.upper != nil {
            guard values.count < properties.count else { return nil }
            let property = properties[values.count]
            let isDescending = property.component.isDescending
            let first = isDescending ? bounds.upper : bounds.lower
            let last = isDescending ? bounds.lower : bounds.upper
            if let first {
                guard let value = property.bound(first.operand) else { return nil }
                start = IndexEdge(values: values + [value], isBehindEqual: !first.isInclusive)
            }
            if let last {
                guard let value = property.bound(last.operand) else { return nil }
                end = IndexEdge(values: values + [value], isBehindEqual: last.isInclusive)
            }
        }
        let lower = rank(of: index, start)
        return .ranks(lower..<max(lower, rank(of: index, end)))
    }

    final func rank(of index: Int, _ edge: IndexEdge) -> Int {
        let tree = indexContents[index].tree
        guard let first = edge.values.first else { return edge.isBehindEqual ? tree.count : 0 }
        return tree.rank(
            ofBound: first.key, isExact: edge.values.count == 1 && first.isExact,
            isBehindEqual: edge.isBehindEqual
        ) { slot in
            withRawRow(at: Slot(slot)) { edge.compare($0) } ?? 0
        }
    }

    // MARK: - Walking

    /// Calls `body` with each posting of a range of an ordered index, in the wanted order, until it returns false.
    final func forEachPosting(
        of index: Int, in range: PostingRange, order: PostingOrder,
        _ body: (_ slot: UInt32, _ ordinal: UInt64) -> Bool
    ) {
        guard case .ranks(let ranks) = range else {
            preconditionFailure("an index without an order is not walked in one")
        }
        let depth = indexDefinitions[index].components.count
        switch order {
        case .descending(let wanted): walkBackward(index, ranks, depth: wanted, body)
        case .ascending(let wanted) where wanted < depth:
            walkForward(index, ranks, depth: wanted, body)
        case .ascending:
            indexContents[index].tree.forEachSpan(in: ranks) { span in
                for position in 0..<span.count {
                    guard body(span.slots[position], span.ordinals[position]) else { return false }
                }
                return true
            }
        }
    }

    /// Forward, and in insertion order where the first `depth` components are equal.
    final func walkForward(
        _ index: Int, _ ranks: Range<Int>, depth: Int, _ body: (UInt32, UInt64) -> Bool
    ) {
        let definition = indexDefinitions[index]
        var group: [IndexEntry] = []
        var isWanted = true
        indexContents[index].tree.forEachSpan(in: ranks) { span in
            for position in 0..<span.count {
                let entry = span[position]
                if let last = group.last, !areEqual(last, entry, depth, definition) {
                    isWanted = AnyTable.emit(&group, isSorted: false, body)
                    guard isWanted else { return false }
                }
                group.append(entry)
            }
            return true
        }
        if isWanted { _ = AnyTable.emit(&group, isSorted: false, body) }
    }

    /// Backward, but in insertion order where the first `depth` components are equal.
    final func walkBackward(
        _ index: Int, _ ranks: Range<Int>, depth: Int, _ body: (UInt32, UInt64) -> Bool
    ) {
        let definition = indexDefinitions[index]
        let tree = indexContents[index].tree
        // Entries that are equal in all components stand in insertion order already.
        let isSorted = depth >= definition.components.count
        var end = ranks.upperBound
        while end > ranks.lowerBound {
            var group: [IndexEntry] = []
            var isWanted = true
            var groupEnd = end
            var position = end
            tree.forEachSpan(in: ranks.lowerBound..<end, isReversed: true) { span in
                for offset in (0..<span.count).reversed() {
                    let entry = span[offset]
                    if let last = group.last, !areEqual(last, entry, depth, definition) {
                        group.reverse()
                        isWanted = AnyTable.emit(&group, isSorted: isSorted, body)
                        guard isWanted else { return false }
                        groupEnd = position
                    }
                    group.append(entry)
                    position -= 1
                    // The start of a long run of equals is found faster than walked to.
                    if group.count > 16 { return false }
                }
                return true
            }
            guard isWanted else { return }
            guard position > ranks.lowerBound, let last = group.last else {
                group.reverse()
                _ = AnyTable.emit(&group, isSorted: isSorted, body)
                return
            }
            let start = max(ranks.lowerBound, startOfGroup(of: last, index, depth))
            guard emitRun(start..<groupEnd, of: tree, isSorted: isSorted, body) else { return }
            end = start
        }
    }

    /// Hands on a run of equals, forward.
    final func emitRun(
        _ ranks: Range<Int>, of tree: PostingTree, isSorted: Bool, _ body: (UInt32, UInt64) -> Bool
    ) -> Bool {
        var isWanted = true
        var group: [IndexEntry] = []
        tree.forEachSpan(in: ranks) { span in
            for offset in 0..<span.count {
                if isSorted {
                    isWanted = body(span.slots[offset], span.ordinals[offset])
                    guard isWanted else { return false }
                } else {
                    group.append(span[offset])
                }
            }
            return true
        }
        return isWanted && AnyTable.emit(&group, isSorted: isSorted, body)
    }

    final func startOfGroup(of entry: IndexEntry, _ index: Int, _ depth: Int) -> Int {
        let definition = indexDefinitions[index]
        guard depth > 0, let row = rawRow(at: Slot(entry.slot)) else { return 0 }
        let isExact = definition.components.count == 1 && definition.key(row).isExact
        return indexContents[index].tree.rank(
            ofBound: entry.key, isExact: isExact, isBehindEqual: false
        ) { slot in
            withRawRow(at: Slot(slot)) { definition.compare(row, $0, depth: depth) } ?? 0
        }
    }

    final func areEqual(
        _ first: IndexEntry, _ second: IndexEntry, _ depth: Int,
        _ definition: IndexDefinition
    ) -> Bool {
        if depth == 0 { return true }
        if first.key != second.key { return false }
        guard let row = rawRow(at: Slot(first.slot)), let other = self.rawRow(at: Slot(second.slot))
        else { return false }
        return definition.compare(row, other, depth: depth) == 0
    }

    static func emit(
        _ group: inout [IndexEntry], isSorted: Bool, _ body: (UInt32, UInt64) -> Bool
    ) -> Bool {
        if !isSorted && group.count > 1 { group.sort { $0.ordinal < $1.ordinal } }
        for entry in group {
            guard body(entry.slot, entry.ordinal) else { return false }
        }
        group.removeAll(keepingCapacity: true)
        return true
    }

    // MARK: - Equal rows

    /// The first other row that has the values of a row that is to be stored, at a slot if its id is known.
    ///
    /// - Parameter known: the row's key, if it had to be made.
    final func rival(
        of row: UnsafeRawPointer, at slot: Slot?, in index: Int,
        _ foreseen: ForeseenKey?, noting known: inout KnownKey
    ) -> Slot? {
        if let slot, isUndisputed(row, at: slot, in: index) { return nil }
        known = key(of: row, in: index, foreseen)
        guard isFilled else {
            switch storedRival(of: row, at: slot, in: index, hash: known.key) {
            case .found(let rival): return rival
            case .none: return nil
            case .unknown where isScanned: return scannedRival(of: row, at: slot, in: index)
            case .unknown:
                return filled().firstSlot(sharing: index, with: row, except: slot, known)
            }
        }
        return firstSlot(sharing: index, with: row, except: slot, known)
    }

    /// Whether a row that is to be stored at a slot has the values there that no other row has: most that are saved
    /// again do, and need not be looked for.
    final func isUndisputed(_ row: UnsafeRawPointer, at slot: Slot, in index: Int) -> Bool {
        guard isFilled else { return isUndisputedAsStored(row, at: slot, in: index) }
        guard !indexContents[index].mayHoldEqual else { return false }
        return withRawRow(at: slot) { indexDefinitions[index].isSame($0, row) } ?? false
    }

    /// The key of a row in an index: the foreseen one, where it is of this index and the value is still the same.
    final func key(
        of row: UnsafeRawPointer, in index: Int, _ foreseen: ForeseenKey?
    ) -> KnownKey {
        let definition = indexDefinitions[index]
        if let foreseen, foreseen.key.index == index, definition.isSame(foreseen.entity, row) {
            return foreseen.key
        }
        return KnownKey(of: index, definition.key(row))
    }

    /// The first row in insertion order that has a row's values in an index, except that at a slot.
    ///
    /// - Parameter known: the row's key in the index.
    final func firstSlot(
        sharing index: Int, with row: UnsafeRawPointer, except slot: Slot?, _ known: KnownKey
    ) -> Slot? {
        guard hasEntry(withKey: known.key, in: index) else { return nil }
        return firstSlot(withKey: known, sharing: index, with: row, except: slot)
    }

    /// The first row in insertion order that has a row's values, where some entry has the key.
    final func firstSlot(
        withKey known: KnownKey, sharing index: Int, with row: UnsafeRawPointer,
        except slot: Slot?
    ) -> Slot? {
        let definition = indexDefinitions[index]
        guard indexContents[index].slots == nil else {
            return firstSlot(underHash: known.key, sharing: index, with: row, except: slot)
        }
        let tree = indexContents[index].tree
        let (key, isExact) = (known.key, known.isExact)
        let start = tree.rank(ofBound: key, isExact: isExact, isBehindEqual: false) { slot in
            compare(row, withRowAt: slot, definition)
        }
        var found: Slot?
        tree.forEachSpan(in: start..<tree.count) { span in
            for position in 0..<span.count {
                let candidate = Slot(span.slots[position])
                guard span.keys[position] == key,
                    compare(row, withRowAt: candidate.rawValue, definition) == 0
                else { return false }
                let isSame = withRawRow(at: candidate) { definition.isSame(row, $0) }
                guard let isSame else { return false }
                guard candidate != slot, isSame else { continue }
                found = candidate
                return false
            }
            return true
        }
        return found
    }

    /// The first row in insertion order that has a row's values, in a map.
    final func firstSlot(
        underHash hash: UInt64, sharing index: Int, with row: UnsafeRawPointer,
        except slot: Slot?
    ) -> Slot? {
        let entries = indexContents[index].entries(underHash: hash)
        return firstSlot(
            among: entries.lazy.map { IDEntry.slot($0) }, sharing: index, with: row, except: slot)
    }

    /// The first row in insertion order, of those at some slots, that has a row's values.
    final func firstSlot(
        among candidates: some Sequence<Slot>, sharing index: Int, with row: UnsafeRawPointer,
        except slot: Slot?
    ) -> Slot? {
        var first: (slot: Slot, ordinal: UInt64)?
        for candidate in candidates where candidate != slot {
            guard withRawRow(at: candidate, { indexDefinitions[index].isSame(row, $0) }) == true
            else { continue }
            let ordinal = metadata(of: candidate).ordinal
            if first.map({ ordinal < $0.ordinal }) ?? true { first = (candidate, ordinal) }
        }
        return first?.slot
    }
}

/// One end of the postings that are asked for: in front of all that are equal to the values, or
/// behind them. No value stands for the whole index.
struct IndexEdge {
    let values: [IndexBoundValue]
    let isBehindEqual: Bool

    init(values: [IndexBoundValue], isBehindEqual: Bool) {
        self.values = values
        self.isBehindEqual = isBehindEqual
    }

    func compare(_ row: UnsafeRawPointer) -> Int {
        for value in values {
            let order = value.compare(row)
            if order != 0 { return order }
        }
        return 0
    }
}
