/// What the names of a query lead to.
extension QueryBinder {
    mutating func path(
        _ names: ArraySlice<QueryName>, of type: TypeDefinition
    ) throws(QueryError) -> Typed {
        guard let name = names.first else { return Typed(.id, QueryKind(type.idType)) }
        let rest = names.dropFirst()
        if name.text == "id" { return try members(rest, of: .id, type.idType) }
        if let metadata = QueryMetadata(rawValue: name.text) {
            return try members(rest, of: .metadata(metadata), metadata.type)
        }
        if let position = type.fields.firstIndex(where: { $0.name == name.text }) {
            fields[type.number, default: []].insert(position)
            return try members(rest, of: .field(position), type.fields[position].type)
        }
        let relation = try self.relation([name], of: type)
        guard !relation.isToMany else {
            throw QueryError(problem: .leadsToMany(name.text), place: name.place)
        }
        let inner = try path(rest, of: relation.target)
        return Typed(
            .related(relation.bound, inner.expression), inner.kind, elements: inner.elements)
    }

    /// What names lead to inside of a value of a type. What the type does not tell, as of JSON, each row does.
    private func members(
        _ names: ArraySlice<QueryName>, of value: BoundExpression, _ type: StoredType
    ) throws(QueryError) -> Typed {
        guard let name = names.first else { return Typed(value, type) }
        let (rest, member) = (names.dropFirst(), BoundExpression.member(value, name.text))
        switch type {
        case .optional(let wrapped), .raw(_, let wrapped):
            return try members(names, of: value, wrapped)
        case .structure(let structure, let fields):
            return try members(rest, of: member, try Self.member(name, of: structure, fields))
        case .asset:
            let fields = StoredType.assetFields
            return try members(rest, of: member, try Self.member(name, of: "Asset", fields))
        case .dictionary(_, let value): return try members(rest, of: member, value)
        case .enumeration(let enumeration, let cases) where QueryKind(type) == .any:
            // Null in the cases that have no such value.
            let fields = cases.flatMap(\.payload).filter { !$0.name.isEmpty }
            guard !fields.isEmpty else { throw Self.noMembers(name, type) }
            let first = try Self.member(name, of: enumeration, fields)
            let isOne = fields.allSatisfy { $0.name != name.text || $0.type == first }
            if isOne { return try members(rest, of: member, first) }
            return Typed(rest.reduce(member) { .member($0, $1.text) }, .any)
        default:
            guard QueryKind(type) == .any else { throw Self.noMembers(name, type) }
            let deepest = rest.reduce(member) { .member($0, $1.text) }
            return Typed(deepest, .any)
        }
    }

    private static func noMembers(_ name: QueryName, _ type: StoredType) -> QueryError {
        QueryError(
            problem: .noMembers(name.text, kind: QueryKind(type).rawValue), place: name.place)
    }

    private static func member(
        _ name: QueryName, of structure: String, _ fields: [StoredType.Field]
    ) throws(QueryError) -> StoredType {
        if let field = fields.first(where: { $0.name == name.text }) { return field.type }
        throw QueryError(
            problem: .noSuchProperty(name.text, type: structure, known: fields.map(\.name)),
            place: name.place)
    }

    mutating func count(
        _ names: [QueryName], _ condition: QueryExpression?, of type: TypeDefinition
    ) throws(QueryError) -> BoundExpression {
        if names.count == 1, condition == nil, type.relation(named: names[0].text) == nil {
            let list = try path(names[...], of: type)
            guard list.kind == .list || list.kind == .any || list.kind == .members else {
                throw QueryError(problem: .notARelation(names[0].text), place: names[0].place)
            }
            return .function(.length, list.expression)
        }
        let relation = try relation(names, of: type)
        let bound = try condition.map { expression throws(QueryError) in
            try self.condition(expression, of: relation.target)
        }
        return .linkCount(relation.bound, bound)
    }

    func relation(
        _ names: [QueryName], of type: TypeDefinition
    ) throws(QueryError) -> (bound: BoundRelation, target: TypeDefinition, isToMany: Bool) {
        let name = names[0]
        guard names.count == 1 else {
            throw QueryError(problem: .notARelation(name.text), place: names[1].place)
        }
        guard let relation = type.relation(named: name.text) else {
            if type.field(named: name.text) != nil {
                throw QueryError(problem: .notARelation(name.text), place: name.place)
            }
            let known =
                ["id"] + type.fields.map(\.name) + type.relations.map(\.name)
                + QueryMetadata.allCases.map(\.rawValue)
            throw QueryError(
                problem: .noSuchProperty(name.text, type: type.name, known: known),
                place: name.place)
        }
        guard let target = catalog.definition(of: relation.target) else {
            throw QueryError(
                problem: .noSuchType("\(relation.target)", known: catalog.definitions.map(\.name)),
                place: name.place)
        }
        let bound = BoundRelation(
            source: type.number, number: relation.number, target: target.number)
        return (bound, target, relation.isToMany)
    }
}

extension QueryBinder.Typed {
    fileprivate init(_ expression: BoundExpression, _ type: StoredType) {
        self.init(expression, QueryKind(type), elements: QueryKind(elementsOf: type))
    }
}
