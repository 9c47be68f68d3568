// A transaction that is made of a state itself, without being applied to it.
extension ReplayState {
    /// Takes in the definitions that the transaction begins with.
    package func define(
        _ definitions: [TypeDefinition], in id: TransactionID
    ) throws(CatalogError) {
        for definition in definitions where try catalog.define(definition, in: id) {
            revise(definition)
        }
        try catalog.checkReferences()
    }

    /// The state is the one behind the transaction: all that it changed was changed.
    package func conclude(_ header: TransactionHeader) {
        lastTransaction = header.id
        lastTime = header.time
        timeline.note(header)
    }
}
