import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// States of people with names of different lengths and few ages, or none.
enum PeopleLog {
    struct Person {
        let name: String
        let age: Int64?
    }

    static let type = TypeNumber(1)
    static let definition = TypeDefinition(
        number: type, name: "Person", idType: .int64,
        fields: [
            FieldDefinition(number: FieldNumber(1), name: "name", type: .string, rung: .storable),
            FieldDefinition(
                number: FieldNumber(2), name: "age", type: .optional(.int64), rung: .storable),
        ], relations: [])

    static let declarations = [
        declaration((1, false)), declaration((2, false)), declaration((2, true), (1, false)),
        declaration((1, true), (2, true)),
    ]

    static func declaration(_ fields: (UInt32, isDescending: Bool)...) -> IndexDeclaration {
        IndexDeclaration(fields.map { .init(FieldNumber($0.0), isDescending: $0.isDescending) })
    }

    /// Names of different lengths, of which some are longer than a key and begin with the same text; and few ages.
    ///
    /// - Parameter longest: how many characters the longest names have.
    static func people(
        _ count: Int, longest: Int = 200, _ generator: inout SeededGenerator
    ) -> [Person] {
        let beginnings = ["", "a", "ab", "Ä", String(repeating: "long ", count: longest / 5)]
        return (0..<count).map { _ in
            Person(
                name: beginnings[generator.below(5)] + "\(generator.below(30))",
                age: generator.chance(4) ? nil : Int64(generator.below(5)) - 2)
        }
    }

    static func row(_ person: Person) throws -> [UInt8] {
        try person.name.storedBytes() + person.age.storedBytes()
    }

    static func state(of people: [Person]) throws -> State {
        let empty = try UserLog.transaction(behind: State()) { try $0.define(definition) }
        let defined = try UserLog.apply(empty, to: State())
        return try UserLog.apply(
            UserLog.transaction(behind: defined) { encoder in
                for (number, person) in people.enumerated() {
                    encoder.insert(
                        encoder.entity(type, bytes: try Int64(number).storedBytes()),
                        ordinal: Ordinal(UInt64(number + 1)), row: try row(person))
                }
            }, to: defined)
    }

    /// Makes indexes. Returns how many steps that took.
    @discardableResult
    static func build(
        _ declarations: [IndexDeclaration], in transaction: StateTransaction,
        keyBytesMax: Int = IndexBuilding.usualKeyBytesMax
    ) -> Int {
        var building = IndexBuilding(
            in: transaction, wanted: [type: declarations], keyBytesMax: keyBytesMax)
        var steps = 0
        while building.advance() { steps += 1 }
        return steps
    }
}
