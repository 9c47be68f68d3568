internal import VarveEvents
internal import VarveGraph
internal import VarveTables
internal import VarveText

/// What opening a store found beside the entities that it shows.
public struct OpeningReport: Sendable, Equatable {
    /// What the log holds and the app's types do not show.
    public let unread: UnreadContent
}

/// What a log holds and the app's types do not show: types that were not named at opening, properties and relations that
/// the app's types lack. All of it is kept, for the app that knows it.
///
/// Where the app has a name instead that the log lacks, and the rest fits, the report says so: data that seem to be
/// gone are there under their former name.
public struct UnreadContent: Sendable, Equatable {
    /// A type that the app has not named.
    public struct Entities: Sendable, Equatable {
        /// The name of the type in the log.
        public let type: String
        /// How many entities of the type there are.
        public let count: Int
        /// How many deleted entities could be restored.
        public let deletedCount: Int
        /// A type of the app that the log does not know and that has most properties in common.
        public let likelyName: String?
    }

    /// A property that the app's type lacks.
    public struct Property: Sendable, Equatable {
        /// The name of the type in the log.
        public let type: String
        /// The name of the property in the log.
        public let property: String
        /// Entities, and deleted ones, that have another value than a new one is given: nil, 0, no text.
        public let count: Int
        /// A property of the app's type that the log does not know and that could hold the values.
        public let likelyName: String?
    }

    /// A relation that the app's type lacks.
    public struct Relation: Sendable, Equatable {
        /// The name of the type in the log.
        public let type: String
        /// The name of the relation in the log.
        public let relation: String
        /// Links, counted from this side.
        public let count: Int
        /// A relation of the app's type that the log does not know and that leads to the same type.
        public let likelyName: String?
    }

    /// In the order in which the log defined them.
    public internal(set) var types: [Entities] = []
    /// Properties that the app's types lack, in the order in which the log defined them.
    public internal(set) var properties: [Property] = []
    /// Relations that the app's types lack, in the order in which the log defined them.
    public internal(set) var relations: [Relation] = []
    /// The first unreadable value of each entity, or deleted one, that is not shown because a property which needs a
    /// value has one that its type does not know. Such an entity can be neither saved nor deleted.
    public internal(set) var values: [UnreadableValue] = []

    /// Whether the app's types show everything that the log holds.
    public var isEmpty: Bool {
        types.isEmpty && properties.isEmpty && relations.isEmpty && values.isEmpty
    }
}

extension UnreadContent: CustomStringConvertible {
    /// A line for each thing; empty where there is none.
    public var description: String {
        var lines: [String] = types.map(\.description)
        lines += properties.map(\.description)
        lines += relations.map(\.description)
        for value in values { lines.append("not shown: \(value)") }
        return lines.joined(separator: "\n")
    }
}

extension UnreadContent.Entities: CustomStringConvertible {
    /// One line: how many entities are not shown, and what to do.
    public var description: String {
        let advice =
            likelyName.map { "if '\($0)' is its new name, write @EntityModel(\"\(type)\")" }
            ?? "name the type when opening the store"
        return count.counted("entity", "entities")
            + " of type '\(type)' (and \(deletedCount) deleted) "
            + (count == 1 ? "is" : "are") + " not shown: "
            + advice
    }
}

extension UnreadContent.Property: CustomStringConvertible {
    /// One line: how many values are not shown, and what to do.
    public var description: String {
        count.counted("value") + " of '\(type).\(property)' " + (count == 1 ? "is" : "are")
            + " not shown: the app's type has no such property"
            + UnreadContent.advice(likelyName, instead: property)
    }
}

extension UnreadContent.Relation: CustomStringConvertible {
    /// One line: how many links are not shown, and what to do.
    public var description: String {
        count.counted("link") + " of '\(type).\(relation)' " + (count == 1 ? "is" : "are")
            + " not shown: the app's type has no such relation"
            + UnreadContent.advice(likelyName, instead: relation)
    }
}

extension UnreadContent {
    fileprivate static func advice(_ likelyName: String?, instead name: String) -> String {
        likelyName.map { "; if '\($0)' is its new name, write @PersistedName(\"\(name)\")" } ?? ""
    }
}

// MARK: - Finding it

extension UnreadContent {
    /// Of a state that was read.
    ///
    /// - Complexity: O(n) in the values and links that the types do not know.
    init(_ state: State, _ context: Context, _ schema: Schema) {
        for (position, table) in context.tables.tables.unfilled.enumerated() {
            guard let merged = schema.definition(atTable: position),
                let logged = state.catalog.definition(of: merged.number)
            else { continue }
            let names = LikelyNames(logged, merged, table.descriptor)
            addProperties(of: logged, names, schema.unknownFields[position])
            addRelations(of: logged, names, state)
        }
        addTypes(state, schema)
        for position in schema.withheldRows.keys.sorted() {
            values += schema.withheldRows[position]?.values ?? []
        }
    }

    private mutating func addProperties(
        of logged: TypeDefinition, _ names: LikelyNames, _ unknown: UnknownFields?
    ) {
        guard !names.fields.isEmpty, let unknown else { return }
        let counts = unknown.valueCounts()
        for (field, name) in names.fields {
            guard let count = counts[field.number] else { continue }
            properties.append(
                Property(
                    type: logged.name, property: field.name, count: count, likelyName: name))
        }
    }

    private mutating func addRelations(
        of logged: TypeDefinition, _ names: LikelyNames, _ state: State
    ) {
        guard !names.relations.isEmpty else { return }
        for (relation, name) in names.relations {
            let count = state.linkCount(of: logged.number, relation: relation.number)
            guard count > 0 else { continue }
            relations.append(
                Relation(
                    type: logged.name, relation: relation.name, count: count, likelyName: name))
        }
    }

    private mutating func addTypes(_ state: State, _ schema: Schema) {
        let known = Set(schema.definitions.compactMap { $0?.number })
        let new = schema.definitions.compactMap { definition in
            definition.flatMap { state.catalog.definition(of: $0.number) == nil ? $0 : nil }
        }
        for logged in state.catalog.definitions
        where !known.contains(logged.number) && logged.tombstoneOf == nil {
            let counts = state.counts(of: logged.number)
            guard counts.live + counts.tombstones > 0 else { continue }
            types.append(
                Entities(
                    type: logged.name, count: counts.live, deletedCount: counts.tombstones,
                    likelyName: LikelyNames.name(insteadOf: logged, among: new)))
        }
    }
}

/// Which new names of an app may stand for names of the log that the app lacks.
private struct LikelyNames {
    /// What the app's type lacks, with the new name that each may have: each new name once.
    let fields: [(former: FieldDefinition, name: String?)]
    let relations: [(former: RelationDefinition, name: String?)]

    /// - Parameters:
    ///   - logged: what the log says of the type.
    ///   - merged: the same with what the app declares.
    init(_ logged: TypeDefinition, _ merged: TypeDefinition, _ descriptor: EntityDescriptor) {
        var newFields = merged.fields.filter { logged.field(named: $0.name) == nil }
        let fieldNames = Set(descriptor.fields.map(\.name))
        fields = logged.fields.filter { !fieldNames.contains($0.name) }.map { former in
            let index = newFields.firstIndex { former.type.mayBeRenamed(to: $0.type) }
            return (former, index.map { newFields.remove(at: $0).name })
        }
        var newRelations = merged.relations.filter { logged.relation(named: $0.name) == nil }
        let relationNames = Set(descriptor.relations.map(\.name))
        relations = logged.relations.filter { !relationNames.contains($0.name) }.map { former in
            let index = newRelations.firstIndex {
                $0.target == former.target && ($0.isToMany || !former.isToMany)
            }
            return (former, index.map { newRelations.remove(at: $0).name })
        }
    }

    /// Of types that the log does not know, the one that has most in common with one that the app does not name.
    static func name(insteadOf logged: TypeDefinition, among new: [TypeDefinition]) -> String? {
        var best: (name: String, common: Int)?
        for candidate in new where candidate.idType == logged.idType {
            let common = logged.fields.count { field in
                candidate.field(named: field.name)
                    .map { field.type.mayBeRenamed(to: $0.type) } ?? false
            }
            // Half of the properties at least: a type that has a name alone in common is another one.
            guard common * 2 >= logged.fields.count, common > best?.common ?? -1 else { continue }
            best = (candidate.name, common)
        }
        return best?.name
    }
}
