internal import VarveTables

/// Numbers of a field in some rows, without those that are null.
enum FieldNumbers {
    case integers([Int64])
    case doubles([Double])
}

/// Aggregates of all rows together: the numbers of each field are read from the bytes of many rows, once for all aggregates
/// of the field.
struct FieldTotals {
    let aggregates: [BoundAggregate]
    /// Each once.
    private let fields: [FieldNumberReader]
    /// Which of the fields each aggregate is of; nil of those that count rows.
    private let positions: [Int?]

    /// Nil where an aggregate is of anything but a number that bytes tell.
    init?(_ aggregates: [BoundAggregate], _ type: TypeDefinition) {
        var (fields, positions): ([FieldNumberReader], [Int?]) = ([], [])
        for aggregate in aggregates {
            guard let operand = aggregate.operand else {
                positions.append(nil)
                continue
            }
            guard case .field(let field) = operand else { return nil }
            let known = fields.firstIndex { $0.field == field }
            positions.append(known ?? fields.count)
            if known != nil { continue }
            guard let reader = FieldNumberReader(field, type) else { return nil }
            fields.append(reader)
        }
        self.aggregates = aggregates
        self.fields = fields
        self.positions = positions
    }

    /// Adds some rows. Returns false, and adds nothing, where they are to be added one by one.
    func add(_ rows: FieldPlaces, to group: inout QueryGroup) -> Bool {
        for field in fields {
            guard let values = rows.values(of: field.field), field.read(values) else {
                return false
            }
        }
        for (index, position) in positions.enumerated() {
            if let position {
                group.add(fields[position].numbers, at: index)
            } else {
                group.add(rows: rows.count, at: index)
            }
        }
        return true
    }
}

/// Reads the numbers of one field. Belongs to one thread.
private final class FieldNumberReader {
    /// In the type.
    let field: Int
    private let isInteger: Bool
    /// What an integer of the field's width may be: to read another one is an error, which the row alone tells.
    private let range: ClosedRange<Int64>
    private let isOptional: Bool
    private var integers: [Int64] = []
    private var doubles: [Double] = []

    init?(_ field: Int, _ type: TypeDefinition) {
        let (plain, optionals) = type.fields[field].type.unwrapped
        switch plain {
        case .int16: (isInteger, range) = (true, Int64(Int16.min)...Int64(Int16.max))
        case .int32: (isInteger, range) = (true, Int64(Int32.min)...Int64(Int32.max))
        case .int64: (isInteger, range) = (true, .min ... .max)
        case .double: (isInteger, range) = (false, 0...0)
        default: return nil
        }
        if optionals > 1 { return nil }
        self.field = field
        isOptional = optionals == 1
    }

    /// What was read last.
    var numbers: FieldNumbers { isInteger ? .integers(integers) : .doubles(doubles) }

    /// False where the bytes are no such numbers.
    func read(_ values: FieldValues) -> Bool {
        isInteger
            ? read(values, into: &integers) {
                guard let number = RowVarint.read($0, $1)?.signed, range.contains(number) else {
                    return nil
                }
                return number
            }
            : read(values, into: &doubles) { start, end in
                guard end - start >= 8 else { return nil }
                let bits = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
                return Double(bitPattern: bits)
            }
    }

    @inline(__always)
    private func read<Number>(
        _ values: FieldValues, into numbers: inout [Number],
        _ number: (UnsafeRawPointer, UnsafeRawPointer) -> Number?
    ) -> Bool {
        var found = numbers
        numbers = []
        defer { numbers = found }
        found.removeAll(keepingCapacity: true)
        for index in 0..<values.count {
            var start = values.starts[index]
            let end = values.ends[index]
            if isOptional {
                guard start < end else { return false }
                let tag = start.load(as: UInt8.self)
                if tag == 0 { continue }
                guard tag == 1 else { return false }
                start += 1
            }
            guard let value = number(start, end) else { return false }
            found.append(value)
        }
        return true
    }
}

extension StoredType {
    /// What optionals and raw values are around, and how many optionals.
    var unwrapped: (type: StoredType, optionals: Int) {
        var (type, optionals) = (self, 0)
        while true {
            if case .optional(let wrapped) = type {
                type = wrapped
                optionals += 1
            } else if case .raw(_, let raw) = type {
                type = raw
            } else {
                return (type, optionals)
            }
        }
    }
}
