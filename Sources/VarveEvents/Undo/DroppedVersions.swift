/// Versions of an entity that history does not go back to any more.
public struct DroppedVersions: Hashable, Sendable {
    /// The transaction that made the newest of them.
    public let newest: TransactionID
    /// The oldest transaction that is kept; nil where no transaction is.
    public let oldestKept: TransactionID?

    /// - Parameters:
    ///   - floor: the oldest transaction that can be asked for, were there one.
    ///   - last: the newest transaction that there is.
    package init(newest: TransactionID, floor: TransactionID, last: TransactionID) {
        self.newest = newest
        oldestKept = floor <= last ? floor : nil
    }
}

extension DroppedVersions: CustomStringConvertible {
    /// One line: where history begins.
    public var description: String {
        guard let oldestKept else {
            return "no history is kept; the last version was made by transaction \(newest)"
        }
        return "history begins with transaction \(oldestKept); "
            + "earlier versions, the last by \(newest), are not kept"
    }
}
