/// How the rows that a transaction wrote become rows of the definition that a state has now.
///
/// The catalog says under which definition the transaction wrote. The definition of now is the state's own:
/// an app's types may differ from all that was logged until the next write logs them.
///
/// Of one log and one set of types, whose definitions only ever become more. Belongs to one thread at a time.
package final class LayoutCache {
    final class Entry {
        /// The layout of the transaction's rows.
        let source: RowLayout
        /// The layout of rows now.
        let target: RowLayout
        let conversion: RowConversion
        private let transcoders: [Transcoder?]
        private let areVerbatim: [Bool]

        init(_ source: TypeDefinition, _ target: TypeDefinition) throws(CatalogError) {
            self.source = RowLayout(source)
            self.target = RowLayout(target)
            conversion = try RowConversion(from: self.source, to: target)
            let transcoders: [Transcoder?] = target.fields.map { field in
                source.fields.first { $0.number == field.number }
                    // The conversion of whole rows has found it possible.
                    .flatMap { try? Transcoder(from: $0.type, to: field.type) }
            }
            areVerbatim = transcoders.map { $0?.isIdentity == true }
            self.transcoders = transcoders
        }

        /// The place, in rows of now, of a field of the transaction's rows.
        func position(ofSource position: Int) -> Int? {
            guard position < source.fieldCount else { return nil }
            if conversion.isIdentity { return position }
            let number = source.definition.fields[position].number
            return target.definition.fields.firstIndex { $0.number == number }
        }

        /// Whether the values of a field have the same bytes in both layouts.
        func isVerbatim(_ position: Int) -> Bool { areVerbatim[position] }

        /// The type of a field in the transaction's rows; nil where they have no such field.
        func sourceType(ofTarget position: Int) -> StoredType? {
            let number = target.definition.fields[position].number
            return source.definition.fields.first { $0.number == number }?.type
        }

        /// What turns a field's values into those of now.
        func transcoder(ofTarget position: Int) -> Transcoder? { transcoders[position] }
    }

    /// By type number, with the number of the revision that the transaction's rows have, and of those
    /// there are.
    private var entries: [(revision: Int, count: Int, entry: Entry)?] = []

    package init() {}

    /// Forgets all: what follows may be another log.
    package func removeAll() { entries = [] }

    /// - Parameter target: the definition of now; asked for where the entry is not known yet.
    func entry(
        of type: TypeNumber, after transaction: TransactionID, _ catalog: Catalog,
        as target: @autoclosure () -> TypeDefinition
    ) throws(ReversalError) -> Entry {
        let revisions = catalog.revisions(of: type)
        guard let revision = revisions.lastIndex(where: { $0.since <= transaction })
        else { throw .inconsistent("type \(type) is not defined") }
        let index = Int(type.rawValue)
        // Numbers of types that are defined are dense.
        while entries.count <= index { entries.append(nil) }
        if let known = entries[index], known.revision == revision, known.count == revisions.count {
            return known.entry
        }
        do throws(CatalogError) {
            let entry = try Entry(revisions[revision].definition, target())
            entries[index] = (revision, revisions.count, entry)
            return entry
        } catch {
            throw .definition(error)
        }
    }
}
