import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Indexes of images are compared with the rows, entry by entry.
@Suite("Comparison of indexes with rows")
struct IndexVerificationTests {
    static let keyBytesMaxima = [1, 300, 5_000, IndexBuilding.usualKeyBytesMax]

    /// All problems of a state's indexes, and how many indexes there are.
    static func problems(
        of state: State, keyBytesMax: Int = IndexBuilding.usualKeyBytesMax
    ) throws -> (found: [IndexProblem], count: Int) {
        try state.reading {
            var verification = IndexVerification(state, keyBytesMax: keyBytesMax)
            var found: [IndexProblem] = []
            while true {
                do throws(IndexProblem) {
                    if try !verification.advance() { return (found, verification.count) }
                } catch {
                    found.append(error)
                }
            }
        }
    }

    @Test(
        "Indexes of long and equal values and of nil are found sound, in one range or in many",
        arguments: 1...3)
    func sound(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        // The longest names have pages of their own.
        let people = PeopleLog.people(60, longest: 3_000, &generator)
        let built = try PeopleLog.state(of: people).changed {
            PeopleLog.build(PeopleLog.declarations, in: $0)
        }
        let bytes = try built.image().bytes
        for keyBytesMax in Self.keyBytesMaxima {
            let state = try State.open(MemorySource(bytes)).state
            let (found, count) = try Self.problems(of: state, keyBytesMax: keyBytesMax)
            #expect(found == [] && count == 4, "seed \(seed), \(keyBytesMax) bytes")
        }
    }

    @Test(
        "Indexes of random logs are found sound, also those that an image took over",
        arguments: TestSize.choose(1...12, nightly: 1...60))
    func random(seed: Int) throws {
        var history = StateHistory(seed: seed)
        try history.advance(60)
        history.move(
            to: try history.state.changed { transaction in
                for table in transaction.tables {
                    for field in table.definition.fields {
                        _ = try transaction.declareIndex(
                            of: table.definition.number, IndexDeclaration([.init(field.number)]))
                    }
                }
            })
        var compared = 0
        var (state, base) = try State.open(MemorySource(history.state.image().bytes))
        let keyBytesMax = Self.keyBytesMaxima[seed % 4]
        for round in 0..<3 {
            let indexes = state.tables.map(\.indexes.count).reduce(0, +)
            let (found, count) = try Self.problems(of: state, keyBytesMax: keyBytesMax)
            #expect(found == [] && count == indexes, "seed \(seed), round \(round)")
            compared += count
            history.move(to: state)
            try history.advance(20)
            let image = try history.state.image(on: base).bytes
            (state, base) = try State.open(MemorySource(image))
        }
        #expect(compared > 0, "seed \(seed)")
    }

    @Test("A state without indexes, and indexes without entries, are sound")
    func empty() throws {
        #expect(try Self.problems(of: State()) == ([], 0))
        let state = try PeopleLog.state(of: []).changed {
            PeopleLog.build(PeopleLog.declarations, in: $0)
        }
        let opened = try State.open(MemorySource(state.image().bytes)).state
        #expect(try Self.problems(of: opened) == ([], 4))
    }

    @Test("Neither rows nor leaves of an index stay in memory, and each block is read once")
    func memory() throws {
        let byName = IndexDeclaration([.init(FieldNumber(1))])
        let built = try UserLog.state(count: 20_000).changed {
            _ = try $0.declareIndex(of: UserLog.type, byName)
        }
        let source = MemorySource(try built.image().bytes)
        let state = try State.open(source).state
        let leaves = state.tables[0].rows.storedLeaves(in: state.pages)
        let before = (source.ranges.count, state.reservedBytes)
        #expect(try Self.problems(of: state) == ([], 1))
        let read = source.ranges[before.0...]
        #expect(read.count > 40 && Set(read).count == read.count)
        for leaf in leaves { #expect(state.pages.isUnread(leaf.page)) }
        // The nodes of the index.
        #expect(state.reservedBytes - before.1 < 100_000)
    }

    @Test("Indexes whose keys this program would make otherwise are counted, and not compared")
    func stale() throws {
        let state = try PeopleLog.state(of: [.init(name: "Ann", age: 3)]).changed {
            PeopleLog.build(PeopleLog.declarations, in: $0)
            $0.tables[0].staleTrees = [$0.tables[0].indexes.removeLast().index.tree]
        }
        let opened = try State.open(MemorySource(state.image().bytes)).state
        let verification = IndexVerification(opened)
        #expect(verification.count == 3 && verification.staleCount == 1)
        #expect(try Self.problems(of: opened) == ([], 3))
    }
}

private func == (
    left: (found: [IndexProblem], count: Int), right: (found: [IndexProblem], count: Int)
) -> Bool {
    left.found == right.found && left.count == right.count
}
