/// All entity types that a log has defined, each with every revision of its definition.
package struct Catalog: Sendable {
    /// A definition and when it came into force.
    package struct Revision: Sendable {
        package let definition: TypeDefinition
        package let since: TransactionID
    }

    /// Revisions by type, oldest first; type number n at index n - 1.
    private var history: [[Revision]] = []
    private var numberByName: [String: TypeNumber] = [:]
    /// How many revisions there are of all types.
    package private(set) var revisionCount = 0

    package init() {}

    package var isEmpty: Bool { history.isEmpty }

    /// The newest definition of each type, in order of their numbers.
    package var definitions: [TypeDefinition] { history.compactMap { $0.last?.definition } }

    /// All revisions of all types, oldest first.
    package var revisions: [Revision] {
        history.joined().sorted {
            ($0.since, $0.definition.number) < ($1.since, $1.definition.number)
        }
    }

    package func revisions(of type: TypeNumber) -> [Revision] {
        guard let index = index(of: type) else { return [] }
        return history[index]
    }

    package func definition(of type: TypeNumber) -> TypeDefinition? {
        revisions(of: type).last?.definition
    }

    /// The definition in force after a transaction.
    package func definition(of type: TypeNumber, after id: TransactionID) -> TypeDefinition? {
        revisions(of: type).last { $0.since <= id }?.definition
    }

    package func definition(named name: String) -> TypeDefinition? {
        numberByName[name].flatMap { definition(of: $0) }
    }

    /// Gives the newest definition of a type other names. It stays the revision that it is.
    mutating func replaceNewest(with definition: TypeDefinition) {
        guard let index = index(of: definition.number), let last = history[index].last,
            last.definition != definition
        else { return }
        history[index][history[index].count - 1] = Revision(
            definition: definition, since: last.since)
        if numberByName[last.definition.name] == definition.number {
            numberByName[last.definition.name] = nil
        }
        numberByName[definition.name] = definition.number
    }

    /// The catalog of transactions through one that were rewritten in the newest definitions. Those behind it keep the
    /// definitions under which they were written.
    package func rewritten(through transaction: TransactionID) -> Catalog {
        var catalog = self
        let next = TransactionID(transaction.rawValue + 1)
        for index in history.indices {
            guard let newest = history[index].last else { continue }
            var revisions = [Revision(definition: newest.definition, since: 0)]
            if let current = history[index].last(where: { $0.since <= transaction }) {
                revisions.append(Revision(definition: current.definition, since: next))
            }
            catalog.history[index] = revisions + history[index].filter { $0.since > transaction }
        }
        catalog.revisionCount = catalog.history.reduce(0) { $0 + $1.count }
        return catalog
    }

    private func index(of type: TypeNumber) -> Int? {
        let index = Int(type.rawValue) - 1
        return history.indices.contains(index) ? index : nil
    }

    /// Takes in a definition. An identical one makes no new revision and returns false.
    package mutating func define(
        _ definition: TypeDefinition, in id: TransactionID
    ) throws(CatalogError) -> Bool {
        try definition.checkMembers()
        if let named = numberByName[definition.name], named != definition.number {
            throw .duplicateTypeName(type: definition.name)
        }
        guard let index = index(of: definition.number) else {
            let next = TypeNumber(UInt32(truncatingIfNeeded: history.count + 1))
            guard definition.number == next else {
                throw .typeNumberNotDense(
                    type: definition.name, found: definition.number, expected: next)
            }
            history.append([Revision(definition: definition, since: id)])
            revisionCount += 1
            numberByName[definition.name] = definition.number
            return true
        }
        let revisions = history[index]
        guard let current = revisions.last?.definition, current != definition else { return false }
        try definition.checkSuccession(of: current, after: revisions.map(\.definition))
        history[index].append(Revision(definition: definition, since: id))
        revisionCount += 1
        numberByName[current.name] = nil
        numberByName[definition.name] = definition.number
        return true
    }

    /// Checks that every relation leads to a defined type. Types that refer to each other can
    /// only be defined one after the other, so this is asked at the end of a transaction.
    package func checkReferences() throws(CatalogError) {
        for definition in definitions {
            for relation in definition.relations where index(of: relation.target) == nil {
                throw .unknownTarget(
                    type: definition.name, property: relation.name, target: relation.target)
            }
            if let base = definition.tombstoneOf, index(of: base) == nil {
                throw .unknownTarget(
                    type: definition.name, property: "tombstoneOf", target: base)
            }
        }
    }
}

extension TypeDefinition {
    /// Numbers and names are unique within the type.
    func checkMembers() throws(CatalogError) {
        var names: Set<String> = []
        var numbers: Set<UInt32> = []
        for field in fields {
            guard names.insert(field.name).inserted, numbers.insert(field.number.rawValue).inserted
            else { throw .duplicateMember(type: name, property: field.name) }
        }
        names.removeAll()
        numbers.removeAll()
        for relation in relations {
            guard names.insert(relation.name).inserted,
                numbers.insert(relation.number.rawValue).inserted
            else { throw .duplicateMember(type: name, property: relation.name) }
        }
    }

    /// Rows and links under the current definition can be carried over to this one.
    fileprivate func checkSuccession(
        of current: TypeDefinition, after all: [TypeDefinition]
    ) throws(CatalogError) {
        guard idType == current.idType else {
            throw .idTypeChanged(type: name, from: current.idType, to: idType)
        }
        let highestField = all.flatMap { $0.fields.map(\.number) }.max() ?? FieldNumber(0)
        for field in fields {
            if let old = current.fields.first(where: { $0.number == field.number }) {
                try Catalog.checkTypeChange(of: name, from: old, to: field)
            } else {
                guard field.number > highestField else {
                    throw .numberReused(type: name, property: field.name)
                }
                guard field.fill != nil else {
                    throw .newFieldNeedsDefault(type: name, property: field.name)
                }
            }
        }
        let highestRelation =
            all.flatMap { $0.relations.map(\.number) }.max() ?? RelationNumber(0)
        for relation in relations {
            if let old = current.relations.first(where: { $0.number == relation.number }) {
                try Catalog.checkChange(of: name, from: old, to: relation)
            } else if relation.number <= highestRelation {
                throw .numberReused(type: name, property: relation.name)
            }
        }
    }
}

extension Catalog {
    static func checkTypeChange(
        of type: String, from old: FieldDefinition, to new: FieldDefinition
    ) throws(CatalogError) {
        do throws(CodecError) {
            _ = try Transcoder(from: old.type, to: new.type)
        } catch {
            throw .fieldTypeChanged(
                type: type, property: new.name, from: old.type, to: new.type,
                reason: error.transcodingReason)
        }
    }

    static func checkChange(
        of type: String, from old: RelationDefinition, to new: RelationDefinition
    ) throws(CatalogError) {
        guard old.target == new.target else {
            throw .relationTargetChanged(type: type, property: new.name)
        }
        guard new.isToMany || !old.isToMany else {
            throw .relationBecameToOne(type: type, property: new.name)
        }
    }
}

extension CodecError {
    fileprivate var transcodingReason: String {
        if case .notTranscodable(_, _, let reason) = self { reason } else { description }
    }
}
