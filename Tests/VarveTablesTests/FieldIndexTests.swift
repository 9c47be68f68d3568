import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("Indexes on fields")
struct FieldIndexTests {
    private static let layout = RowLayout(
        TypeDefinition(
            number: TypeNumber(1), name: "Person", idType: .int64,
            fields: [
                FieldDefinition(
                    number: FieldNumber(1), name: "name", type: .string, rung: .storable),
                FieldDefinition(
                    number: FieldNumber(2), name: "note", type: .data, rung: .storable),
                FieldDefinition(
                    number: FieldNumber(3), name: "age", type: .optional(.int64), rung: .storable),
            ], relations: []))

    private struct Person: Equatable {
        var name: String
        var age: Int?

        func row() throws -> [UInt8] {
            try name.storedBytes() + [1, 0xFF] + (try age.storedBytes())
        }
    }

    private static func slots(_ index: FieldIndex, _ pages: PageTable) -> [Int] {
        var slots: [Int] = []
        withBytes([]) { first in
            index.forEach(from: first, to: nil, in: pages) { slot, _ in
                slots.append(slot.index)
                return true
            }
        }
        return slots
    }

    private static func declaration(_ numbers: [UInt32]) -> IndexDeclaration {
        IndexDeclaration(numbers.map { .init(FieldNumber($0)) })
    }

    @Test(
        "Random rows are in the order of their fields, then of their slots",
        arguments: 1...20, [[3], [1, 3], [3, 1]])
    func random(seed: Int, numbers: [UInt32]) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let index = try #require(
            FieldIndex(Self.layout, Self.declaration(numbers), pageBytes: 64))
        var versions = Versions(index)
        var people: [Person?] = Array(repeating: nil, count: 60)
        for _ in 0..<100 {
            try versions.change { index, transaction in
                for _ in 0...generator.below(4) {
                    let slot = generator.below(people.count)
                    let old = people[slot]
                    people[slot] =
                        generator.chance(4)
                        ? nil
                        : Person(
                            name: ["", "a", "ab", String(repeating: "z", count: 300)][
                                generator.below(4)],
                            age: generator.chance(5) ? nil : generator.below(5) - 2)
                    try change(Slot(UInt32(slot)), old, people[slot], &index, transaction)
                }
            }
            let expected = people.indices.filter { people[$0] != nil }.sorted { first, second in
                guard let left = people[first], let right = people[second] else { return false }
                // nil comes first.
                let ages = (left.age ?? .min, right.age ?? .min)
                return switch numbers {
                case [3]: (ages.0, first) < (ages.1, second)
                case [1, 3]: (left.name, ages.0, first) < (right.name, ages.1, second)
                default: (ages.0, left.name, first) < (ages.1, right.name, second)
                }
            }
            #expect(Self.slots(versions.structure, versions.pages) == expected, "seed \(seed)")
        }
    }

    private func change(
        _ slot: Slot, _ old: Person?, _ new: Person?, _ index: inout FieldIndex,
        _ transaction: PageTransaction
    ) throws {
        let rows = (try old?.row(), try new?.row())
        try (rows.0 ?? []).withUnsafeBytes { oldBytes in
            try (rows.1 ?? []).withUnsafeBytes { newBytes in
                _ = try index.change(
                    slot, from: old == nil ? nil : oldBytes, to: new == nil ? nil : newBytes,
                    Self.layout, in: transaction)
            }
        }
    }

    @Test("A range gives the rows whose keys lie in it, and no index is made of other types")
    func ranges() throws {
        var versions = Versions(try #require(FieldIndex(Self.layout, Self.declaration([3]))))
        try versions.change { index, transaction in
            for age in 0..<500 {
                let person = Person(name: "", age: age / 5)
                try change(Slot(UInt32(age)), nil, person, &index, transaction)
            }
        }
        var found: [Int] = []
        // The keys of 40 and 50 as optionals.
        withBytes([1, 0x81, 40]) { first in
            withBytes([1, 0x81, 50]) { end in
                versions.structure.forEach(from: first, to: end, in: versions.pages) { slot, _ in
                    found.append(slot.index)
                    return true
                }
            }
        }
        #expect(found == Array(200..<250))
        #expect(FieldIndex(Self.layout, Self.declaration([2])) == nil)
        #expect(FieldIndex(Self.layout, Self.declaration([4])) == nil)
    }
}
