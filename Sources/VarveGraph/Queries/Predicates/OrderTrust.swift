internal import Foundation

/// How far the range of an ordered index that belongs to a comparison holds what the comparison
/// accepts, and nothing else.
@usableFromInline
enum OrderTrust: Sendable {
    /// `==` and `<` are one total order: a range is the answer.
    case total
    /// One total order but for NaN, which is behind everything in an index and which no
    /// comparison accepts.
    case totalButNaN
    /// An order that someone else defined: rows are tested again.
    case unknown

    /// What is known of a type of the standard library.
    @usableFromInline
    static func of<Value>(_ type: Value.Type) -> OrderTrust {
        if type == Int.self || type == String.self || type == Bool.self { return .total }
        if type == Double.self || type == Float.self || type == Date.self { return .totalButNaN }
        if type is any FixedWidthInteger.Type || type == UUID.self { return .total }
        if let wrapper = type as? any OrderedWrapper.Type { return wrapper.wrappedTrust }
        return .unknown
    }
}

/// A type whose order is that of a value inside.
protocol OrderedWrapper {
    static var wrappedTrust: OrderTrust { get }
}

extension Descending: OrderedWrapper {
    // NaN stands in front in a descending order, so that no bound keeps it out for sure.
    static var wrappedTrust: OrderTrust {
        OrderTrust.of(Value.self) == .total ? .total : .unknown
    }
}

extension NilFirst: OrderedWrapper {
    static var wrappedTrust: OrderTrust { OrderTrust.of(Wrapped.self) }
}
