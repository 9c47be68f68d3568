import Testing
import VarveTestSupport

@testable import VarveGraph

/// Random programs over an entity with every kind of index, against an array.
@Suite("Indexes follow what is stored")
struct IndexPropertyTests {
    private struct Abort: Error {}

    private var random: SeededGenerator

    init() { random = SeededGenerator(seed: 0) }

    private static let cities = ["", "Ulm", "Rom", "Ulm am See", "ulm", "U\u{308}lm", "Ülm", "東京"]
    private static let scores: [Double] = [.nan, -0.0, 0, 1, -1, .infinity, -.infinity, 2.5]

    private mutating func citizen() -> Citizen {
        var citizen = Citizen(id: Int.random(in: 0..<40, using: &random))
        let words = ["otter", "otters", "Fox", "ab", "", "long wording"]
        citizen.name = (0..<Int.random(in: 0..<4, using: &random))
            .map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
        citizen.age = Int.random(in: -3..<4, using: &random)
        citizen.city = Self.cities.randomElement(using: &random) ?? ""
        citizen.score = Self.scores.randomElement(using: &random) ?? 0
        let names: [String?] = [nil, nil, "a", "b", "", "long nickname", "long nicknamf"]
        citizen.nickname = names.randomElement(using: &random) ?? nil
        citizen.email =
            Bool.random(using: &random) ? nil : "\(Int.random(in: 0..<60, using: &random))"
        citizen.seat = Bool.random(using: &random) ? nil : Int.random(in: 0..<60, using: &random)
        return citizen
    }

    /// One random change; whether it throws is not asked here.
    private mutating func change(_ context: inout Context, depth: Int = 0) throws {
        let citizen = citizen()
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try citizen.save(to: &context)
        case 4, 5: try citizen.save(to: &context, options: .fragment)
        case 6: try citizen.save(to: &context, options: MergeStrategy { old, _ in old })
        case 7: try Citizen.delete(id: citizen.id, from: &context)
        case 8: try Deleted<Citizen>.query(citizen.id).resolve(in: context)?.restore(in: &context)
        default:
            guard depth < 3 else { return }
            let mark = context.begin()
            do {
                for _ in 0..<Int.random(in: 1..<5, using: &random) {
                    try change(&context, depth: depth + 1)
                }
                if Bool.random(using: &random) { throw Abort() }
            } catch {
                context.rollBack(to: mark)
                return
            }
            context.end(mark)
        }
    }

    @Test("after every step each index holds what a rebuild would, in every copy", arguments: 1...4)
    mutating func randomPrograms(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        var context = Context()
        var copies: [(Context, [Citizen])] = []
        for step in 0..<160 {
            try? change(&context)
            context.checkInvariants()
            checkRebuild(context, "seed \(seed), step \(step)")
            if step % 31 == 0 {
                copies.append((context, Citizen.query().resolve(in: context)))
            }
        }
        for (copy, rows) in copies {
            copy.checkInvariants()
            #expect(Citizen.query().resolve(in: copy).map(\.id) == rows.map(\.id))
            checkRebuild(copy, "seed \(seed), a copy")
        }
    }

    private func checkRebuild(_ context: Context, _ note: String) {
        guard let table = context.table(of: Citizen.self) else { return }
        for index in table.indexDefinitions.indices {
            let rebuilt = table.builtIndex(index)
            let content = table.indexContents[index]
            #expect(content.tree.postings == rebuilt.tree.postings, "\(note)")
            #expect(content.slots?.entries == rebuilt.slots?.entries, "\(note)")
            #expect(content.text?.frequencies == rebuilt.text?.frequencies, "\(note)")
        }
    }

    @Test("within a tracked transaction, too, everything can be undone")
    mutating func trackedRollback() throws {
        random = SeededGenerator(seed: 99)
        var context = Context()
        for _ in 0..<60 { try? change(&context) }
        let before = context
        context.beginTracking(transaction: 1, time: 5, token: TransactionToken())
        let mark = context.begin()
        for _ in 0..<200 { try? change(&context) }
        context.rollBack(to: mark)
        context.endTracking()
        context.checkInvariants()
        let tables = [before, context].compactMap { $0.table(of: Citizen.self) }
        for index in tables[0].indexDefinitions.indices {
            #expect(
                tables[0].indexContents[index].tree.postings
                    == tables[1].indexContents[index].tree.postings)
            #expect(
                tables[0].indexContents[index].slots?.entries
                    == tables[1].indexContents[index].slots?.entries)
        }
    }

    /// What the bounds say, by the rows.
    private func scanned(
        _ context: Context, _ isInside: (Citizen) -> Bool
    ) -> [Int] {
        Citizen.query().resolve(in: context).filter(isInside).map(\.id)
    }

    private func found(
        _ context: Context, _ index: String, _ bounds: IndexBounds,
        _ order: PostingOrder = .ascending(depth: .max)
    ) throws -> [Int] {
        let table = try #require(context.table(of: Citizen.self))
        let number = try #require(table.indexDefinitions.firstIndex { $0.name == index })
        let range = try #require(table.postings(of: number, in: bounds))
        var ids: [Int] = []
        table.forEachPosting(of: number, in: range, order: order) { slot, _ in
            ids.append(table.id(of: Slot(slot)))
            return true
        }
        #expect(ids.count == range.count)
        return ids
    }

    private func bound(_ value: some Sendable, _ isInclusive: Bool) -> IndexBounds.Bound {
        IndexBounds.Bound(operand: QueryOperand(value), isInclusive: isInclusive)
    }

    @Test("ranges hold what a scan finds, in both directions of an index", arguments: 1...4)
    mutating func ranges(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        var context = Context()
        for _ in 0..<200 { try? change(&context) }
        for age in -4...4 {
            for isInclusive in [true, false] {
                let edge = bound(age, isInclusive)
                let above = scanned(context) { isInclusive ? $0.age >= age : $0.age > age }
                let below = scanned(context) { isInclusive ? $0.age <= age : $0.age < age }
                #expect(
                    try found(context, "ageIndex", .init(lower: edge)).sorted() == above.sorted())
                #expect(
                    try found(context, "ageIndex", .init(upper: edge)).sorted() == below.sorted())
                for city in Self.cities {
                    let inside = try found(
                        context, "cityIndex",
                        IndexBounds(equal: [QueryOperand(city)], lower: edge))
                    let expected = scanned(context) {
                        $0.city == city && (isInclusive ? $0.age >= age : $0.age > age)
                    }
                    #expect(inside.sorted() == expected.sorted())
                }
            }
        }
        for city in Self.cities {
            let equal = scanned(context) { $0.city == city }
            let operand = [QueryOperand(city)]
            #expect(try found(context, "cityHash", .init(equal: operand)) == equal)
            #expect(
                try found(context, "cityIndex", .init(equal: operand), .ascending(depth: 1))
                    == equal)
            let pair = try found(
                context, "pairHash", .init(equal: operand + [QueryOperand(String?.some("a"))]))
            #expect(pair == scanned(context) { $0.city == city && $0.nickname == "a" })
        }
    }

    @Test("a walk gives what a stable sort gives, at every depth and both ways", arguments: 1...4)
    mutating func walks(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        var context = Context()
        for _ in 0..<250 { try? change(&context) }
        let table = try #require(context.table(of: Citizen.self))
        for (number, definition) in table.indexDefinitions.enumerated()
        where definition.kind == .ordered {
            let range = try #require(table.postings(of: number, in: IndexBounds()))
            for depth in 0...definition.components.count {
                for isDescending in [false, true] {
                    let order =
                        isDescending
                        ? PostingOrder.descending(depth: depth) : .ascending(depth: depth)
                    var walked: [UInt32] = []
                    table.forEachPosting(of: number, in: range, order: order) { slot, _ in
                        walked.append(slot)
                        return true
                    }
                    let sorted = table.liveSlots().enumerated().sorted { first, second in
                        let rows = [first, second].compactMap { table.row(at: Slot($0.element)) }
                        let order = definition.compare(rows[0], rows[1], depth: depth)
                        if order != 0 { return isDescending ? order > 0 : order < 0 }
                        return first.offset < second.offset
                    }
                    #expect(walked == sorted.map(\.element), "\(definition.name) \(order)")
                }
            }
        }
    }
}
