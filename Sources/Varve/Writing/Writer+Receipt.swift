internal import VarveEvents

extension Writer {
    /// A body that has run.
    struct Written<Result> {
        let result: Result
        let receipt: Receipt

        /// With the transaction for a result: only the append decides whether there is one.
        var transaction: Written<TransactionID?> {
            Written<TransactionID?>(result: receipt.appended, receipt: receipt)
        }
    }

    /// What is known of a transaction whose body has run, beside the body's result.
    struct Receipt {
        typealias Awaited = (transaction: TransactionID, commits: GroupCommit)

        /// What must be safe before the write may return, and who sees to it.
        let awaited: Awaited?
        /// The transaction that was appended; nil where the body changed nothing.
        let appended: TransactionID?
        /// What it is measured by; nil where there is no log.
        var commit: StoreLog.Commit?
    }

    /// Reports a commit that took long, once it is as safe as its durability wants.
    func didCommit(_ receipt: Receipt) {
        guard let commit = receipt.commit else { return }
        storeLog?.committed(commit, receipt.appended)
    }
}
