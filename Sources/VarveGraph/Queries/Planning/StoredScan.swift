/// A scan of the rows of a stored table, which decodes one stored leaf after the other and caches none.
struct StoredScan {
    private struct Place {
        let ordinal: UInt64
        let slot: UInt32
    }

    let table: AnyTable
    /// What rows must meet; nil for all.
    private let test: (@Sendable (UnsafeRawPointer) -> Bool)?

    init(_ table: AnyTable, meeting condition: RowCondition? = nil) {
        self.table = table
        test = condition?.matches
    }

    /// Calls `body` with each row that meets the condition, in insertion order, until it returns false. The addresses are
    /// valid for the calls alone.
    ///
    /// - Parameter wanted: after how many rows `body` returns false.
    func forEach(upTo wanted: Int? = nil, _ body: RowVisit) {
        // A scan that reads all rows anyway finds their order on the way.
        let mayLook = wanted != nil || test == nil || table.isScanOrderKnown
        guard mayLook, table.isScannedInOrder else {
            return table.visitRows(at: slots(keeping: wanted ?? .max), isTransient: true, body)
        }
        forEachInSlotOrder(body)
    }

    private func forEachInSlotOrder(_ body: RowVisit) {
        guard let test else { return table.scanRows(body) }
        table.scanRows { test($1) ? body($0, $1) : true }
    }

    /// How many rows meet the condition, or `limit` where more do.
    func count(upTo limit: Int) -> Int {
        guard test != nil else { return min(limit, table.liveCount) }
        var count = 0
        if limit > 0 {
            forEachInSlotOrder { _, _ in
                count += 1
                return count < limit
            }
        }
        return count
    }

    /// The last row in insertion order that meets the condition.
    func last() -> UInt32? {
        guard table.isScannedInOrder else { return greatest() }
        var last: UInt32?
        table.scanLeavesBackwards { visit in
            visit { slot, row in
                if test?(row) ?? true { last = slot }
                return true
            }
            return last == nil
        }
        return last
    }

    private func greatest() -> UInt32? {
        var last = Place(ordinal: 0, slot: 0)
        forEachPlace { if $0.ordinal > last.ordinal { last = $0 } }
        return last.ordinal > 0 ? last.slot : nil
    }

    // MARK: - Slots

    /// The slots of the first `wanted` rows that meet the condition, in insertion order.
    func slots(keeping wanted: Int = .max) -> ContiguousArray<UInt32> {
        guard wanted > 0 else { return [] }
        var found = ContiguousArray<Place>()
        var isAscending = true
        let limit = wanted < .max / 2 ? 2 * max(wanted, 64) : .max
        var greatest = UInt64.max
        forEachPlace { place in
            guard place.ordinal < greatest else { return }
            if let last = found.last, last.ordinal > place.ordinal { isAscending = false }
            found.append(place)
            guard found.count >= limit else { return }
            found.sort { $0.ordinal < $1.ordinal }
            found.removeLast(found.count - wanted)
            greatest = found.last?.ordinal ?? greatest
        }
        if !isAscending { found.sort { $0.ordinal < $1.ordinal } }
        return ContiguousArray(found.prefix(wanted).map(\.slot))
    }

    /// Calls `body` with each row that meets the condition, in the order of the slots.
    private func forEachPlace(_ body: (Place) -> Void) {
        var order = ScanOrder()
        if let test {
            table.scanRows { slot, row in
                let ordinal = table.metadata(besideRow: row).ordinal
                order.note(ordinal)
                if test(row) { body(Place(ordinal: ordinal, slot: slot)) }
                return true
            }
        } else {
            table.scanOrdinals { slot, ordinal in
                order.note(ordinal)
                body(Place(ordinal: ordinal, slot: slot))
            }
        }
        // Changed rows may hide stored ones.
        if !table.isChanged { table.storedFindings?.note(isAscending: order.isAscending) }
    }

    /// Whether rows come in the order of their ordinals.
    private struct ScanOrder {
        private var last: UInt64 = 0
        private(set) var isAscending = true

        mutating func note(_ ordinal: UInt64) {
            if ordinal < last { isAscending = false }
            last = ordinal
        }
    }
}
