/// What an import did; the JSON object of `import --json`.
struct ImportReport: Encodable, Sendable {
    /// Packages in the index, each counted once.
    var packages = 0
    /// What these need or would like to have: each alternative of each requirement.
    var dependencies = 0
    /// Malformed stanzas that were passed over.
    var skipped = 0
    /// Transactions that were written: only those with a change are.
    var transactions: UInt64 = 0
    /// From the start of the command until everything was durable and the store closed.
    var seconds = 0.0
    /// All files of the store together.
    var storeBytes: Int64 = 0
    /// The most memory that the process held at once.
    var peakBytes: Int64 = 0
}
