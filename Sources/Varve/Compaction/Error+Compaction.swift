internal import VarveLog

extension Error {
    /// Whether a compaction has ended with this because the store is being suspended or closed: nothing failed.
    var endsCompactionEarly: Bool {
        switch self as? StoreError {
        case .log(.compactionCancelled), .suspended, .closed: true
        default: false
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
