internal import VarveEvents
internal import VarveLog

/// Makes fast successive edits of one thing one step: the keystrokes in a title, the stops of a
/// slider.
public struct Coalescing: Sendable, Hashable {
    /// What is edited: writes of one key, without another write between them in their scope, join.
    public var key: String
    /// How long after the last of them a write still joins, by the clock of the system.
    public var interval: Duration

    /// Joins writes of one key that follow one another within an interval.
    ///
    /// - Parameters:
    ///   - key: what is edited.
    ///   - interval: how long after the last of them a write still joins.
    public init(_ key: String, within interval: Duration = .seconds(1)) {
        self.key = key
        self.interval = interval
    }
}

extension Duration {
    /// Rounded down; what is out of range becomes its end.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return seconds > 0 ? .max : .min }
        let (sum, isTooLarge) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return isTooLarge ? (seconds > 0 ? .max : .min) : sum
    }
}

/// The group that all writes of a block belong to.
struct StepGroup: Sendable {
    @TaskLocal static var current: StepGroup?

    let store: ObjectIdentifier
    let name: String
    let label: String
}

extension WriteOptions {
    /// With the group of the block that the caller runs in, if it is one of that store.
    ///
    /// Throws ``StoreError/reservedMetadata(_:)`` where the caller's metadata would be taken for the
    /// store's own.
    func joined(to group: StepGroup?, of store: Store) throws(StoreError) -> WriteOptions {
        // The rule. Asked first, because looking through nothing takes longer.
        if group == nil, metadata.isEmpty { return self }
        if let key = metadata.keys.first(where: { $0.hasPrefix(Timeline.Key.reserved) }) {
            throw .reservedMetadata(key)
        }
        guard let group, group.store == ObjectIdentifier(store), self.group == nil else {
            return self
        }
        var options = self
        options.group = group.name
        if !group.label.isEmpty { options.metadata[Timeline.Key.stepLabel] = group.label }
        return options
    }
}
