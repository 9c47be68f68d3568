package import VarveEvents

/// What replay must arrive at, kept in plain dictionaries, and the transactions that lead there.
package struct ReplayModel: ~Copyable {
    package struct Key: Hashable {
        package let type: TypeNumber
        package let id: [UInt8]

        package init(type: TypeNumber, id: [UInt8]) {
            self.type = type
            self.id = id
        }
    }

    package struct Row {
        package var fields: [FieldNumber: [UInt8]]
        package var ordinal: UInt64
        package var version: PreviousVersion
        package var isDeleted = false
        /// The lists that a tombstone keeps.
        package var kept: [RelationNumber: [Key]] = [:]
    }

    package struct ListKey: Hashable {
        package let holder: Key
        package let relation: RelationNumber

        package init(holder: Key, relation: RelationNumber) {
            self.holder = holder
            self.relation = relation
        }
    }

    var generator: SeededGenerator
    package var types: [TypeDefinition] = []
    package var rows: [Key: Row] = [:]
    package var lists: [ListKey: [Key]] = [:]
    /// The transactions that entities went for good in, of those that have no row.
    package private(set) var departures: [Key: TransactionID] = [:]
    var nextOrdinals: [TypeNumber: UInt64] = [:]
    /// The numbers of integer ids that were made, and the greatest that transactions named, by type.
    private var numbers: [Key: UInt64] = [:]
    private var lastNumbers: [TypeNumber: UInt64] = [:]
    var version = PreviousVersion(
        transaction: TransactionID(0), updatedAt: Timestamp(microseconds: 0))
    var encoder = TransactionEncoder()
    /// Entities whose rows the current transaction has touched: each has one event.
    var touched: Set<Key> = []

    /// Whether transactions are of updates and links only.
    package var isGentle = false

    package init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// A random transaction, applied to the model.
    package mutating func transaction() throws -> [UInt8] {
        version = PreviousVersion(
            transaction: TransactionID(version.transaction.rawValue + 1),
            updatedAt: Timestamp(microseconds: Int64(generator.below(1 << 40)) - (1 << 39)))
        touched = []
        encoder.begin(id: version.transaction, time: version.updatedAt)
        if types.isEmpty {
            try defineTypes()
        } else {
            if !isGentle, generator.chance(12) { try revise() }
            for _ in 0...generator.below(10) { try change() }
        }
        var writer = ByteWriter()
        encoder.finish(
            TransactionHeader(id: version.transaction, time: version.updatedAt), into: &writer)
        return writer.copyBytes()
    }

    // MARK: Types

    private mutating func defineTypes() throws {
        let count = 1 + generator.below(3)
        for number in 1...count {
            var fields: [FieldDefinition] = []
            for field in 0..<generator.below(6) { fields.append(self.field(field + 1, fill: nil)) }
            var relations: [RelationDefinition] = []
            for relation in 0..<generator.below(4) {
                relations.append(
                    RelationDefinition(
                        number: RelationNumber(UInt32(relation + 1)), name: "r\(relation)",
                        target: TypeNumber(UInt32(1 + generator.below(count))),
                        isToMany: !generator.chance(3)))
            }
            types.append(
                TypeDefinition(
                    number: TypeNumber(UInt32(number)), name: "T\(number)",
                    idType: generator.chance(2) ? .string : .int64, fields: fields,
                    relations: relations))
        }
        // Others of integer ids come to it when they are revised.
        types[0].numbersIDs = types[0].idType == .int64
        for type in types { try encoder.define(type) }
    }

    private mutating func field(_ number: Int, fill: [UInt8]?) -> FieldDefinition {
        FieldDefinition(
            number: FieldNumber(UInt32(number)), name: "f\(number)", type: generator.type(),
            rung: .storable, fill: fill)
    }

    /// Adds a field, makes one optional, and changes the order of the rows.
    private mutating func revise() throws {
        let index = generator.below(types.count)
        var type = types[index]
        let highest = type.fields.map(\.number.rawValue).max() ?? 0
        var added = field(Int(highest) + 1, fill: nil)
        let fill = try generator.value(of: added.type)
        added.fill = fill
        type.fields.append(added)
        for key in rows.keys where key.type == type.number {
            rows[key]?.fields[added.number] = fill
        }
        widenField(of: &type)
        type.fields.shuffle(using: &generator)
        type.numbersIDs = type.idType == .int64
        if let relation = type.relations.indices.randomElement(using: &generator) {
            type.relations[relation].isToMany = true
        }
        types[index] = type
        try encoder.define(type)
    }

    /// Makes a field optional: every value gets the tag of one that is there.
    private mutating func widenField(of type: inout TypeDefinition) {
        let position = generator.below(type.fields.count)
        let field = type.fields[position]
        if case .optional = field.type { return }
        type.fields[position].type = .optional(field.type)
        type.fields[position].fill = field.fill.map { [1] + $0 }
        for key in rows.keys where key.type == type.number {
            rows[key]?.fields[field.number]?.insert(1, at: 0)
        }
    }

    // MARK: Entities

    private mutating func change() throws {
        let type = types[generator.below(types.count)]
        let key = try key(of: type)
        if generator.chance(2), !type.relations.isEmpty { return try link(key, of: type) }
        guard touched.insert(key).inserted else { return }
        if isGentle {
            if let row = rows[key], !row.isDeleted { try update(key, of: type, row) }
            return
        }
        guard let row = rows[key] else {
            return generator.chance(8)
                ? try delete(
                    key, of: type, Row(fields: [:], ordinal: 0, version: version), isRowless: true)
                : try insert(key, of: type, previous: nil)
        }
        if row.isDeleted {
            guard generator.chance(4) else {
                return try insert(key, of: type, previous: row.version)
            }
            encoder.purge([index(of: key)])
            rows[key] = nil
            departures[key] = version.transaction
        } else if generator.chance(3) {
            try delete(key, of: type, row, isRowless: false)
        } else {
            try update(key, of: type, row)
        }
    }

    private mutating func key(of type: TypeDefinition) throws -> Key {
        let number = generator.below(40)
        let id =
            type.idType == .string ? try "id-\(number)".storedBytes() : try number.storedBytes()
        let key = Key(type: type.number, id: id)
        if type.idType == .int64 { numbers[key] = UInt64(number) }
        return key
    }

    /// The last number of a type whose ids the store gives; 0 of other types.
    package func lastNumber(of type: TypeDefinition) -> UInt64 {
        type.numbersIDs ? lastNumbers[type.number, default: 0] : 0
    }

    private mutating func index(of key: Key) -> EntityIndex {
        if let number = numbers[key] {
            lastNumbers[key.type] = max(lastNumbers[key.type, default: 0], number)
        }
        return encoder.entity(key.type, bytes: key.id)
    }

    private mutating func newOrdinal(of type: TypeDefinition) -> UInt64 {
        let ordinal = nextOrdinals[type.number] ?? 1
        nextOrdinals[type.number] = ordinal + 1
        return ordinal
    }

    private mutating func randomFields(of type: TypeDefinition) throws -> [FieldNumber: [UInt8]] {
        var fields: [FieldNumber: [UInt8]] = [:]
        for field in type.fields { fields[field.number] = try generator.value(of: field.type) }
        return fields
    }

    private mutating func insert(
        _ key: Key, of type: TypeDefinition, previous: PreviousVersion?
    ) throws {
        let ordinal = rows[key]?.ordinal ?? newOrdinal(of: type)
        let row = Row(fields: try randomFields(of: type), ordinal: ordinal, version: version)
        encoder.insert(
            index(of: key), ordinal: Ordinal(ordinal), previous: previous,
            row: Self.bytes(row, type))
        rows[key] = row
        departures[key] = nil
    }

    private mutating func update(_ key: Key, of type: TypeDefinition, _ old: Row) throws {
        var row = old
        var changes = FieldChanges()
        for (position, field) in type.fields.enumerated() where generator.chance(2) {
            let before = old.fields[field.number] ?? []
            let after = try edited(before, field.type)
            row.fields[field.number] = after
            try changes.append(
                position, old: { writer throws(CodecError) in writer.write(before) },
                new: { writer throws(CodecError) in writer.write(after) })
        }
        guard !changes.isEmpty else { return }
        row.version = version
        encoder.update(
            index(of: key), previous: old.version, changes: changes, fields: type.fields)
        rows[key] = row
    }

    /// Another value, of a long text one that shares most of it.
    private mutating func edited(_ old: [UInt8], _ type: StoredType) throws -> [UInt8] {
        guard type == .string, old.count > 900,
            var text = try? String.load(storedBytes: old)
        else { return try generator.value(of: type) }
        let position = text.index(text.startIndex, offsetBy: generator.below(text.count))
        text.insert(contentsOf: "new", at: position)
        return try text.storedBytes()
    }

    private mutating func delete(
        _ key: Key, of type: TypeDefinition, _ old: Row, isRowless: Bool
    ) throws {
        var row = old
        if isRowless {
            row.fields = try randomFields(of: type)
            row.ordinal = newOrdinal(of: type)
        }
        let keepsTombstone = isRowless || !generator.chance(3)
        row.kept = [:]
        for relation in type.relations where keepsTombstone && !isRowless {
            let list = lists[ListKey(holder: key, relation: relation.number)] ?? []
            if !list.isEmpty { row.kept[relation.number] = list }
        }
        var kept: [(relation: RelationNumber, entities: [EntityIndex])] = []
        for (relation, list) in row.kept.sorted(by: { $0.key < $1.key }) {
            var entities: [EntityIndex] = []
            for target in list { entities.append(index(of: target)) }
            kept.append((relation, entities))
        }
        encoder.delete(
            index(of: key), keepsTombstone: keepsTombstone, isRowless: isRowless,
            ordinal: Ordinal(row.ordinal), previous: isRowless ? nil : old.version,
            row: Self.bytes(row, type), lists: kept)
        row.isDeleted = true
        row.version = version
        rows[key] = keepsTombstone ? row : nil
        departures[key] = keepsTombstone ? nil : version.transaction
    }

    private mutating func link(_ key: Key, of type: TypeDefinition) throws {
        let relation = type.relations[generator.below(type.relations.count)]
        let target = types[Int(relation.target.rawValue) - 1]
        let listKey = ListKey(holder: key, relation: relation.number)
        let old = lists[listKey] ?? []
        var new = old
        if relation.isToMany {
            if generator.chance(3) { new.shuffle(using: &generator) }
            new.removeLast(generator.below(new.count + 1) / 2)
            for _ in 0..<generator.below(5) {
                let candidate = try self.key(of: target)
                if !new.contains(candidate) {
                    new.insert(candidate, at: generator.below(new.count + 1))
                }
            }
        } else {
            new = generator.chance(4) ? [] : [try self.key(of: target)]
        }
        let difference = ListDifference(from: old, to: new)
        guard !difference.isEmpty else { return }
        var removals: [ListChange] = []
        for (position, target) in difference.removals {
            removals.append(ListChange(position: position, entity: index(of: target)))
        }
        var insertions: [ListChange] = []
        for (position, target) in difference.insertions {
            insertions.append(ListChange(position: position, entity: index(of: target)))
        }
        encoder.link(
            index(of: key), relation: relation.number, oldCount: old.count, removals: removals,
            insertions: insertions)
        lists[listKey] = new
    }

    // MARK: Comparing

    package static func bytes(_ row: Row, _ type: TypeDefinition) -> [UInt8] {
        type.fields.flatMap { row.fields[$0.number] ?? [] }
    }

    /// The digest that the replayed state must have.
    package borrowing func digest() -> UInt64 {
        var digest = StateDigest()
        digest.add(lastTransaction: version.transaction, lastTime: version.updatedAt)
        for type in types {
            digest.add(type: type, nextOrdinal: Ordinal(nextOrdinals[type.number] ?? 1))
        }
        for (key, row) in rows {
            let type = types[Int(key.type.rawValue) - 1]
            withBytes(key.id) { id in
                withBytes(Self.bytes(row, type)) { bytes in
                    digest.add(
                        type: key.type, id: id, row: bytes, ordinal: Ordinal(row.ordinal),
                        transaction: row.version.transaction, updatedAt: row.version.updatedAt,
                        isDeleted: row.isDeleted)
                }
            }
            for (relation, list) in row.kept {
                Self.add(key, relation, list, keptByTombstone: true, to: &digest)
            }
        }
        for (key, list) in lists where !list.isEmpty {
            Self.add(key.holder, key.relation, list, keptByTombstone: false, to: &digest)
        }
        return digest.value
    }

    private static func add(
        _ holder: Key, _ relation: RelationNumber, _ list: [Key], keptByTombstone: Bool,
        to digest: inout StateDigest
    ) {
        withBytes(holder.id) {
            digest.beginList(
                of: holder.type, id: $0, relation: relation, keptByTombstone: keptByTombstone)
        }
        for target in list { withBytes(target.id) { digest.addTarget($0) } }
        digest.endList()
    }
}
