internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// What is needed to decode transactions: the definitions of the log, and how the app's types are
/// written now.
final class ChangeReading: Sendable {
    /// How a type's rows and fields in one transaction become those of now.
    struct Layout: Sendable {
        /// In force behind the transaction.
        let source: TypeDefinition
        let target: TypeDefinition
        /// How many of the target's fields the app knows.
        let known: Int
        let conversion: RowConversion
    }

    let catalog: Catalog
    private let definitions: [ObjectIdentifier: TypeDefinition]
    private let layouts = Lock<[ObjectIdentifier: Layout]>([:])

    init(_ catalog: Catalog, _ schema: Schema) {
        self.catalog = catalog
        var definitions: [ObjectIdentifier: TypeDefinition] = [:]
        for (descriptor, definition) in zip(schema.descriptors, schema.definitions) {
            if let definition { definitions[ObjectIdentifier(descriptor)] = definition }
        }
        self.definitions = definitions
    }

    /// Nil where the log did not know the type then, or the store was opened without it.
    func layout(
        of descriptor: EntityDescriptor, in transaction: TransactionID
    ) throws -> Layout? {
        let key = ObjectIdentifier(descriptor)
        guard let target = definitions[key],
            let source = catalog.definition(of: target.number, after: transaction)
        else { return nil }
        if let known = layouts.withLock({ $0[key] }), known.source == source { return known }
        do throws(CatalogError) {
            let layout = Layout(
                source: source, target: target, known: descriptor.fields.count,
                conversion: try RowConversion(from: RowLayout(source), to: target))
            layouts.withLock { $0[key] = layout }
            return layout
        } catch {
            throw StoreError.inconsistent(transaction: transaction, reason: "\(error)")
        }
    }
}
