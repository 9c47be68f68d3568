import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Indexes that are made in steps are those that are declared at once.
@Suite("Indexes made in steps")
struct IndexBuildingTests {
    private typealias Wanted = [TypeNumber: [IndexDeclaration]]

    /// Some of the indexes of a state, some others, some twice, and some that there cannot be.
    private static func wanted(of state: State, _ generator: inout SeededGenerator) -> Wanted {
        var wanted: Wanted = [TypeNumber(99): [IndexDeclaration([.init(FieldNumber(1))])]]
        for table in state.tables where !generator.chance(4) {
            let fields = table.definition.fields.map(\.number) + [FieldNumber(999)]
            var declarations = table.indexes.map(\.declaration).filter { _ in generator.chance(2) }
            for _ in 0..<generator.below(4) {
                let chosen = fields.shuffled(using: &generator).prefix(1 + generator.below(2))
                declarations.append(
                    IndexDeclaration(
                        chosen.map { .init($0, isDescending: generator.chance(2)) }))
            }
            if generator.chance(3), let first = declarations.first { declarations.append(first) }
            wanted[table.definition.number] = declarations.shuffled(using: &generator)
        }
        return wanted
    }

    /// As ``IndexBuilding`` says that it does, at once.
    private static func declare(_ wanted: Wanted, in transaction: StateTransaction) throws {
        transaction.releaseStaleIndexes()
        for table in transaction.tables {
            let type = table.definition.number
            guard let wanted = wanted[type] else { continue }
            for known in table.indexes where !wanted.contains(known.declaration) {
                transaction.dropIndex(of: type, known.declaration)
            }
            for declaration in wanted {
                _ = try transaction.declareIndex(of: type, declaration)
            }
        }
    }

    /// Returns how many steps that took.
    @discardableResult
    private static func build(
        _ wanted: Wanted, in transaction: StateTransaction, atMost stepsMax: Int = .max,
        keyBytesMax: Int = IndexBuilding.usualKeyBytesMax
    ) -> Int {
        var building = IndexBuilding(
            in: transaction, wanted: wanted, keyBytesMax: keyBytesMax)
        var steps = 0
        while steps < stepsMax, building.advance() { steps += 1 }
        return steps
    }

    @Test(
        "They are those that are declared at once, and given up half way there are none",
        arguments: TestSize.choose(1...20, nightly: 1...60))
    func random(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var history = StateHistory(seed: seed)
        var other = StateHistory(seed: seed)
        try history.advance(60)
        try other.advance(60)
        let wanted = Self.wanted(of: history.state, &generator)
        let (before, expected) = (history.state, other.state)
        other.move(to: try expected.changed { try Self.declare(wanted, in: $0) })
        let content = StateContent(before)
        history.reclaim()
        let pageCount = before.store.pageCount
        let keyBytesMax = [1, 100, 1_000, IndexBuilding.usualKeyBytesMax][seed % 4]
        for _ in 0..<4 {
            let transaction = StateTransaction(before)
            Self.build(
                wanted, in: transaction, atMost: generator.below(12), keyBytesMax: keyBytesMax)
            transaction.rollBack()
            before.store.reclaim()
            #expect(StateContent(before) == content, "seed \(seed)")
            #expect(before.store.pageCount == pageCount, "seed \(seed)")
        }
        history.move(
            to: before.changed { _ = Self.build(wanted, in: $0, keyBytesMax: keyBytesMax) })
        #expect(StateContent(history.state) == StateContent(other.state), "seed \(seed)")
        for table in other.state.tables {
            let type = table.definition.number
            #expect(
                history.state.declaredIndexes(of: type) == table.indexes.map(\.declaration),
                "seed \(seed)")
        }
    }

    @Test(
        "Indexes that are dropped in a replay, and made behind it, are those that are changed in it",
        arguments: TestSize.choose(1...20, nightly: 1...60))
    func behindReplay(seed: Int) throws {
        var history = StateHistory(seed: seed)
        var other = StateHistory(seed: seed)
        try history.advance(40)
        try other.advance(40)
        var log: [[UInt8]] = []
        for _ in 0..<12 { log.append(try history.next()) }
        let declared = Dictionary(
            uniqueKeysWithValues: history.state.tables.map {
                ($0.definition.number, $0.indexes.map(\.declaration))
            })
        history.move(
            to: try history.state.changed { transaction in
                for bytes in log {
                    try Self.apply([bytes], to: transaction)
                    transaction.dropWornIndexes()
                }
                Self.build(declared, in: transaction)
            })
        other.move(to: try other.state.changed { try Self.apply(log, to: $0) })
        // An index that was made anew comes behind others.
        func indexed(_ state: State) -> [[IndexDeclaration: [Slot]]] {
            zip(state.tables, StateContent(state).tables).map { table, content in
                let keys = table.indexes.map(\.declaration)
                return Dictionary(uniqueKeysWithValues: zip(keys, content.indexed))
            }
        }
        #expect(indexed(history.state) == indexed(other.state), "seed \(seed)")
        #expect(try history.state.digest() == other.state.digest(), "seed \(seed)")
    }

    @Test("A replay drops the indexes of which it removes more than a quarter of the entries")
    func wornIndexes() throws {
        var state = try UserLog.state(count: 1_000)
        let declarations = [Self.byName, Self.byAge]
        state = state.changed { _ = Self.build([UserLog.type: declarations], in: $0) }
        /// Which are left of both.
        func left(_ change: (State) throws -> State) throws -> [IndexDeclaration] {
            // What a change publishes is a base of the next one: the counts begin anew.
            let changed = try change(state)
            state = changed
            let transaction = StateTransaction(changed)
            transaction.dropWornIndexes()
            defer { transaction.rollBack() }
            return transaction.tables[0].indexes.map(\.declaration)
        }
        #expect(try left { try UserLog.add(1_000..<2_000, to: $0) } == declarations)
        #expect(try left { try UserLog.update(0..<1_000, of: $0) } == declarations)
        func leftInOne(_ log: [[UInt8]]) throws -> [IndexDeclaration] {
            let transaction = StateTransaction(state)
            try Self.apply(log, to: transaction)
            transaction.dropWornIndexes()
            defer { transaction.rollBack() }
            return transaction.tables[0].indexes.map(\.declaration)
        }
        #expect(try leftInOne([Self.ages(1_000..<1_500, of: state)]) == declarations)
        #expect(try leftInOne([Self.ages(1_000..<1_501, of: state)]) == [Self.byName])
        #expect(try leftInOne([Self.deletion(0..<400, of: state)]) == declarations)
        #expect(try leftInOne([Self.deletion(0..<401, of: state)]) == [])
        state = state.changed { _ = Self.build([UserLog.type: []], in: $0) }
        #expect(state.declaredIndexes(of: UserLog.type).isEmpty)
    }

    /// Gives users, who have another one, the age of 101.
    private static func ages(_ numbers: Range<Int>, of state: State) throws -> [UInt8] {
        try UserLog.transaction(behind: state) { encoder in
            for number in numbers {
                let entry = UserLog.id(number).withUnsafeBytes {
                    state.entry(of: UserLog.type, id: $0)
                }
                let version = try #require(entry?.version)
                var changes = FieldChanges()
                try changes.append(
                    1, old: { $0.writeSigned(Int64(number % 90)) }, new: { $0.writeSigned(101) })
                encoder.update(
                    encoder.entity(UserLog.type, bytes: UserLog.id(number)), previous: version,
                    changes: changes, fields: UserLog.definition.fields)
            }
        }
    }

    private static func deletion(_ numbers: Range<Int>, of state: State) throws -> [UInt8] {
        try UserLog.transaction(behind: state) { encoder in
            for number in numbers {
                let entry = UserLog.id(number).withUnsafeBytes {
                    state.entry(of: UserLog.type, id: $0)
                }
                let found = try #require(entry)
                encoder.delete(
                    encoder.entity(UserLog.type, bytes: UserLog.id(number)),
                    keepsTombstone: false, ordinal: Ordinal(found.stamps.ordinal),
                    previous: found.version, row: [UInt8](found.row))
            }
        }
    }

    private static func apply(_ log: [[UInt8]], to transaction: StateTransaction) throws {
        for bytes in log {
            try bytes.withUnsafeBytes { try transaction.apply(TransactionView($0)) }
        }
    }

    private static let byName = IndexDeclaration([.init(FieldNumber(1))])
    private static let byAge = IndexDeclaration([
        .init(FieldNumber(2), isDescending: true), .init(FieldNumber(1)),
    ])

    /// By all rows, sorted.
    private func check(_ state: State) throws {
        var rows: [(name: [UInt8], age: Int, slot: Int)] = []
        var cursor = try #require(state.entries(of: UserLog.type))
        while let entry = cursor.nextEntry() {
            guard entry.presence == .live else { continue }
            var reader = ByteReader(entry.row)
            let name = Array(try reader.readText().utf8)
            rows.append((name, UserLog.age(in: entry.row), entry.slot.index))
        }
        func slots(_ declaration: IndexDeclaration) throws -> [Int] {
            var slots: [Int] = []
            let isThere = try state.forEachSlot(
                of: UserLog.type, by: declaration, in: FieldBounds(equal: []), isReversed: false
            ) { slot, isNewKey in
                #expect(isNewKey, "names differ")
                slots.append(slot.index)
                return true
            }
            #expect(isThere)
            return slots
        }
        rows.sort { $0.name.lexicographicallyPrecedes($1.name) }
        #expect(try slots(Self.byName) == rows.map(\.slot))
        rows.sort {
            $0.age == $1.age ? $0.name.lexicographicallyPrecedes($1.name) : $0.age > $1.age
        }
        #expect(try slots(Self.byAge) == rows.map(\.slot))
    }

    @Test("Of many rows they are made in many steps, and fill their pages")
    func manyRows() throws {
        let count = 20_000
        var state = try UserLog.state(count: count)
        state = try UserLog.delete(500..<700, of: state)
        state.store.reclaim()
        let pageCount = state.store.pageCount
        var steps = 0
        state = state.changed { transaction in
            steps = Self.build([UserLog.type: [Self.byName, Self.byAge]], in: transaction)
        }
        // Of 1,024 rows or keys each.
        #expect(steps >= 4 * count / 1_024)
        try check(state)
        state.store.reclaim()
        // Keys of up to 27 bytes, with four that say where, in pages of 512.
        let pages = state.store.pageCount - pageCount
        #expect(pages < 2 * count * 31 / 480 * 11 / 10, "\(pages) pages")
        state = state.changed { _ = Self.build([UserLog.type: []], in: $0) }
        state.store.reclaim()
        #expect(state.store.pageCount == pageCount)
    }

    @Test("Of rows in an image each block is read once, and none is kept")
    func storedRows() throws {
        let bytes = try UserLog.state(count: 20_000).image().bytes
        var (state, image) = try State.open(MemorySource(bytes))
        // One row in so many leaves that most blocks are made again, with leaves in another order.
        for number in stride(from: 3, to: 20_000, by: 90) {
            state = try UserLog.update(number..<number + 1, of: state)
        }
        let source = MemorySource(try state.image(on: image).bytes)
        let opened = try State.open(source).state
        let rows = opened.tables[0].rows
        let before = source.ranges.count
        let built = try opened.reading {
            opened.changed { transaction in
                _ = Self.build([UserLog.type: [Self.byName]], in: transaction)
                for leaf in rows.storedLeaves(in: transaction.transaction.pages) {
                    #expect(transaction.transaction.pages.isUnread(leaf.page))
                }
            }
        }
        let read = source.ranges[before...]
        #expect(read.count > 40 && Set(read).count == read.count)
        let all = [UserLog.type: [Self.byName, Self.byAge]]
        try check(built.changed { _ = Self.build(all, in: $0) })
    }
}
