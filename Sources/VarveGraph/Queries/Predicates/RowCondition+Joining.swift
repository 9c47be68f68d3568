// `&&` and `||` of thousands of conditions, which a loop may well write, make a tree that is balanced, as AVL trees
// are: a test, and whatever else goes through it, goes as deep as the logarithm of their number.

extension RowCondition {
    enum Junction {
        case and, or
    }

    /// Both hold, or one of them does. The order of conditions stays.
    ///
    /// - Complexity: O(log n), n conditions that are joined already.
    static func joined(_ first: Self, _ second: Self, by junction: Junction) -> Self {
        let (left, right) = (first.height(in: junction), second.height(in: junction))
        if left > right + 1, let (outer, inner) = first.halves(of: junction) {
            return balanced(outer, joined(inner, second, by: junction), junction)
        }
        if right > left + 1, let (inner, outer) = second.halves(of: junction) {
            return balanced(joined(first, inner, by: junction), outer, junction)
        }
        return pair(first, second, junction)
    }

    /// A pair of which one may be higher than the other by two.
    private static func balanced(_ first: Self, _ second: Self, _ junction: Junction) -> Self {
        let (left, right) = (first.height(in: junction), second.height(in: junction))
        if right > left + 1, let (inner, outer) = second.halves(of: junction) {
            guard inner.height(in: junction) > outer.height(in: junction),
                let (before, behind) = inner.halves(of: junction)
            else { return pair(pair(first, inner, junction), outer, junction) }
            return pair(pair(first, before, junction), pair(behind, outer, junction), junction)
        }
        if left > right + 1, let (outer, inner) = first.halves(of: junction) {
            guard inner.height(in: junction) > outer.height(in: junction),
                let (before, behind) = inner.halves(of: junction)
            else { return pair(outer, pair(inner, second, junction), junction) }
            return pair(pair(outer, before, junction), pair(behind, second, junction), junction)
        }
        return pair(first, second, junction)
    }

    private static func pair(_ first: Self, _ second: Self, _ junction: Junction) -> Self {
        let (left, right) = (first.matches, second.matches)
        let height = 1 + max(first.height(in: junction), second.height(in: junction))
        switch junction {
        case .and:
            return RowCondition(.conjunction([first, second]), height: height) {
                left($0) && right($0)
            }
        case .or:
            return RowCondition(.disjunction([first, second]), height: height) {
                left($0) || right($0)
            }
        }
    }

    private func height(in junction: Junction) -> UInt8 {
        switch (structure, junction) {
        case (.conjunction, .and), (.disjunction, .or): height
        default: 0
        }
    }

    /// The two conditions that were joined to this one.
    private func halves(of junction: Junction) -> (Self, Self)? {
        guard height(in: junction) > 0 else { return nil }
        switch structure {
        case .conjunction(let parts), .disjunction(let parts): return (parts[0], parts[1])
        case .property, .text, .negation, .opaque: return nil
        }
    }
}
