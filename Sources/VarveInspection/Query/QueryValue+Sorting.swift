internal import Foundation

extension QueryValue {
    /// The kinds of values in the order in which they are sorted.
    private enum SortKind: Int {
        case null, bool, number, date, text, data, list, structure

        init(_ content: StoredContent) {
            self =
                switch content {
                case .optional: .null
                case .bool: .bool
                case .signed, .unsigned, .float, .double, .decimal: .number
                case .date: .date
                case .string, .uuid, .url: .text
                case .data: .data
                case .array, .set: .list
                case .dictionary, .structure, .enumeration, .json: .structure
                }
        }
    }

    /// Whether a row comes before another one by a value; nil where the values are the same to an order.
    ///
    /// A strict weak order of all values, whatever their kinds: null, booleans, numbers, dates, texts, data, lists,
    /// structures. NaN is the greatest number. Lists are compared element by element, structures as JSON.
    static func sorts(_ first: StoredContent, before second: StoredContent) -> Bool? {
        let (first, second) = (plain(first), plain(second))
        let (kind, other) = (SortKind(first), SortKind(second))
        guard kind == other else { return kind.rawValue < other.rawValue }
        switch (first, second) {
        case (.array(let first), .array(let second)), (.set(let first), .set(let second)),
            (.array(let first), .set(let second)), (.set(let first), .array(let second)):
            for (one, other) in zip(first, second) {
                if let isBefore = sorts(one, before: other) { return isBefore }
            }
            return isBefore(first.count, second.count)
        case (.date(let first), .date(let second)): return isBefore(first, second)
        default: break
        }
        switch kind {
        case .number: return number(first, sortsBefore: second)
        case .structure: return isBefore(first.json, second.json)
        default:
            return switch order(first, second) {
            case .orderedAscending: true
            case .orderedDescending: false
            default: nil
            }
        }
    }

    /// By the nearest doubles and, where these are the same, by the decimals that they are written as.
    ///
    /// Exact numbers compare exactly so, because rounding keeps their order. A double alone would be the same as several
    /// integers that differ, and the order no order.
    private static func number(
        _ first: StoredContent, sortsBefore second: StoredContent
    ) -> Bool? {
        let (near, other) = (double(first) ?? .nan, double(second) ?? .nan)
        if let isBefore = isBefore(near, other) { return isBefore }
        switch (digits(first, near: near), digits(second, near: other)) {
        case (nil, nil): return nil
        case (nil, _?): return true
        case (_?, nil): return false
        case (let one?, let two?): return isBefore(one, two)
        }
    }

    /// Nil beyond the range of decimals, and of NaN.
    private static func digits(_ content: StoredContent, near value: Double) -> Decimal? {
        guard !value.isNaN else { return nil }
        let exact =
            exact(content)
            ?? Decimal(string: value.description, locale: Locale(identifier: "en_US_POSIX"))
        return exact.flatMap { $0.isNaN ? nil : $0 }
    }

    private static func isBefore(_ first: Double, _ second: Double) -> Bool? {
        if first.isNaN || second.isNaN {
            return first.isNaN == second.isNaN ? nil : second.isNaN
        }
        return first == second ? nil : first < second
    }

    private static func isBefore<Value: Comparable>(_ first: Value, _ second: Value) -> Bool? {
        first == second ? nil : first < second
    }
}
