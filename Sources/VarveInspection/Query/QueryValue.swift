internal import Foundation

/// How stored values compare in a query.
///
/// Numbers compare by value across their types: exactly where both are integers or decimals, as
/// `Double` where one is a floating-point number. Texts compare as Swift's strings do. Values of
/// different kinds are neither equal nor ordered, and null is equal to null alone.
enum QueryValue {
    static let null = StoredContent.optional(nil)

    /// The value without optionals around it, and with what people compare it by: an enumeration
    /// without payload is its case's name, a UUID its text, a JSON document what it holds.
    static func plain(_ content: StoredContent) -> StoredContent {
        switch content {
        case .optional(let value?): plain(value)
        case .enumeration(_, let name, let payload) where payload.isEmpty: .string(name)
        case .uuid(let id): .string(id.uuidString)
        case .url(let text): .string(text)
        case .json(let bytes): json(bytes)
        default: content
        }
    }

    static func isNull(_ content: StoredContent) -> Bool {
        if case .optional(nil) = content { return true }
        return false
    }

    static func date(of moment: Moment) -> StoredContent {
        .date(
            Double(moment.microseconds) / 1_000_000
                - Date.timeIntervalBetween1970AndReferenceDate)
    }

    // MARK: Comparing

    static func areEqual(_ first: StoredContent, _ second: StoredContent) -> Bool {
        if isNull(first) || isNull(second) { return isNull(first) && isNull(second) }
        switch (first, second) {
        case (.bool(let first), .bool(let second)): return first == second
        case (.array(let first), .array(let second)), (.set(let first), .set(let second)):
            return first.count == second.count
                && zip(first, second).allSatisfy { areEqual(plain($0), plain($1)) }
        default: return order(first, second) == .orderedSame
        }
    }

    /// Nil where neither comes first.
    static func order(_ first: StoredContent, _ second: StoredContent) -> ComparisonResult? {
        switch (first, second) {
        case (.string(let first), .string(let second)): return order(of: first, second)
        case (.date(let first), .date(let second)): return order(of: first, second)
        case (.bool(let first), .bool(let second)):
            return order(of: first ? 1 : 0, second ? 1 : 0)
        case (.data(let first), .data(let second)):
            if first == second { return .orderedSame }
            return first.lexicographicallyPrecedes(second) ? .orderedAscending : .orderedDescending
        default: break
        }
        if let first = exact(first), let second = exact(second) { return order(of: first, second) }
        if let first = double(first), let second = double(second) {
            // NaN is neither before nor behind a number.
            return first.isNaN || second.isNaN ? nil : order(of: first, second)
        }
        return nil
    }

    private static func order<Value: Comparable>(
        of first: Value, _ second: Value
    ) -> ComparisonResult {
        first < second ? .orderedAscending : first == second ? .orderedSame : .orderedDescending
    }

    // MARK: Numbers

    /// An integer or a decimal, without loss.
    static func exact(_ content: StoredContent) -> Decimal? {
        switch content {
        case .signed(let value): Decimal(value)
        case .unsigned(let value): Decimal(value)
        case .decimal(let digits):
            Decimal(string: digits, locale: Locale(identifier: "en_US_POSIX"))
        default: nil
        }
    }

    static func double(_ content: StoredContent) -> Double? {
        switch content {
        case .double(let value): value
        case .float(let value): Double(value)
        case .signed(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .decimal(let digits): Double(digits)
        default: nil
        }
    }

    // MARK: JSON

    private static func json(_ bytes: [UInt8]) -> StoredContent {
        let parsed = try? JSONSerialization.jsonObject(
            with: Data(bytes), options: .fragmentsAllowed)
        // A document that is no JSON compares as data, and is written as it is stored.
        return parsed.map { content(ofJSON: $0) } ?? .data(bytes)
    }

    private static func content(ofJSON value: Any) -> StoredContent {
        switch value {
        case let text as String: return .string(text)
        case let number as NSNumber: return content(of: number)
        case let elements as [Any]: return .array(elements.map { content(ofJSON: $0) })
        case let members as [String: Any]:
            return .structure(
                members.sorted { $0.key < $1.key }.map {
                    StoredContent.Member(name: $0.key, value: content(ofJSON: $0.value))
                })
        default: return null
        }
    }

    private static func content(of number: NSNumber) -> StoredContent {
        // Only booleans are of this class.
        if type(of: number) == type(of: NSNumber(value: true)) { return .bool(number.boolValue) }
        if let integer = number as? Int64 { return .signed(integer) }
        return .double(number.doubleValue)
    }
}
