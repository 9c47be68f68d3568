/// Tests rows by their bytes, without making values: what most conditions on properties need.
///
/// A row that cannot be judged so, as one with a text that is not ASCII, is left to the evaluator. Both find the
/// same rows, and this one is only faster.
struct RowFilter {
    private let layout: RowLayout
    private let test: RowTest
    /// The test, where it is of one field.
    private let only: FieldTest?
    /// Where the fields of the current row begin, as far as they were looked for.
    private var starts: [Int]
    private var knownCount = 1

    /// Nil where the condition needs more than properties and constants.
    init?(_ condition: BoundExpression, of type: TypeDefinition) {
        guard let test = RowTest(condition, of: type) else { return nil }
        self.init(test, of: type)
    }

    init(_ test: RowTest, of type: TypeDefinition) {
        self.test = test
        if case .field(let field) = test { only = field } else { only = nil }
        layout = RowLayout(type)
        starts = Array(repeating: 0, count: type.fields.count + 1)
    }

    /// Whether a row meets the condition; nil where its bytes alone do not tell.
    mutating func admits(_ row: UnsafeRawBufferPointer) throws(CodecError) -> Bool? {
        knownCount = 1
        guard let only else { return try holds(test, row) }
        // As most are: nothing is remembered of the row.
        var reader = ByteReader(row)
        for field in 0..<only.position { try layout.skip(field, in: &reader) }
        return try only.holds(&reader)
    }

    private mutating func holds(
        _ test: RowTest, _ row: UnsafeRawBufferPointer
    ) throws(CodecError) -> Bool? {
        switch test {
        case .field(let field):
            var reader = try reader(at: field.position, row)
            return try field.holds(&reader)
        case .not(let inner): return try holds(inner, row).map { !$0 }
        case .and(let parts):
            var result: Bool? = true
            for part in parts {
                let isMet = try holds(part, row)
                if isMet == false { return false }
                if isMet == nil { result = nil }
            }
            return result
        case .or(let parts):
            var result: Bool? = false
            for part in parts {
                let isMet = try holds(part, row)
                if isMet == true { return true }
                if isMet == nil { result = nil }
            }
            return result
        }
    }

    private mutating func reader(
        at position: Int, _ row: UnsafeRawBufferPointer
    ) throws(CodecError) -> ByteReader {
        var reader = ByteReader(row)
        let known = min(position, knownCount - 1)
        try reader.skip(starts[known])
        for field in known..<position {
            try layout.skip(field, in: &reader)
            starts[field + 1] = reader.position
        }
        knownCount = max(knownCount, position + 1)
        return reader
    }
}

/// A condition on the bytes of a row.
enum RowTest {
    case field(FieldTest)
    indirect case not(RowTest)
    case and([RowTest])
    case or([RowTest])

    init?(_ condition: BoundExpression, of type: TypeDefinition) {
        switch condition {
        case .not(let inner):
            guard let test = RowTest(inner, of: type) else { return nil }
            self = .not(test)
        case .and(let parts), .or(let parts):
            let tests = parts.compactMap { RowTest($0, of: type) }
            guard tests.count == parts.count else { return nil }
            if case .and = condition { self = .and(tests) } else { self = .or(tests) }
        case .isNull(.field(let position)):
            guard let test = FieldTest(position, type, .equal, QueryValue.null) else { return nil }
            self = .field(test)
        case .comparison(let comparison, .field(let position), .constant(let constant)):
            guard let test = FieldTest(position, type, comparison, constant) else { return nil }
            self = .field(test)
        case .comparison(let comparison, .constant(let constant), .field(let position)):
            guard let turned = comparison.turned,
                let test = FieldTest(position, type, turned, constant)
            else { return nil }
            self = .field(test)
        case .field(let position):
            guard let test = FieldTest(position, type, .equal, .bool(true)) else { return nil }
            self = .field(test)
        default: return nil
        }
    }
}

extension QueryComparison {
    /// The comparison that says the same of exchanged operands.
    var turned: QueryComparison? {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .greater: .less
        case .lessOrEqual: .greaterOrEqual
        case .greaterOrEqual: .lessOrEqual
        case .contains, .startsWith, .endsWith: nil
        }
    }
}
