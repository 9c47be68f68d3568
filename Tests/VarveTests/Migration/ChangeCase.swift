import Foundation
import Testing
import Varve

/// A row of the table in Docs/MIGRATING.md: what an app writes for a change, and what a store of the former version
/// shows then.
struct ChangeCase: Sendable, CustomTestStringConvertible {
    /// The change, as the first column has it.
    let row: String
    /// Tells apart the cases of one row.
    var way = ""
    /// The store of the former version.
    var origin = EarlierStore.former
    var migrations: [Migration] = []
    let types: [any EntityModelProtocol.Type]
    /// What does not open without a step; nil where everything does.
    var refused: [any EntityModelProtocol.Type]?
    /// The entities that are shown, each as a text, and those that are deleted.
    let describe: @Sendable (Context) -> [String]
    let expected: [String]
    /// What the store does not hold any more: a type, or a property as `type.property`. Without the step it would, unread.
    var gone: String?

    var testDescription: String { way.isEmpty ? row : "\(row): \(way)" }

    /// A change of one type, without steps.
    static func byItself<Entity: EntityModelProtocol>(
        _ row: String, way: String = "", also types: [any EntityModelProtocol.Type] = [],
        _ expected: [String], _ text: @escaping @Sendable (Entity) -> String
    ) -> ChangeCase {
        ChangeCase(
            row: row, way: way, types: [Entity.self] + types, describe: description(of: text),
            expected: expected)
    }

    /// A change of one type that needs steps, or is made by some.
    static func step<Entity: EntityModelProtocol>(
        _ row: String, way: String = "", isRefused: Bool, gone: String? = nil,
        _ steps: [MigrationStep],
        _ expected: [String], _ text: @escaping @Sendable (Entity) -> String
    ) -> ChangeCase {
        ChangeCase(
            row: row, way: way, migrations: [Migration("change", steps: steps)],
            types: [Entity.self], refused: isRefused ? [Entity.self] : nil,
            describe: description(of: text), expected: expected, gone: gone)
    }

    static func description<Entity: EntityModelProtocol>(
        of text: @escaping @Sendable (Entity) -> String
    ) -> @Sendable (Context) -> [String] {
        { context in
            Entity.query().with(.ids).resolve(in: context).map(text)
                + Deleted<Entity>.query().resolve(in: context).map { "deleted \(text($0.entity))" }
        }
    }
}
