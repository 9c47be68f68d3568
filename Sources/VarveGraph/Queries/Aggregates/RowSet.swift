public import Foundation
internal import VarveText

/// The rows that a query finds, to be counted, added up or compared where they lie.
@usableFromInline
struct RowSet {
    let table: AnyTable
    let rows: Rows

    @usableFromInline
    enum Rows {
        /// What a plan finds while it passes the table.
        case planned(PlannedRows)
        case slots(ContiguousArray<UInt32>)
    }

    init(_ table: AnyTable, _ rows: Rows) {
        self.table = table
        self.rows = rows
    }

    /// Calls `body` with each row in the query's order.
    @usableFromInline
    func forEach(_ body: (UInt32, UnsafeRawPointer) -> Void) {
        let visit: RowVisit = { slot, row in
            body(slot, row)
            return true
        }
        switch rows {
        case .planned(let rows): rows.forEachRow(in: table, isTransient: true, visit)
        case .slots(let slots): table.visitRows(at: slots, isTransient: true, visit)
        }
    }

    /// The least value, or the greatest; nil where there is none. Of equal ones the first.
    @inlinable
    func extreme<Value: Comparable>(
        isMaximum: Bool, _ read: (UnsafeRawPointer) -> Value?
    ) -> Value? {
        var found: Value?
        forEach { _, row in
            guard let value = read(row) else { return }
            guard let best = found else {
                found = value
                return
            }
            let order = ValueOrder.compare(value, best)
            if isMaximum ? order > 0 : order < 0 { found = value }
        }
        return found
    }

    @inlinable
    func sum<Value: AdditiveArithmetic>(_ read: (UnsafeRawPointer) -> Value?) -> Value {
        var sum = Value.zero
        forEach { _, row in
            if let value = read(row) { sum += value }
        }
        return sum
    }

    @inlinable
    func integerSum<Value: FixedWidthInteger>(
        _ read: (UnsafeRawPointer) -> Value?
    ) -> IntegerSum<Value> {
        var sum = IntegerSum<Value>()
        forEach { _, row in
            if let value = read(row) { sum.add(value) }
        }
        return sum
    }

    @inlinable
    func average<Value: BinaryFloatingPoint>(
        _ read: (UnsafeRawPointer) -> Value?
    ) -> Value? {
        var sum = Value.zero
        var count = 0
        forEach { _, row in
            guard let value = read(row) else { return }
            sum += value
            count += 1
        }
        return count == 0 ? nil : sum / Value(count)
    }
}

extension RowSet {
    /// The rows at some slots of the table at a position.
    @usableFromInline
    init(_ slots: ContiguousArray<UInt32>, in context: Context, table position: Int) {
        self.init(context.tables.tables[rows: position], .slots(slots))
    }

    /// Whether an index led to the rows by its order.
    @usableFromInline var isWalk: Bool {
        guard case .planned(let rows) = rows else { return false }
        switch rows.source {
        case .walk, .listed: return true
        case .scan, .storedScan, .candidates, .ranking: return false
        }
    }
}

extension StepList where Step == RowStep {
    /// What the steps find among all rows of the table at a position.
    @usableFromInline
    func rows(in context: Context, table position: Int) -> RowSet {
        let (table, planned) = planned(in: context, table: position)
        guard planned.next == steps.count else {
            return RowSet(
                table, .slots(slots(of: planned, table, in: context, table: position)))
        }
        return RowSet(table, .planned(planned))
    }
}

/// A sum of integers that is exact whatever its parts are: it wraps around and counts how often.
@frozen
@usableFromInline
struct IntegerSum<Value: FixedWidthInteger> {
    /// The sum without its higher bits.
    @usableFromInline var low = Value.zero
    /// How many times the sum left the type's range above, less how many times below.
    @usableFromInline var turns = 0
    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable
    mutating func add(_ value: Value) {
        let (sum, overflow) = low.addingReportingOverflow(value)
        low = sum
        if overflow { turns += value < 0 ? -1 : 1 }
        count += 1
    }

    /// The sum, or nil where it does not fit the type.
    @inlinable var exact: Value? { turns == 0 ? low : nil }

    /// The sum, rounded to a double once or, where it does not fit the type, twice.
    @inlinable var approximate: Double {
        Double(low) + Double(turns) * Double(sign: .plus, exponent: Value.bitWidth, significand: 1)
    }

    @inlinable var average: Double? { count == 0 ? nil : approximate / Double(count) }
}

/// Why an aggregate has no result.
public enum AggregateError: Error, Hashable, Sendable {
    /// The sum does not fit the property's type.
    case sumOutOfRange(entity: String, property: String)
}

extension AggregateError: CustomStringConvertible {
    /// Which property it is about, and why.
    public var description: String { message.text }

    private var message: ErrorMessage {
        switch self {
        case .sumOutOfRange(let entity, let property):
            ErrorMessage(
                "the sum of \(entity).\(property) does not fit the property's type",
                "sum a computed property of a wider type, or use average")
        }
    }
}

extension AggregateError: LocalizedError {
    /// The description as a whole, for `localizedDescription`.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message.reason }
    /// What to do next.
    public var recoverySuggestion: String? { message.suggestion }
}

extension AggregateError {
    @usableFromInline
    static func sumOutOfRange<Entity: EntityModelProtocol>(
        _ path: PartialKeyPath<Entity>
    ) -> AggregateError {
        .sumOutOfRange(
            entity: Entity._descriptor.name, property: SendablePath(path).propertyName)
    }
}
