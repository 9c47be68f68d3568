internal import VarveTables

/// Scans rows of a type that meet a condition.
struct RowScan: ~Copyable {
    /// Which rows may still come before those that were found.
    enum Front {
        /// Those that meet a test.
        case meeting(RowTest)
        /// Those before a place in the order of the type.
        case before(Ordinal)
    }

    private let reader: StateReader
    private let decoder: RowDecoder
    private let selection: RowSelection

    init(
        _ reader: consuming StateReader, _ decoder: RowDecoder, where condition: BoundExpression?,
        deleted: Bool
    ) {
        self.reader = reader
        self.decoder = decoder
        selection = RowSelection(decoder.definition, where: condition, deleted: deleted)
    }

    /// Calls `body` with each row in some leaves that its bytes do not refuse, which is valid during the call. Rows that are
    /// not in the front that it returned last, if any, are not looked for any more.
    func forEachRow(
        in leaves: ArraySlice<StoredLeaf>, _ body: (QueryRow) throws(InspectionError) -> Front?
    ) throws(InspectionError) {
        try forEachBatch(in: leaves) { batch throws(InspectionError) in
            for (row, verdict) in zip(selection.rows, selection.verdicts) {
                guard
                    let front = try body(
                        try self.row(Int(row), of: batch, isAdmitted: verdict == .admitted))
                else { continue }
                selection.restrict(to: front)
            }
        }
    }

    /// The number of rows in some leaves that meet the condition. Their values are made where bytes do not tell.
    ///
    /// - Parameter isMet: whether a row meets the condition by its values.
    func count(
        in leaves: ArraySlice<StoredLeaf>, _ isMet: (QueryRow) throws(InspectionError) -> Bool
    ) throws(InspectionError) -> Int {
        var count = 0
        try forEachBatch(in: leaves) { batch throws(InspectionError) in
            for (row, verdict) in zip(selection.rows, selection.verdicts) {
                if verdict == .admitted {
                    count &+= 1
                } else if try isMet(try self.row(Int(row), of: batch, isAdmitted: false)) {
                    count &+= 1
                }
            }
        }
        return count
    }

    /// Calls `body` with the rows in some leaves that are known to meet the condition, many at a time, and `other` with
    /// each row that is to be looked at by itself. Both are valid during the call.
    func forEachSettled(
        in leaves: ArraySlice<StoredLeaf>, _ body: (FieldPlaces) -> Bool,
        other: (QueryRow) throws(InspectionError) -> Void
    ) throws(InspectionError) {
        var others: [Int] = []
        try forEachBatch(in: leaves) { batch throws(InspectionError) in
            if !body(selection.settled(batch, others: &others)) {
                others = selection.rows.map { Int($0) }
            }
            for row in others { try other(try self.row(row, of: batch, isAdmitted: false)) }
        }
    }

    private func row(
        _ index: Int, of batch: RowBatch, isAdmitted: Bool
    ) throws(InspectionError) -> QueryRow {
        try decoder.reading { () throws(CodecError) in
            try decoder.row(try batch.entity(index), isTransient: true, isAdmitted: isAdmitted)
        }
    }

    /// Calls `body` with each batch behind the selection of its rows.
    private func forEachBatch(
        in leaves: ArraySlice<StoredLeaf>, _ body: (RowBatch) throws(InspectionError) -> Void
    ) throws(InspectionError) {
        var failure: InspectionError?
        try decoder.reading { () throws(CodecError) in
            try reader.forEachBatch(in: leaves) { batch throws(CodecError) in
                try selection.select(batch)
                do throws(InspectionError) {
                    try body(batch)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
        }
        if let failure { throw failure }
    }
}
