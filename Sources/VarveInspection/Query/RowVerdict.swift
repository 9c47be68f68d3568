/// What a test says of a row by its bytes.
enum RowVerdict: UInt8, BitwiseCopyable {
    case refused, admitted
    /// The values are needed to tell.
    case open

    init(_ isMet: Bool?) {
        self = isMet.map { $0 ? .admitted : .refused } ?? .open
    }

    var negated: RowVerdict {
        switch self {
        case .refused: .admitted
        case .admitted: .refused
        case .open: .open
        }
    }
}

typealias RowVerdicts = UnsafeMutablePointer<RowVerdict>

extension RowTest {
    /// Tests all rows of a batch by the bytes of their fields, as ``RowFilter`` does row by row. Returns false, and no verdicts,
    /// where the rows must be tested one by one.
    ///
    /// - Parameter verdicts: initialized to one for each row.
    func test(_ rows: FieldPlaces, _ verdicts: RowVerdicts) -> Bool {
        switch self {
        case .field(let test):
            guard let values = rows.values(of: test.position) else { return false }
            return test.test(values, verdicts)
        case .not(let inner):
            guard inner.test(rows, verdicts) else { return false }
            for index in 0..<rows.count { verdicts[index] = verdicts[index].negated }
            return true
        case .and(let parts): return Self.test(parts, rows, verdicts, deciding: .refused)
        case .or(let parts): return Self.test(parts, rows, verdicts, deciding: .admitted)
        }
    }

    /// - Parameter deciding: the verdict that one part suffices for.
    private static func test(
        _ parts: [RowTest], _ rows: FieldPlaces, _ verdicts: RowVerdicts,
        deciding decisive: RowVerdict
    ) -> Bool {
        let count = rows.count
        guard let first = parts.first, first.test(rows, verdicts) else { return false }
        return withUnsafeTemporaryAllocation(of: RowVerdict.self, capacity: count) { memory in
            guard let others = memory.baseAddress else { return count == 0 }
            for part in parts.dropFirst() {
                guard part.test(rows, others) else { return false }
                for index in 0..<count where verdicts[index] != decisive {
                    if others[index] == decisive || verdicts[index] != .open {
                        verdicts[index] = others[index]
                    }
                }
            }
            return true
        }
    }
}

extension FieldTest {
    /// Tests the property in all rows of a batch. Returns false where the bytes of one are none of its type.
    func test(_ values: FieldValues, _ verdicts: RowVerdicts) -> Bool {
        if let bounds = integerBounds { return test(values, verdicts, within: bounds) }
        if let short = shortText { return test(values, verdicts, against: short) }
        for index in 0..<values.count {
            guard let verdict = verdict(values, index) else { return false }
            (verdicts + index).initialize(to: verdict)
        }
        return true
    }

    /// Nil where the bytes are none of the property's type.
    private func verdict(_ values: FieldValues, _ index: Int) -> RowVerdict? {
        var reader = values.reader(index)
        do throws(CodecError) {
            return RowVerdict(try holds(&reader))
        } catch {
            return nil
        }
    }

    private func test(
        _ values: FieldValues, _ verdicts: RowVerdicts, within bounds: IntegerBounds
    ) -> Bool {
        let (least, most) = (bounds.least, bounds.most)
        let (inside, outside) = (RowVerdict(!bounds.isOutside), RowVerdict(bounds.isOutside))
        for index in 0..<values.count {
            guard let read = RowVarint.read(values.starts[index], values.ends[index]) else {
                return false
            }
            let value = read.signed
            (verdicts + index).initialize(to: value >= least && value <= most ? inside : outside)
        }
        return true
    }

    /// Texts of up to eight bytes are compared as one word.
    private func test(
        _ values: FieldValues, _ verdicts: RowVerdicts, against text: ShortText
    ) -> Bool {
        let (same, other) = (RowVerdict(text.isEqual), RowVerdict(!text.isEqual))
        for index in 0..<values.count {
            let (start, end) = (values.starts[index], values.ends[index])
            guard start < end else { return false }
            let length = Int(start.load(as: UInt8.self))
            guard length <= 8, end - start >= 9 else {
                guard let verdict = verdict(values, index) else { return false }
                (verdicts + index).initialize(to: verdict)
                continue
            }
            let bits = UInt64(truncatingIfNeeded: 64 &- 8 &* length)
            let own = UInt64(littleEndian: (start + 1).loadUnaligned(as: UInt64.self))
            // What is behind the text is shifted out.
            let word = length == 0 ? 0 : own &<< bits
            let verdict =
                length == text.count && word == text.word
                ? same : Self.isPlainWord(word) ? other : .open
            (verdicts + index).initialize(to: verdict)
        }
        return true
    }
}
