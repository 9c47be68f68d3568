internal import VarveTables

/// A stored index whose order is that of a query with a limit: its first rows are the first of the result.
struct IndexedOrder {
    let index: IndexDeclaration
    /// Whether the index is read from its end.
    let isReversed: Bool
    /// How many rows are wanted of those that meet the condition.
    let wanted: Int
    private let bounds: FieldBounds
    private let type: TypeNumber
    /// More rows are found sooner by a scan: each is read by itself, mostly with a block of its own.
    let countMax: Int

    private static let rowsPerEntry = 1_024
    private static let countMin = 256

    static func countMax(ofRows count: Int) -> Int { max(countMin, count / rowsPerEntry) }

    /// Nil where no index is in the order of the query.
    init?(_ query: BoundQuery, _ state: State) {
        let countMax = Self.countMax(ofRows: state.counts(of: query.type.number).live)
        guard let wanted = query.most, wanted <= countMax, !query.order.isEmpty,
            !query.isGrouped, !query.selectsDeleted
        else { return nil }
        let limits = PropertyLimits(query.condition?.conjuncts ?? [], of: query.type)
        for index in state.declaredIndexes(of: query.type.number) {
            for depth in index.fields.indices {
                guard let isReversed = query.isReversed(along: index.fields[depth...]),
                    let bounds = limits.bounds(in: index, behind: depth)
                else { continue }
                self.index = index
                self.isReversed = isReversed
                self.wanted = wanted
                self.bounds = bounds
                self.countMax = countMax
                type = query.type.number
                return
            }
        }
        return nil
    }

    /// The first rows in the order, in order of slots: at least as many as wanted if there are, and all that have the
    /// key of the last. Every other row comes behind them.
    ///
    /// Returns nil where they are more than ``countMax``.
    func firstRows(_ wanted: Int, in state: State) -> (slots: [Slot], areAll: Bool)? {
        guard wanted <= countMax else { return nil }
        var (slots, areAll): ([Slot], Bool) = ([], true)
        do throws(CodecError) {
            let isKnown = try state.forEachSlot(
                of: type, by: index, in: bounds, isReversed: isReversed
            ) { slot, isNewKey in
                if slots.count >= wanted, isNewKey {
                    areAll = false
                    return false
                }
                slots.append(slot)
                return slots.count <= countMax
            }
            return isKnown && slots.count <= countMax ? (slots.sorted(), areAll) : nil
        } catch {
            // The value is none of the field's type: a scan says what is wrong.
            return nil
        }
    }
}

extension BoundQuery {
    /// Whether rows in the order of the query are against the order of some fields; nil where the order does not begin with
    /// exactly these. What follows in it orders rows that are equal in them.
    fileprivate func isReversed(along fields: ArraySlice<IndexDeclaration.Field>) -> Bool? {
        guard order.count >= fields.count, let first = fields.first, let key = order.first else {
            return nil
        }
        let isReversed = first.isDescending != key.isDescending
        for (field, key) in zip(fields, order) {
            guard case .field(let position) = key.expression,
                type.fields[position].number == field.number,
                (field.isDescending != key.isDescending) == isReversed,
                let own = IndexedField(type.fields[position].type)
            else { return nil }
            // Texts that begin alike have one key. What is behind it orders rows that are not equal.
            if own.isText, field != fields.last { return nil }
        }
        return isReversed
    }
}
