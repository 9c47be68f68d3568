internal import VarveText

extension CompactionReport: CustomStringConvertible {
    /// One line for each thing that it did: the checkpoint, the history, the space, and why that grew.
    public var description: String {
        let written =
            checkpointBytes.map { "checkpoint of transaction \(checkpoint), \($0)" }
            ?? "transaction \(checkpoint) had a checkpoint already"
        let dropped =
            transactionsDropped == 0
            ? "no history dropped"
            : transactionsDropped.counted("transaction") + " in "
                + segmentsDropped.counted("segment") + " dropped"
        let lines = [
            written, "\(dropped), \(history)",
            "\(bytesBefore) before, \(bytesAfter) after",
        ]
        return (lines + [assets, growth, remark, assetsRemark].compactMap { $0 }).joined(
            separator: "\n  ")
    }

    private var assets: String? {
        guard assetsDropped > 0 else { return nil }
        return assetsDropped.counted("file") + " of assets dropped, \(assetBytesDropped)"
    }

    private var assetsRemark: String? {
        assetsLeftover.map { "files of assets that are not needed may still be there: \($0)" }
    }

    private var history: String {
        floor > checkpoint ? "no history is kept" : "history begins with \(floor)"
    }

    /// Why the store takes more space than before, and what makes it smaller; nil where it does not.
    public var growth: String? {
        guard bytesAfter > bytesBefore else { return nil }
        return """
            \(ByteCount(bytesAfter.rawValue - bytesBefore.rawValue)) more: the new checkpoint comes in addition to the \
            history that the retention keeps and, in case it is damaged, to the checkpoint before it with the log \
            from there; compact(for: .size) keeps none to fall back to, and a shorter retention less history
            """
    }

    private var remark: String? {
        leftover.map { "files that are not needed are still there: \($0)" }
    }
}
