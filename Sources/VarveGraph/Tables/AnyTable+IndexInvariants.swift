extension AnyTable {
    /// Checks that each index holds exactly the rows, under their values, in order. O(n log n).
    func checkIndexes() {
        for (definition, content) in zip(indexDefinitions, indexContents) {
            if let fields = definition.textFields {
                checkText(content, fields)
                continue
            }
            if let map = content.slots {
                checkMap(map, definition)
                continue
            }
            let tree = content.tree
            tree.checkInvariants(isExact: { self.isExact($0, definition) }) { first, second in
                guard let row = self.rawRow(at: Slot(first)) else { return 0 }
                return self.compare(row, withRowAt: second, definition)
            }
            precondition(tree.count == liveCount, "the index \(definition.name) misses rows")
            var seen = Set<UInt32>()
            for entry in tree.postings {
                let slot = Slot(entry.slot)
                guard let row = rawRow(at: slot) else {
                    preconditionFailure("an entry of a row that is gone in \(definition.name)")
                }
                precondition(
                    seen.insert(entry.slot).inserted, "a row twice in \(definition.name)")
                precondition(
                    definition.key(row).key == entry.key,
                    "an entry under another value than its row has in \(definition.name)")
                precondition(
                    metadata(of: slot).ordinal == entry.ordinal,
                    "an entry with another ordinal than its row in \(definition.name)")
            }
        }
    }

    private func checkMap(_ map: IDMap, _ definition: IndexDefinition) {
        map.checkInvariants()
        precondition(map.count == liveCount, "the index \(definition.name) misses rows")
        var seen = Set<UInt32>()
        for entry in map.entries {
            let slot = IDEntry.slot(entry)
            guard let row = rawRow(at: slot) else {
                preconditionFailure("an entry of a row that is gone in \(definition.name)")
            }
            precondition(
                seen.insert(slot.rawValue).inserted, "a row twice in \(definition.name)")
            precondition(
                IDEntry.make(definition.key(row).key, slot) == entry,
                "an entry under another value than its row has in \(definition.name)")
        }
    }

    private func checkText(_ content: IndexContent, _ fields: [TextField]) {
        guard let text = content.text, let rebuilt = builtTextIndex(fields).text else {
            preconditionFailure("a full-text index without words")
        }
        text.checkInvariants()
        precondition(text.documentCount == liveCount, "a full-text index misses rows")
        precondition(
            text.frequencies == rebuilt.frequencies, "a full-text index has other words than rows")
    }
}

extension TextPostings {
    /// How often each token stands in each document. O(postings).
    var frequencies: [UInt64: [UInt32: UInt32]] {
        var frequencies: [UInt64: [UInt32: UInt32]] = [:]
        tokens.forEach { token, list in
            list.forEach { frequencies[token, default: [:]][$0] = $1 }
        }
        return frequencies
    }
}
