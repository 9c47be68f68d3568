package import VarveEvents

/// Reads the rows of one type in one layout, whatever definition they were written under.
///
/// It belongs to one thread: it converts into memory of its own.
package struct RowReader: ~Copyable {
    private let form: RowForm
    /// By revision; empty before the first row that is converted.
    private var conversions: [RowConversion?] = []
    /// The revision whose rows need no conversion, the last one that was met.
    private var identicalRevision: UInt32?
    private var scratch = ByteWriter(capacity: 256)

    init(_ form: RowForm) {
        self.form = form
        identicalRevision = form.plainRevision
    }

    /// Calls `body` with the row of an entry, which has one.
    package mutating func read<Result>(
        _ entry: StoredRow, _ body: (UnsafeRawBufferPointer) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        if try isIdentity(entry.revision) { return try body(entry.row) }
        return try convert(entry.row, from: entry.revision, body)
    }

    /// Calls `body` with a row of a revision that is not read as it is.
    mutating func convert<Result>(
        _ row: UnsafeRawBufferPointer, from revision: UInt32,
        _ body: (UnsafeRawBufferPointer) throws(CodecError) -> Result
    ) throws(CodecError) -> Result {
        scratch.removeAll()
        try conversion(from: Int(revision)).convert(row, into: &scratch)
        return try scratch.withBytes { row throws(CodecError) in try body(row) }
    }

    /// Appends a row of a revision in the layout that is asked for.
    mutating func convert(
        _ row: UnsafeRawBufferPointer, from revision: UInt32, into writer: inout ByteWriter
    ) throws(CodecError) {
        try conversion(from: Int(revision)).convert(row, into: &writer)
    }

    /// Whether rows of a revision are read as they are.
    mutating func isIdentity(_ revision: UInt32) throws(CodecError) -> Bool {
        if revision == identicalRevision { return true }
        guard try conversion(from: Int(revision)).isIdentity else { return false }
        identicalRevision = revision
        return true
    }

    private mutating func conversion(from revision: Int) throws(CodecError) -> RowConversion {
        if conversions.isEmpty {
            conversions = Array(repeating: nil, count: form.revisionCount)
        }
        if conversions.indices.contains(revision), let known = conversions[revision] {
            return known
        }
        let conversion = try form.makeConversion(from: revision)
        conversions[revision] = conversion
        return conversion
    }
}
