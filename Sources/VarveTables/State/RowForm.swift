package import VarveEvents

/// How the rows of a type are read in one layout, whatever definition they were written under. Made once for many
/// readers of a state.
package final class RowForm: Sendable {
    /// By revision, of the state.
    private let layouts: [RowLayout]
    private let target: TypeDefinition
    /// The newest revision, if its rows are read as they are. Nearly all rows are of it.
    let plainRevision: UInt32?

    init(_ layouts: [RowLayout], _ target: TypeDefinition) {
        self.layouts = layouts
        self.target = target
        // Where rows cannot be converted, reading one throws why.
        let conversion = layouts.last.flatMap { try? RowConversion(from: $0, to: target) }
        plainRevision =
            conversion?.isIdentity == true ? UInt32(truncatingIfNeeded: layouts.count - 1) : nil
    }

    convenience init(of table: Table) { self.init(table.layouts, table.definition) }

    /// How many definitions rows may be of.
    var revisionCount: Int { layouts.count }

    /// - Throws: ``CodecError`` for a revision that there is none of, and for one whose rows the layout cannot hold.
    func makeConversion(from revision: Int) throws(CodecError) -> RowConversion {
        guard layouts.indices.contains(revision) else {
            throw .valueOutOfRange(offset: 0, typeName: "revision")
        }
        do throws(CatalogError) {
            return try RowConversion(from: layouts[revision], to: target)
        } catch {
            let name = layouts[revision].definition.name
            throw .notTranscodable(
                from: .structure(name, []), to: .structure(target.name, []), reason: "\(error)")
        }
    }
}

extension State {
    /// How rows of a type are read in the layout of `target`, which is the type's newest definition if nil. Returns nil
    /// for a type that is not defined.
    package func rowForm(of type: TypeNumber, as target: TypeDefinition? = nil) -> RowForm? {
        table(type).map { RowForm($0.layouts, target ?? $0.definition) }
    }
}
