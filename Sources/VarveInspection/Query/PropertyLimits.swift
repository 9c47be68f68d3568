internal import VarveTables

/// What conditions, all of which a row must meet, say of the properties of a type.
struct PropertyLimits {
    private let type: TypeDefinition
    private let limits: [FieldLimits]

    /// How many ranges of an index are searched at most. Each is a walk down its tree.
    private static let rangesMax = 256

    init(_ conditions: [BoundExpression], of type: TypeDefinition) {
        self.type = type
        limits = conditions.compactMap { FieldLimits($0, of: type) }
    }

    var isEmpty: Bool { limits.isEmpty }

    /// The ranges of an index that hold every row that meets the conditions; nil where no condition limits the first
    /// property of the index, or where they are many.
    func bounds(in declaration: IndexDeclaration) -> [FieldBounds]? {
        var starts: [[[UInt8]]] = [[]]
        for (depth, field) in declaration.fields.enumerated() {
            guard let position = position(of: field) else { return nil }
            if let values = values(of: position) {
                guard starts.count * values.count <= Self.rangesMax else {
                    return depth == 0 ? nil : starts.map { FieldBounds(equal: $0) }
                }
                starts = starts.flatMap { start in values.map { start + [$0] } }
                continue
            }
            if let range = range(of: position) {
                return starts.map {
                    FieldBounds(equal: $0, lower: range.lower, upper: range.upper)
                }
            }
            return depth == 0 ? nil : starts.map { FieldBounds(equal: $0) }
        }
        return starts.map { FieldBounds(equal: $0) }
    }

    /// The range of an index whose first fields have one value each, with limits of the next field. Nil where a condition
    /// says no such value.
    ///
    /// - Parameter depth: how many fields have one value.
    func bounds(in declaration: IndexDeclaration, behind depth: Int) -> FieldBounds? {
        var equal: [[UInt8]] = []
        for field in declaration.fields.prefix(depth) {
            guard let position = position(of: field), let values = values(of: position),
                values.count == 1
            else { return nil }
            equal += values
        }
        let next = position(of: declaration.fields[depth]).flatMap { self.range(of: $0) }
        return FieldBounds(equal: equal, lower: next?.lower, upper: next?.upper)
    }

    private func position(of field: IndexDeclaration.Field) -> Int? {
        type.fields.firstIndex { $0.number == field.number }
    }

    /// The values of which the property has one; nil where no condition says them.
    private func values(of position: Int) -> [[UInt8]]? {
        var fewest: [[UInt8]]?
        for limit in limits where limit.position == position {
            guard case .equal(let values) = limit.values, values.count < fewest?.count ?? .max
            else { continue }
            fewest = values
        }
        return fewest
    }

    /// The first limit from below and the first from above. Others leave out more, and are tested of each row.
    private func range(of position: Int) -> (lower: [UInt8]?, upper: [UInt8]?)? {
        var (lower, upper): ([UInt8]?, [UInt8]?) = (nil, nil)
        for limit in limits where limit.position == position {
            guard case .range(let own, let other) = limit.values else { continue }
            lower = lower ?? own
            upper = upper ?? other
        }
        if lower == nil, upper == nil { return nil }
        // Null, which comes first, is within no limits.
        return (lower ?? IndexedField(type.fields[position].type)?.leastBesideNull, upper)
    }
}
