/// Compares all indexes of a state with its rows, in steps of some milliseconds.
///
/// The entries are made of the rows, in ranges of keys of which one fits into memory, and compared with a walk over the stored
/// ones. Of an image, neither rows nor the indexes' leaves stay in memory, where both are stored in order.
package struct IndexVerification: ~Copyable {
    private let state: State
    private let keyBytesMax: Int
    /// Which are still to be compared.
    private var waiting: ArraySlice<(table: Int, index: Int)>
    /// The first of them, once it was begun.
    private var current: IndexComparison?

    /// How many indexes there are to compare.
    package let count: Int
    /// How many indexes of an image are not compared: this program would make other keys, and does not use them.
    package let staleCount: Int

    /// - Parameter keyBytesMax: how many bytes of keys may be in memory at once, with 16 for each. One key always may. All rows
    ///   are read for each range.
    package init(_ state: State, keyBytesMax: Int = IndexBuilding.usualKeyBytesMax) {
        self.state = state
        self.keyBytesMax = keyBytesMax
        waiting =
            state.tables.indices.flatMap { table in
                state.tables[table].indexes.indices.map { (table, $0) }
            }[...]
        count = waiting.count
        staleCount = state.tables.reduce(0) { $0 + $1.staleTrees.count }
    }

    /// Goes on; false when all indexes were compared. Call it inside ``State/reading(_:)``.
    ///
    /// - Throws: the first problem of an index. The next call begins with the next index.
    package mutating func advance() throws(IndexProblem) -> Bool {
        guard let next = waiting.first else { return false }
        var comparison = current.take() ?? begin(next.table, next.index)
        do throws(IndexProblem) {
            if try comparison.advance() {
                current = consume comparison
                return true
            }
        } catch {
            waiting.removeFirst()
            throw error
        }
        waiting.removeFirst()
        return true
    }

    private func begin(_ position: Int, _ index: Int) -> IndexComparison {
        let table = state.tables[position]
        return IndexComparison(
            of: table.indexes[index], in: table, state.pages, keyBytesMax: keyBytesMax)
    }
}
