package import VarveEvents

/// Makes the indexes of some of a transaction's types those that are wanted: drops others, and builds those that are missing
/// of the rows.
///
/// Each step takes a millisecond or two, on the thread that may change the store. The transaction is published when all are
/// there, or rolled back.
package struct IndexBuilding: ~Copyable {
    /// The usual bound of the keys that are in memory, in bytes.
    package static let usualKeyBytesMax = 64 << 20

    private let transaction: StateTransaction
    private let keyBytesMax: Int
    /// What is still to be built.
    private var missing: ArraySlice<(table: Int, declaration: IndexDeclaration)>
    /// The first of them, once it was begun.
    private var current: UnfinishedIndex?

    /// Drops what is not wanted, and reads the nodes of that.
    ///
    /// - Parameters:
    ///   - wanted: the indexes of each type. One that cannot be made is left out: its type lacks a field, or has one whose
    ///     order is the application's. Types that are not named keep theirs: another app may need them.
    ///   - keyBytesMax: how many bytes of keys may be in memory at once, with 16 for each; but one key always is. An index
    ///     with more is made in ranges, and all rows are read once for each range.
    package init(
        in transaction: StateTransaction, wanted: [TypeNumber: [IndexDeclaration]],
        keyBytesMax: Int = Self.usualKeyBytesMax
    ) {
        self.transaction = transaction
        self.keyBytesMax = keyBytesMax
        transaction.releaseStaleIndexes()
        var missing: [(table: Int, declaration: IndexDeclaration)] = []
        for table in transaction.tables.indices {
            let type = transaction.tables[table].definition.number
            guard let wanted = wanted[type] else { continue }
            for known in transaction.tables[table].indexes.map(\.declaration)
            where !wanted.contains(known) {
                transaction.dropIndex(of: type, known)
            }
            missing += wanted.map { (table, $0) }
        }
        self.missing = missing[...]
    }

    /// Goes on; false when all are there.
    package mutating func advance() -> Bool {
        guard let next = missing.first else { return false }
        guard var index = current.take() ?? begin(next.declaration, next.table) else {
            missing.removeFirst()
            return true
        }
        do throws(RowFault) {
            if try index.advance(in: transaction) {
                current = consume index
                return true
            }
            transaction.tables[next.table].indexes.append(
                .init(declaration: next.declaration, index: index.index))
        } catch {
            // A row has no key. What reads it says so; an index of the other rows would be none.
            index.removeAll(in: transaction)
        }
        missing.removeFirst()
        return true
    }

    /// Nil where the index is there, or cannot be made.
    private func begin(_ declaration: IndexDeclaration, _ table: Int) -> UnfinishedIndex? {
        let known = transaction.tables[table]
        guard !known.indexes.contains(where: { $0.declaration == declaration }) else { return nil }
        return FieldIndex(known.layout, declaration).map {
            UnfinishedIndex($0, ofTableAt: table, in: transaction, keyBytesMax: keyBytesMax)
        }
    }
}
