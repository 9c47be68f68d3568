import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Random logs, with indexes that are declared and dropped in between: each must hold the keys of all
/// live rows, and of no other.
@Suite("Indexes of a state")
struct StateIndexTests {
    @Test(
        "Indexes hold the live rows in order, through revisions and rollbacks, in held states too",
        arguments: TestSize.choose(1...15, nightly: 1...40))
    func randomLogs(seed: Int) throws {
        var model = ReplayModel(seed: UInt64(seed))
        var generator = SeededGenerator(seed: UInt64(seed) << 32)
        var state = State()
        var held: [(state: State, keys: [[[UInt8]]])] = []
        for step in 0..<80 {
            let bytes = try model.transaction()
            if generator.chance(4) {
                let transaction = StateTransaction(state)
                try change(transaction, bytes, &generator)
                transaction.rollBack()
            }
            let transaction = StateTransaction(state)
            try change(transaction, bytes, &generator)
            state = transaction.publish()
            try check(state, "seed \(seed), transaction \(step + 1)")
            if generator.chance(8) { held.append((state, Self.keys(of: state))) }
            if held.count > 4 { held.remove(at: generator.below(held.count)) }
        }
        for (state, keys) in held {
            try check(state, "seed \(seed), held")
            #expect(Self.keys(of: state) == keys, "seed \(seed), held")
        }
        held = []
        state = state.changed { transaction in
            for table in transaction.tables {
                for declared in table.indexes {
                    transaction.dropIndex(of: table.definition.number, declared.declaration)
                }
            }
        }
        state.store.reclaim()
        try expectNoLostPages(state, seed: seed)
    }

    /// Applies a transaction of the log, and declares or drops an index now and then.
    private func change(
        _ transaction: StateTransaction, _ bytes: [UInt8], _ generator: inout SeededGenerator
    ) throws {
        try bytes.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
        guard let table = transaction.tables.randomElement(using: &generator) else { return }
        let type = table.definition.number
        if generator.chance(3), let declared = table.indexes.randomElement(using: &generator) {
            return transaction.dropIndex(of: type, declared.declaration)
        }
        let fields = table.definition.fields.shuffled(using: &generator)
        guard generator.chance(2), !fields.isEmpty else { return }
        let declaration = IndexDeclaration(
            fields.prefix(1 + generator.below(2)).map {
                .init($0.number, isDescending: generator.chance(2))
            })
        let isDeclared = try transaction.declareIndex(of: type, declaration)
        let isPossible = fields.prefix(declaration.fields.count).allSatisfy {
            KeyPart($0.type) != nil
        }
        #expect(isDeclared == isPossible)
        let isStillDeclared = try transaction.declareIndex(of: type, declaration)
        #expect(isStillDeclared == isPossible)
    }

    /// The naive model: the keys of all live rows, made anew and sorted.
    private func check(_ state: State, _ comment: Comment) throws {
        for table in state.tables {
            let type = table.definition.number
            for declared in table.indexes {
                var expected: [(key: [UInt8], slot: Slot)] = []
                guard var reader = state.reader(of: type) else {
                    Issue.record("the type is there")
                    return
                }
                var cursor = table.rows.cursor(in: state.pages)
                while let entry = cursor.nextEntry() {
                    guard entry.presence == .live else { continue }
                    var key = ByteWriter()
                    _ = try reader.read(entry.slot) { entity throws(CodecError) in
                        _ = try declared.index.writeKey(of: entity.row, table.layout, into: &key)
                    }
                    expected.append((key.copyBytes(), entry.slot))
                }
                expected.sort {
                    $0.key == $1.key
                        ? $0.slot < $1.slot : $0.key.lexicographicallyPrecedes($1.key)
                }
                let found = try slots(state, type, declared.declaration)
                #expect(found == expected.map(\.slot), comment)
            }
        }
    }

    /// By entries, and by slots alone.
    private func slots(
        _ state: State, _ type: TypeNumber, _ declaration: IndexDeclaration
    ) throws -> [Slot] {
        var (byEntry, bySlot): ([Slot], [Slot]) = ([], [])
        let end = [UInt8](repeating: 0xFF, count: 200)
        let index = try #require(state.index(of: type, declaration))
        try end.withUnsafeBytes { end in
            let first = UnsafeRawBufferPointer(start: nil, count: 0)
            let isThere = try state.forEachEntry(of: type, by: declaration, from: first, to: end) {
                byEntry.append($0.slot)
                return true
            }
            #expect(isThere)
            index.forEach(from: first, to: nil, in: state.pages) { slot, _ in
                bySlot.append(slot)
                return true
            }
        }
        #expect(byEntry == bySlot)
        return byEntry
    }

    private static func keys(of state: State) -> [[[UInt8]]] {
        state.tables.map { table in
            table.indexes.map { declared in
                var slots: [UInt8] = []
                declared.index.forEach(
                    from: UnsafeRawBufferPointer(start: nil, count: 0), to: nil, in: state.pages
                ) { slot, _ in
                    slots.append(UInt8(truncatingIfNeeded: slot.rawValue))
                    return true
                }
                return slots
            }
        }
    }

    /// Without indexes the state has as many pages as one that never had any.
    private func expectNoLostPages(_ state: State, seed: Int) throws {
        var model = ReplayModel(seed: UInt64(seed))
        let expected = try State().changed { transaction in
            for _ in 0..<80 {
                let bytes = try model.transaction()
                try bytes.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
            }
        }
        #expect(try state.digest() == expected.digest(), "seed \(seed)")
        #expect(state.store.pageCount == expected.store.pageCount, "seed \(seed)")
    }

    @Test("An index goes with a field that a revision drops, and its pages with it")
    func droppedField() throws {
        var generator = SeededGenerator(seed: 1)
        let fields = [1, 2].map {
            FieldDefinition(
                number: FieldNumber(UInt32($0)), name: "f\($0)", type: .int64, rung: .storable)
        }
        var definition = TypeDefinition(
            number: TypeNumber(1), name: "T", idType: .int64, fields: fields, relations: [])
        var state = try State().changed { transaction in
            try apply(1, to: transaction) { encoder in
                try encoder.define(definition)
                for id in 0..<200 {
                    let entity = encoder.entity(definition.number, bytes: try id.storedBytes())
                    let row = try generator.below(50).storedBytes() + (try id.storedBytes())
                    encoder.insert(entity, ordinal: Ordinal(UInt64(id + 1)), row: row)
                }
            }
        }
        let pageCount = state.store.pageCount
        let declarations = [1, 2].map { IndexDeclaration([.init(FieldNumber($0))]) }
        state = try state.changed { transaction in
            for declaration in declarations {
                let isDeclared = try transaction.declareIndex(of: definition.number, declaration)
                #expect(isDeclared)
            }
        }
        try check(state, "declared")
        definition.fields.removeFirst()
        state = try state.changed { transaction in
            try apply(2, to: transaction) { try $0.define(definition) }
        }
        #expect(state.declaredIndexes(of: definition.number) == [declarations[1]])
        try check(state, "revised")
        state = state.changed { $0.dropIndex(of: definition.number, declarations[1]) }
        #expect(state.declaredIndexes(of: definition.number).isEmpty)
        state.store.reclaim()
        #expect(state.store.pageCount == pageCount)
    }

    private func apply(
        _ id: UInt64, to transaction: StateTransaction,
        _ body: (inout TransactionEncoder) throws -> Void
    ) throws {
        var encoder = TransactionEncoder()
        let time = Timestamp(microseconds: 1)
        encoder.begin(id: TransactionID(id), time: time)
        try body(&encoder)
        var writer = ByteWriter()
        encoder.finish(TransactionHeader(id: TransactionID(id), time: time), into: &writer)
        try writer.copyBytes().withUnsafeBytes { try transaction.apply(TransactionView($0)) }
    }
}
