extension AnyTable {
    /// Whether slot order is insertion order.
    @usableFromInline var isInSlotOrder: Bool {
        order.slotsByOrdinal == nil && (isFilled || isScannedInOrder)
    }

    /// While slot order is insertion order, a row is ordered by its slot, else by its ordinal.
    /// Either is a number below this.
    var orderNumberLimit: Int {
        order.slotsByOrdinal == nil ? slotCount : Int(nextOrdinal)
    }

    /// The slots of candidates in insertion order, each once.
    ///
    /// Many are put in order by setting a bit for each, few by sorting.
    @usableFromInline
    func slotsInOrder(of candidates: Candidates) -> ContiguousArray<UInt32> {
        switch candidates.shape {
        case .intersection: return slots(in: numbers(of: candidates))
        case .ranges(let ranges) where candidates.count <= 1:
            // The look-up of one row, which is worth a way of its own.
            guard let range = ranges.ranges.first else { return [] }
            return [indexContents[ranges.index].firstSlot(in: range)]
        case .ranges, .text, .union: break
        }
        // A word of the set is passed in the time that a few steps of a sort take.
        guard candidates.count < max(16, orderNumberLimit / 512) else {
            return slots(in: numbers(of: candidates))
        }
        var numbers = ContiguousArray<Int>()
        numbers.reserveCapacity(candidates.count)
        var isAscending = true
        forEachNumber(of: candidates) { number in
            if let last = numbers.last, last >= number { isAscending = false }
            numbers.append(number)
        }
        if !isAscending { numbers.sort() }
        var result = ContiguousArray<UInt32>()
        result.reserveCapacity(numbers.count)
        var last = -1
        for number in numbers where number != last {
            result.append(slot(number: number))
            last = number
        }
        return result
    }

    private func slots(in numbers: SlotSet) -> ContiguousArray<UInt32> {
        var result = ContiguousArray<UInt32>()
        result.reserveCapacity(numbers.count)
        numbers.forEach { result.append(slot(number: $0)) }
        return result
    }

    private func slot(number: Int) -> UInt32 {
        guard let slotsByOrdinal = order.slotsByOrdinal else {
            return UInt32(truncatingIfNeeded: number)
        }
        return slotsByOrdinal[number] - 1
    }

    private func numbers(of candidates: Candidates) -> SlotSet {
        if case .intersection(let first, let second) = candidates.shape {
            let other = numbers(of: second)
            var common = SlotSet(limit: orderNumberLimit)
            forEachNumber(of: first) { if other.contains($0) { common.insert($0) } }
            return common
        }
        var numbers = SlotSet(limit: orderNumberLimit)
        forEachNumber(of: candidates) { numbers.insert($0) }
        return numbers
    }

    private func forEachNumber(of candidates: Candidates, _ body: (Int) -> Void) {
        switch candidates.shape {
        case .ranges(let ranges):
            for range in ranges.ranges { forEachNumber(of: ranges.index, in: range, body) }
        case .text(let condition):
            for slot in textCandidates(for: condition)?.slots ?? [] { body(number(of: slot)) }
        case .union(let branches):
            for branch in branches { forEachNumber(of: branch, body) }
        case .intersection: numbers(of: candidates).forEach(body)
        }
    }

    private func forEachNumber(of index: Int, in range: PostingRange, _ body: (Int) -> Void) {
        let usesSlots = order.slotsByOrdinal == nil
        switch range {
        case .ranks(let ranks):
            indexContents[index].tree.forEachSpan(in: ranks) { span in
                for position in 0..<span.count {
                    body(
                        usesSlots
                            ? Int(span.slots[position])
                            : Int(truncatingIfNeeded: span.ordinals[position]))
                }
                return true
            }
        case .hash(let hash, _):
            for entry in indexContents[index].entries(underHash: hash) {
                body(number(of: IDEntry.slot(entry).rawValue))
            }
        }
    }

    private func number(of slot: UInt32) -> Int {
        order.slotsByOrdinal == nil ? Int(slot) : Int(metadata(of: Slot(slot)).ordinal)
    }
}
