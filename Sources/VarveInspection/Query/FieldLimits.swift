internal import VarveTables

/// What a condition says of one property, as values that an index is searched for.
struct FieldLimits {
    enum Values {
        /// One of these, as rows have them.
        case equal([[UInt8]])
        /// Not below one and not above another, as rows have them.
        case range(lower: [UInt8]?, upper: [UInt8]?)
    }

    /// Of the property, in the type.
    let position: Int
    let values: Values

    /// Nil where the condition is no comparison of one property with constants, or where keys do not tell what meets it.
    init?(_ condition: BoundExpression, of type: TypeDefinition) {
        switch condition {
        case .field(let position):
            self.init(.equal, position, .bool(true), type)
        case .isNull(.field(let position)):
            self.init(.equal, position, QueryValue.null, type)
        case .comparison(let comparison, .field(let position), .constant(let content)):
            self.init(comparison, position, content, type)
        case .comparison(let comparison, .constant(let content), .field(let position)):
            // A date that is no number comes behind every other one on whichever side it is.
            if case .date = content, comparison != .equal { return nil }
            guard let turned = comparison.turned else { return nil }
            self.init(turned, position, content, type)
        case .membership(.field(let position), let members):
            self.init(position, members, type)
        default: return nil
        }
    }

    private init?(
        _ comparison: QueryComparison, _ position: Int, _ content: StoredContent,
        _ type: TypeDefinition
    ) {
        guard
            let values = IndexedField(type.fields[position].type)?.limits(comparison, content)
        else { return nil }
        self.position = position
        self.values = values
    }

    private init?(_ position: Int, _ members: [BoundExpression], _ type: TypeDefinition) {
        guard let field = IndexedField(type.fields[position].type) else { return nil }
        var values: Set<[UInt8]> = []
        for member in members {
            guard case .constant(let content) = member,
                let equal = field.values(equalTo: content)
            else { return nil }
            values.formUnion(equal)
        }
        self.position = position
        self.values = .equal(Array(values))
    }
}
