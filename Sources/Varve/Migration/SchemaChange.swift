public import VarveEvents
internal import VarveText

/// One difference between the types that a log has defined and those that it would have.
public enum SchemaChange: Sendable, Hashable {
    /// A type that the log does not have yet.
    case addedType(String)
    /// A type that goes for good.
    case removedType(String)
    /// A type gets another name in the log.
    case renamedType(String, to: String)
    /// A property or a relation gets another name in the log.
    case renamed(type: String, member: String, to: String)
    /// A property that the log does not have yet.
    case addedProperty(type: String, property: String, StoredType)
    /// A property that goes for good.
    case removedProperty(type: String, property: String)
    /// Values are read as ones of a wider type.
    case widened(type: String, property: String, from: StoredType, to: StoredType)
    /// A migration makes values of another type.
    case converted(type: String, property: String, from: StoredType, to: StoredType)
    /// A relation that the log does not have yet.
    case addedRelation(type: String, relation: String)
    /// A relation that goes for good, with its links.
    case removedRelation(type: String, relation: String)
    /// A to-one relation becomes to-many.
    case becameToMany(type: String, relation: String)
    /// A migration makes a to-many relation to-one.
    case becameToOne(type: String, relation: String)
    /// A migration gives entities other ids, and relations lead to these.
    case newIDs(type: String, from: StoredType, to: StoredType)
}

extension SchemaChange: CustomStringConvertible {
    /// One line.
    public var description: String { message.escapedForDisplay }

    private var message: String {
        switch self {
        case .addedType(let type): "add type \(type)"
        case .removedType(let type): "remove type \(type)"
        case .renamedType(let type, let new): "rename type \(type) to \(new)"
        case .renamed(let type, let member, let new): "rename \(type).\(member) to \(new)"
        case .addedProperty(let type, let property, let stored):
            "add \(type).\(property): \(stored)"
        case .removedProperty(let type, let property): "remove \(type).\(property)"
        case .widened(let type, let property, let from, let to):
            "widen \(type).\(property) from \(from) to \(to)"
        case .converted(let type, let property, let from, let to):
            "convert \(type).\(property) from \(from) to \(to)"
        case .addedRelation(let type, let relation): "add relation \(type).\(relation)"
        case .removedRelation(let type, let relation): "remove relation \(type).\(relation)"
        case .becameToMany(let type, let relation): "make relation \(type).\(relation) to-many"
        case .becameToOne(let type, let relation): "make relation \(type).\(relation) to-one"
        case .newIDs(let type, let from, let to):
            "give \(type) new ids" + (from == to ? "" : ", from \(from) to \(to)")
        }
    }
}

extension SchemaChange {
    /// What definitions that a log would get change, in their order.
    static func all(from former: Catalog, _ merge: CatalogMerge) -> [SchemaChange] {
        merge.definitions.flatMap { new -> [SchemaChange] in
            let predecessor = merge.successors.first { $0.value == new.number }?.key
            guard let old = former.definition(of: predecessor ?? new.number) else {
                return merge.isMoved(new.tombstoneOf) ? [] : [.addedType(new.name)]
            }
            guard merge.successors[new.number] == nil else { return [] }
            guard old.isRetired || !new.isRetired else {
                return merge.isMoved(new.tombstoneOf) ? [] : [.removedType(old.name)]
            }
            let demands = merge.demands[old.number] ?? CatalogMerge.Demands()
            let ids =
                predecessor == nil
                ? [] : [newIDs(type: new.name, from: old.idType, to: new.idType)]
            return ids + names(old, new) + properties(old, new, demands)
                + relations(old, new, demands, moved: merge.moved[old.number] ?? [:])
        }
    }

    private static func names(_ old: TypeDefinition, _ new: TypeDefinition) -> [SchemaChange] {
        guard old.tombstoneOf == nil else { return [] }
        var changes: [SchemaChange] = []
        if old.name != new.name { changes.append(.renamedType(old.name, to: new.name)) }
        for field in new.fields where !field.isRetired {
            guard let former = old.fields.first(where: { $0.number == field.number }),
                former.name != field.name
            else { continue }
            changes.append(.renamed(type: new.name, member: former.name, to: field.name))
        }
        for relation in new.relations
        where !FieldDefinition.isRetired(relation.name, relation.number.rawValue) {
            guard let former = old.relations.first(where: { $0.number == relation.number }),
                former.name != relation.name
            else { continue }
            changes.append(.renamed(type: new.name, member: former.name, to: relation.name))
        }
        return changes
    }

    private static func properties(
        _ old: TypeDefinition, _ new: TypeDefinition, _ demands: CatalogMerge.Demands
    ) -> [SchemaChange] {
        let type = new.name
        var changes: [SchemaChange] = []
        for field in new.fields where !demands.retired.contains(field.number) {
            if let former = old.fields.first(where: { $0.number == field.number }) {
                guard former.type != field.type else { continue }
                changes.append(
                    .widened(type: type, property: field.name, from: former.type, to: field.type))
            } else if let former = old.field(named: field.name),
                demands.retired.contains(former.number), !demands.removed.contains(former.number)
            {
                changes.append(
                    .converted(type: type, property: field.name, from: former.type, to: field.type))
            } else {
                changes.append(.addedProperty(type: type, property: field.name, field.type))
            }
        }
        let kept = Set(new.fields.map(\.number)).subtracting(demands.removed)
        return changes
            + old.fields.filter { !kept.contains($0.number) }.map {
                .removedProperty(type: type, property: $0.name)
            }
    }

    private static func relations(
        _ old: TypeDefinition, _ new: TypeDefinition, _ demands: CatalogMerge.Demands,
        moved: [RelationNumber: RelationNumber]
    ) -> [SchemaChange] {
        let type = new.name
        let narrowed = Set(demands.narrowed.values)
        let followed = Set(moved.values)
        var changes: [SchemaChange] = []
        for relation in new.relations {
            if let former = old.relations.first(where: { $0.number == relation.number }) {
                guard former.isToMany != relation.isToMany else { continue }
                changes.append(.becameToMany(type: type, relation: relation.name))
            } else if !followed.contains(relation.number) {
                changes.append(
                    narrowed.contains(relation.number)
                        ? .becameToOne(type: type, relation: relation.name)
                        : .addedRelation(type: type, relation: relation.name))
            }
        }
        let kept = Set(new.relations.map(\.number)).subtracting(demands.joined)
        return changes
            + old.relations.filter { !kept.contains($0.number) }.map {
                .removedRelation(type: type, relation: $0.name)
            }
    }
}

extension CatalogMerge {
    /// Whether the entities of a type get other ids: that there is another type for deleted ones says nothing.
    fileprivate func isMoved(_ type: TypeNumber?) -> Bool {
        guard let type else { return false }
        return successors.contains { $0.key == type || $0.value == type }
    }
}
