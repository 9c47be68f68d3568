internal import VarveEvents
internal import VarveLog
internal import VarveReplay

extension StoreError {
    init(_ error: RecordError) {
        switch error {
        case .transaction(let id, _, let reason):
            self = .inconsistent(transaction: id, reason: reason)
        case .definitions(let before, let reason):
            self = .inconsistent(
                transaction: before, reason: "definitions at a segment's head: \(reason)")
        }
    }
}

extension ReplayFailure<RecordError> {
    var storeError: StoreError {
        switch self {
        case .log(let error): .log(error)
        case .consumer(let error): StoreError(error)
        }
    }
}
