internal import VarveTables

/// Which rows a query reads. The result is the same whichever it is.
enum RowSource {
    case ids(SoughtIDs)
    case index(IndexedRows)
    case all

    /// The first that there is:
    ///
    /// | The condition | rows |
    /// |---|---|
    /// | holds for certain ids alone | of the ids |
    /// | limits the first property of a stored index, which names at most one row in 16 | that the index names |
    /// | is any other, or none; or tombstones are wanted | all |
    ///
    /// - Parameter usesIndexes: false to scan where an index would do.
    init(_ query: BoundQuery, _ state: State, usesIndexes: Bool) {
        if let ids = query.soughtIDs {
            self = .ids(ids)
        } else if usesIndexes, let rows = IndexedRows(query, state) {
            self = .index(rows)
        } else {
            self = .all
        }
    }
}
