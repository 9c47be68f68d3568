/// Looks the names of a query up in a catalog, and refuses what cannot hold.
struct QueryBinder {
    let catalog: Catalog
    /// The positions of the fields that are named, by type.
    var fields: [TypeNumber: Set<Int>] = [:]
    /// Whether what is bound is inside of an aggregate or of a grouping.
    private var isInsideRow = false
    /// Whether an aggregate may be there: in a column or key of a grouped query, and not in another one.
    private var allowsAggregates = false

    init(_ catalog: Catalog) { self.catalog = catalog }

    /// An expression with what is known of its values.
    struct Typed {
        let expression: BoundExpression
        let kind: QueryKind
        /// Of a list: what is known of its elements.
        let elements: QueryKind

        init(_ expression: BoundExpression, _ kind: QueryKind, elements: QueryKind = .any) {
            self.expression = expression
            self.kind = kind
            self.elements = elements
        }
    }

    mutating func bind(_ syntax: QuerySyntax) throws(QueryError) -> BoundQuery {
        guard let type = catalog.definition(named: syntax.type.text) else {
            throw QueryError(
                problem: .noSuchType(syntax.type.text, known: catalog.definitions.map(\.name)),
                place: syntax.type.place)
        }
        isInsideRow = true
        let condition = try syntax.condition.map { expression throws(QueryError) in
            try self.condition(expression, of: type)
        }
        var grouping: [BoundExpression] = []
        for column in syntax.grouping {
            grouping.append(try bind(column.expression, of: type).expression)
        }
        let written = try syntax.columns()
        let isGrouped =
            !syntax.grouping.isEmpty || syntax.selection.contains { $0.expression.hasAggregate }
        isInsideRow = !isGrouped
        var columns: [(title: String, expression: BoundExpression)] = []
        for column in written {
            let bound = try grouped(column.expression, by: syntax.grouping, of: type)
            columns.append((column.title, bound))
        }
        var order: [(expression: BoundExpression, isDescending: Bool)] = []
        for key in syntax.order {
            let expression = Self.resolving(
                key.expression, among: written + syntax.grouping)
            order.append(
                (try grouped(expression, by: syntax.grouping, of: type), key.isDescending))
        }
        if written.isEmpty { columns = allColumns(of: type) }
        return BoundQuery(
            type: type, selectsDeleted: syntax.selectsDeleted, condition: condition,
            grouping: grouping, isGrouped: isGrouped, columns: columns, order: order,
            limit: syntax.limit, offset: syntax.offset, fields: fields)
    }

    private mutating func allColumns(
        of type: TypeDefinition
    ) -> [(title: String, expression: BoundExpression)] {
        fields[type.number] = Set(type.fields.indices)
        return [("id", .id)]
            + type.fields.enumerated().map { ($0.element.name, .field($0.offset)) }
    }

    /// A key of the order may name a column by its title.
    private static func resolving(
        _ expression: QueryExpression, among columns: [QueryColumn]
    ) -> QueryExpression {
        guard case .path(let names) = expression.form, names.count == 1 else { return expression }
        return columns.first { $0.title == names[0].text }?.expression ?? expression
    }

    /// In a grouped query a column is a grouping, or made of aggregates.
    private mutating func grouped(
        _ expression: QueryExpression, by grouping: [QueryColumn], of type: TypeDefinition
    ) throws(QueryError) -> BoundExpression {
        let isGrouping = grouping.contains { $0.expression.isWritten(as: expression) }
        let before = isInsideRow
        allowsAggregates = !before && !isGrouping
        defer { (isInsideRow, allowsAggregates) = (before, false) }
        if isGrouping { isInsideRow = true }
        return try bind(expression, of: type).expression
    }

    // MARK: Conditions

    mutating func condition(
        _ expression: QueryExpression, of type: TypeDefinition
    ) throws(QueryError) -> BoundExpression {
        let bound = try bind(expression, of: type)
        guard bound.kind == .bool || bound.kind == .any else {
            throw QueryError(
                problem: .notACondition(bound.kind.rawValue), place: expression.place)
        }
        return bound.expression
    }

    private mutating func conditions(
        _ expressions: [QueryExpression], of type: TypeDefinition
    ) throws(QueryError) -> [BoundExpression] {
        var bound: [BoundExpression] = []
        for expression in expressions { bound.append(try condition(expression, of: type)) }
        return bound
    }

    private mutating func bind(
        _ expression: QueryExpression, of type: TypeDefinition
    ) throws(QueryError) -> Typed {
        switch expression.form {
        case .literal(let content): return Typed(.constant(content), QueryKind(content))
        case .path(let names):
            guard isInsideRow else { throw Self.notGrouped(expression) }
            return try path(names[...], of: type)
        case .not(let inner): return Typed(.not(try condition(inner, of: type)), .bool)
        case .and(let parts): return Typed(.and(try conditions(parts, of: type)), .bool)
        case .or(let parts): return Typed(.or(try conditions(parts, of: type)), .bool)
        case .comparison(let comparison, let first, let second):
            return Typed(try self.comparison(comparison, first, second, of: type), .bool)
        case .membership(let first, let members):
            var bound: [BoundExpression] = []
            let value = try bind(first, of: type)
            for member in members {
                bound.append(try comparable(member, with: value.kind, of: type).expression)
            }
            return Typed(.membership(value.expression, in: bound), .bool)
        case .isNull(let inner): return Typed(.isNull(try bind(inner, of: type).expression), .bool)
        default: return try call(expression, of: type)
        }
    }

    private mutating func call(
        _ expression: QueryExpression, of type: TypeDefinition
    ) throws(QueryError) -> Typed {
        switch expression.form {
        case .quantified where !isInsideRow, .count where !isInsideRow:
            throw Self.notGrouped(expression)
        case .quantified(let quantifier, let names, let condition):
            let relation = try relation(names, of: type)
            let bound = try self.condition(condition, of: relation.target)
            return Typed(.quantified(quantifier, relation.bound, bound), .bool)
        case .count(let names, let condition):
            return Typed(try count(names, condition, of: type), .number)
        case .function(.lower, let inner):
            return Typed(.function(.lower, try bind(inner, of: type).expression), .text)
        case .function(.length, let inner):
            return Typed(.function(.length, try bind(inner, of: type).expression), .number)
        case .aggregate(let aggregate, let inner):
            guard allowsAggregates else {
                throw QueryError(
                    problem: .misplacedAggregate(aggregate.rawValue), place: expression.place)
            }
            let before = isInsideRow
            (isInsideRow, allowsAggregates) = (true, false)
            defer { (isInsideRow, allowsAggregates) = (before, true) }
            guard let inner else { return Typed(.aggregate(aggregate, nil), .number) }
            return try self.aggregate(aggregate, inner, of: type)
        default: preconditionFailure("a form that the caller binds")
        }
    }

    private mutating func aggregate(
        _ aggregate: QueryAggregate, _ inner: QueryExpression, of type: TypeDefinition
    ) throws(QueryError) -> Typed {
        let bound = try bind(inner, of: type)
        let takesNumbers = aggregate == .sum || aggregate == .average
        guard !takesNumbers || bound.kind.isComparable(with: .number) else {
            throw QueryError(
                problem: .notANumber(bound.kind.rawValue, aggregate: aggregate.rawValue),
                place: inner.place)
        }
        return Typed(
            .aggregate(aggregate, bound.expression), takesNumbers ? .number : bound.kind)
    }

    private mutating func comparison(
        _ comparison: QueryComparison, _ first: QueryExpression, _ second: QueryExpression,
        of type: TypeDefinition
    ) throws(QueryError) -> BoundExpression {
        let value = try bind(first, of: type)
        switch comparison {
        case .contains where value.kind == .list:
            let element = try comparable(
                second, with: value.elements, of: type, mayWaitForDate: false)
            return .comparison(comparison, value.expression, element.expression)
        case .contains, .startsWith, .endsWith:
            let other = try bindingBesideValue(second, of: value.kind, type)
            for (bound, expression) in [(value, first), (other, second)]
            where !bound.kind.isComparable(with: .text) {
                throw QueryError(
                    problem: .notComparable(bound.kind.rawValue, QueryKind.text.rawValue),
                    place: expression.place)
            }
            return .comparison(comparison, value.expression, other.expression)
        default:
            let other = try comparable(second, with: value.kind, of: type)
            let own =
                other.kind == .date
                ? try comparable(first, with: .date, of: type) : value
            return .comparison(comparison, own.expression, other.expression)
        }
    }

    /// Binds what is compared with a value of a kind. Beside a date a text is read as one.
    ///
    /// - Parameter mayWaitForDate: whether the value is bound again where it is a text and this is a date.
    private mutating func comparable(
        _ expression: QueryExpression, with kind: QueryKind, of type: TypeDefinition,
        mayWaitForDate: Bool = true
    ) throws(QueryError) -> Typed {
        if kind == .date, case .literal(.string(let text)) = expression.form {
            guard let moment = Moment(iso8601: text) else {
                throw QueryError(problem: .notADate(text), place: expression.place)
            }
            return Typed(.constant(QueryValue.date(of: moment)), .date)
        }
        let bound = try bindingBesideValue(expression, of: kind, type)
        // The other way round, the text comes first and is read when its date is known.
        let waitsForDate = mayWaitForDate && bound.kind == .date && kind == .text
        guard bound.kind.isComparable(with: kind) || waitsForDate else {
            throw QueryError(
                problem: .notComparable(kind.rawValue, bound.kind.rawValue),
                place: expression.place)
        }
        return bound
    }

    /// Binds what is beside a value of a kind. Beside a text an unknown name may be a text.
    private mutating func bindingBesideValue(
        _ expression: QueryExpression, of kind: QueryKind, _ type: TypeDefinition
    ) throws(QueryError) -> Typed {
        do throws(QueryError) {
            return try bind(expression, of: type)
        } catch {
            guard kind == .text, case .path(let names) = expression.form, names.count == 1,
                case .noSuchProperty(let name, let type, let known) = error.problem
            else { throw error }
            throw QueryError(
                problem: .noSuchPropertyBesideText(name, type: type, known: known),
                place: error.place)
        }
    }

    private static func notGrouped(_ expression: QueryExpression) -> QueryError {
        let names: [QueryName] =
            switch expression.form {
            case .path(let names), .quantified(_, let names, _), .count(let names, _): names
            default: []
            }
        return QueryError(
            problem: .notGrouped(names.map(\.text).joined(separator: ".")),
            place: expression.place)
    }
}

extension QueryExpression {
    fileprivate var hasAggregate: Bool {
        switch form {
        case .aggregate: true
        case .function(_, let inner): inner.hasAggregate
        default: false
        }
    }

    /// Whether both are the one path, as a grouping is named again.
    fileprivate func isWritten(as other: QueryExpression) -> Bool {
        switch (form, other.form) {
        case (.path(let own), .path(let names)): own.map(\.text) == names.map(\.text)
        case (.function(let own, let inner), .function(let function, let operand)):
            own == function && inner.isWritten(as: operand)
        default: false
        }
    }
}

extension QuerySyntax {
    /// What is selected, behind what is grouped by and not selected too.
    fileprivate func columns() throws(QueryError) -> [QueryColumn] {
        let columns =
            grouping.filter { group in
                !selection.contains { $0.expression.isWritten(as: group.expression) }
            } + selection
        var titles: Set<String> = []
        for column in columns where !titles.insert(column.title).inserted {
            throw QueryError(problem: .columnTwice(column.title), place: column.place)
        }
        return columns
    }
}
