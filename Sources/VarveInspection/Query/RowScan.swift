internal import VarveTables

/// Passes over rows of a type, as far as they meet a condition.
///
/// It owns its reader and its filters: a class would check for exclusive access at every row.
struct RowScan: ~Copyable {
    /// Which rows may still come before those that were found.
    enum Front {
        /// Those that meet a test.
        case meeting(RowTest)
        /// Those before a place in the order of the type.
        case before(Ordinal)
    }

    private var reader: StateReader
    private let decoder: RowDecoder
    private var filter: RowFilter?
    // What may come before others in the order of the query; nil where any row may.
    private var front: RowFilter?
    private var end: Ordinal?
    private let hasCondition: Bool
    private let takesDeleted: Bool

    init(
        _ reader: consuming StateReader, _ decoder: RowDecoder, _ filter: RowFilter?,
        hasCondition: Bool, takesDeleted: Bool
    ) {
        self.reader = reader
        self.decoder = decoder
        self.filter = filter
        self.hasCondition = hasCondition
        self.takesDeleted = takesDeleted
    }

    /// Calls `body` with each row in some leaves that its bytes do not refuse, which is valid during the call. Rows that are
    /// not in the front that it returned last, if any, are not looked for any more.
    mutating func forEachRow(
        in leaves: ArraySlice<UInt32>, _ body: (QueryRow) throws(InspectionError) -> Front?
    ) throws(InspectionError) {
        let decoder = decoder
        try pass(leaves) { (passed, isAdmitted) throws(CodecError) in
            let row = try decoder.row(passed.entity, isPassing: true, isAdmitted: isAdmitted)
            return Result { () throws(InspectionError) in try body(row) }
        }
    }

    /// The number of rows in some leaves that meet the condition. Their values are made where bytes do not tell.
    ///
    /// - Parameter isMet: whether a row meets the condition by its values.
    mutating func count(
        in leaves: ArraySlice<UInt32>, _ isMet: (QueryRow) throws(InspectionError) -> Bool
    ) throws(InspectionError) -> Int {
        var count = 0
        let decoder = decoder
        try pass(leaves) { (passed, isAdmitted) throws(CodecError) in
            if isAdmitted {
                count += 1
                return .success(nil)
            }
            let row = try decoder.row(passed.entity, isPassing: true, isAdmitted: false)
            return Result { () throws(InspectionError) in
                if try isMet(row) { count += 1 }
                return nil
            }
        }
        return count
    }

    private mutating func pass(
        _ leaves: ArraySlice<UInt32>,
        _ body: (PassedRow, Bool) throws(CodecError) -> Result<Front?, InspectionError>
    ) throws(InspectionError) {
        var failure: InspectionError?
        do throws(CodecError) {
            try reader.forEachRow(in: leaves) { row throws(CodecError) in
                guard row.isDeleted == takesDeleted else { return true }
                if let end, row.ordinal >= end { return true }
                let isMet = hasCondition ? try filter?.admits(row.bytes) : true
                guard isMet != false, try front?.admits(row.bytes) != false else { return true }
                switch try body(row, isMet == true) {
                case .success(nil): return true
                case .success(.meeting(let test)):
                    front = RowFilter(test, of: decoder.definition)
                    return true
                case .success(.before(let ordinal)):
                    end = ordinal
                    return true
                case .failure(let error):
                    failure = error
                    return false
                }
            }
        } catch {
            throw .entity(type: decoder.definition.name, reason: "\(error)")
        }
        if let failure { throw failure }
    }
}

extension Result {
    fileprivate init(_ body: () throws(Failure) -> Success) {
        do throws(Failure) {
            self = .success(try body())
        } catch {
            self = .failure(error)
        }
    }
}
