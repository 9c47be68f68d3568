package import VarveEvents

extension StateTransaction {
    /// Keeps an index on the live entities of a type, built from their rows now. O(n log n).
    ///
    /// Returns false where there can be none: the type lacks one of the fields, or has one whose
    /// order is the application's. An index that was declared before stays as it is.
    ///
    /// - Throws: ``ReplayError`` where a row has no key. The caller rolls back.
    package func declareIndex(
        of type: TypeNumber, _ declaration: IndexDeclaration
    ) throws(ReplayError) -> Bool {
        guard let table = tablePosition(of: type) else { return false }
        if tables[table].indexes.contains(where: { $0.declaration == declaration }) { return true }
        guard let index = FieldIndex(tables[table].layout, declaration) else { return false }
        let built = try filled(index, of: table, in: lastTransaction)
        tables[table].indexes.append(.init(declaration: declaration, index: built))
        return true
    }

    /// Releases an index. Does nothing where there is none.
    package func dropIndex(of type: TypeNumber, _ declaration: IndexDeclaration) {
        guard let table = tablePosition(of: type) else { return }
        for position in tables[table].indexes.indices.reversed()
        where tables[table].indexes[position].declaration == declaration {
            tables[table].indexes[position].index.removeAll(in: transaction)
            tables[table].indexes.remove(at: position)
        }
    }

    /// Releases all indexes of a type.
    func dropIndexes(of type: TypeNumber) {
        guard let table = tablePosition(of: type) else { return }
        for known in tables[table].indexes { dropIndex(of: type, known.declaration) }
    }

    /// Releases the pages of indexes that this program cannot use. Reads all of them.
    package func releaseStaleIndexes() {
        for table in tables.indices {
            for position in tables[table].staleTrees.indices {
                tables[table].staleTrees[position].removeAll(in: transaction)
            }
            tables[table].staleTrees = []
        }
    }

    /// Makes the indexes of a table fit its newest definition. Those are built anew in which a field has
    /// another type now; those that the definition lacks a field of go.
    func reviseIndexes(of type: Int, in id: TransactionID) throws(ReplayError) {
        for position in tables[type].indexes.indices.reversed() {
            let declaration = tables[type].indexes[position].declaration
            let revised = FieldIndex(tables[type].layout, declaration)
            if var revised, revised.takeEntries(of: tables[type].indexes[position].index) {
                tables[type].indexes[position].index = revised
                continue
            }
            tables[type].indexes[position].index.removeAll(in: transaction)
            if let revised {
                tables[type].indexes[position].index = try filled(revised, of: type, in: id)
            } else {
                tables[type].indexes.remove(at: position)
            }
        }
    }

    /// Releases the indexes of which the transaction removed more than a quarter of the entries. What replays much makes
    /// them anew behind it.
    ///
    /// To change an entry takes four to seven times as long as to make one of many, and to remove one two to four times. A
    /// new row's entry takes hardly longer than one of many, so new rows do not count.
    package func dropWornIndexes() {
        for table in tables.indices {
            let type = tables[table].definition.number
            for known in tables[table].indexes
            where known.removalCount * 4 > tables[table].liveCount {
                dropIndex(of: type, known.declaration)
            }
        }
    }

    /// Begins to count what is removed.
    func forgetRemovedEntries() {
        for table in tables.indices {
            for position in tables[table].indexes.indices {
                tables[table].indexes[position].removalCount = 0
            }
        }
    }

    /// An index with the entries of all live entities.
    private func filled(
        _ empty: FieldIndex, of type: Int, in id: TransactionID
    ) throws(ReplayError) -> FieldIndex {
        var index = UnfinishedIndex(empty, ofTableAt: type, in: self)
        do throws(RowFault) {
            while try index.advance(in: self) {}
            return index.index
        } catch {
            index.removeAll(in: self)
            let entry = tables[type].rows.entry(error.slot, in: transaction.pages)
            let definition = tables[type].definition
            throw .entity(
                id, type: definition.name, id: definition.idType.text(of: entry.id), error.fault)
        }
    }
}
