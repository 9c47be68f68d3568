package import VarveEvents

/// A replay that goes on where transactions are lost: what does not follow from the state any more
/// is made to fit, or left out, and said.
///
/// What an event says holds as far as it can: new values, rows and links are taken, what was there
/// before is taken from the state. No value is made up.
package final class SalvageReplay {
    /// Open over the whole of it: no version is read but the last.
    private(set) var state: StateTransaction
    /// What is known of the definitions while history is copied as it is.
    private var copied: Catalog?
    private var ahead = DefinitionsAhead()

    /// What became of a transaction.
    package enum Outcome {
        case whole
        /// Its new binary form, and what was changed: at most the first twenty changes as texts.
        case adjusted([UInt8], changes: [String], count: Int)
    }

    package init(_ state: State = State()) { self.state = StateTransaction(state) }

    /// Goes on from the state of a checkpoint.
    package func load(_ state: State) {
        self.state = StateTransaction(state)
        copied = nil
    }

    /// The state behind what was taken.
    package func currentState() -> State {
        let published = state.publish()
        state = StateTransaction(published)
        return published
    }

    /// The time of the last transaction.
    package var lastTime: Timestamp { state.lastTime }

    /// The definitions in force, for the head of a segment.
    package func encodeDefinitions() -> [UInt8] { (copied ?? state.catalog).encodedDefinitions() }

    // MARK: Transactions

    /// Takes the transaction that comes next.
    ///
    /// Errors: what its bytes cannot be read as. The state is as before then.
    package func take(_ bytes: UnsafeRawBufferPointer) throws(EventError) -> Outcome {
        let view = try TransactionView(bytes)
        try view.check()
        do throws(ReplayError) {
            try state.begin(view)
            state.enterEntities(before: view.entities.count, of: view)
        } catch {
            throw .malformed(
                .valueOutOfRange(offset: 0, typeName: "transaction number, which is \(view.id)"))
        }
        let fitting = EventFitting(view, bytes, state)
        try fitting.run()
        state.conclude(view.header)
        return fitting.outcome
    }

    // MARK: History that is copied

    package func pass(definitions bytes: UnsafeRawBufferPointer) {
        guard let definitions = try? Catalog.decodeDefinitions(bytes) else { return }
        for definition in definitions { note(definition, in: TransactionID(0)) }
    }

    package func pass(_ bytes: UnsafeRawBufferPointer) {
        guard let view = try? TransactionView(bytes) else { return }
        for definition in view.definitions { note(definition, in: view.id) }
    }

    private func note(_ definition: TypeDefinition, in id: TransactionID) {
        var catalog = copied ?? Catalog()
        // What contradicts is noticed by whoever reads the transaction.
        _ = try? catalog.define(definition, in: id)
        copied = catalog
    }

    // MARK: Losses

    /// Sees definitions at the head of a segment behind a loss; false: nothing more need be known.
    package func lookAhead(definitions bytes: UnsafeRawBufferPointer) -> Bool {
        guard let definitions = try? Catalog.decodeDefinitions(bytes) else { return true }
        ahead.see(definitions)
        return false
    }

    /// Sees a transaction behind a loss, before it is taken.
    package func lookAhead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let view = try? TransactionView(bytes) else { return true }
        for definition in view.definitions { ahead.see(defined: definition) }
        return true
    }

    /// Goes on behind lost transactions: the last of them leads to the definitions that hold behind
    /// them, as far as those can be known. Returns what replaces them, one after the other.
    package func lose(through last: TransactionID) -> [[UInt8]] {
        var encoder = TransactionEncoder()
        var transactions: [[UInt8]] = []
        while state.lastTransaction < last {
            let id = state.nextTransaction
            let header = TransactionHeader(
                id: id, time: state.lastTime, isUndoable: false,
                label: "Lost from a damaged store", author: "salvage")
            encoder.begin(id: id, time: header.time)
            if id == last {
                for definition in adopt(ahead.take(), in: id) { encoder.defineAgain(definition) }
            }
            var writer = ByteWriter(capacity: 128)
            encoder.finish(header, into: &writer)
            transactions.append(writer.copyBytes())
            state.lastTransaction = id
        }
        return transactions
    }

    /// Goes on behind lost transactions that no transaction replaces.
    package func skip(through last: TransactionID) {
        _ = adopt(ahead.take(), in: last)
        state.lastTransaction = last
    }

    /// Takes definitions as a lost transaction must have given them, and returns those that are new.
    /// Where a relation leads to a type that would stay unknown, none is taken.
    private func adopt(
        _ definitions: [TypeDefinition], in id: TransactionID
    ) -> [TypeDefinition] {
        var catalog = state.catalog
        var adopted: [TypeDefinition] = []
        for definition in definitions.sorted(by: { $0.number < $1.number }) {
            // One that contradicts what is known stays away.
            guard (try? catalog.define(definition, in: id)) == true else { continue }
            adopted.append(definition)
        }
        guard (try? catalog.checkReferences()) != nil else { return [] }
        state.catalog = catalog
        for definition in adopted {
            do throws(ReplayError) {
                try state.revise(definition, in: id)
            } catch {
                // A row of the checkpoint does not fit the new definition, so an index has no key of it. Reading the row
                // throws the error.
                state.dropIndexes(of: definition.number)
            }
        }
        return adopted
    }
}

extension TransactionEncoder {
    /// Writes a definition that was read from a log.
    fileprivate mutating func defineAgain(_ definition: TypeDefinition) {
        do throws(CodecError) {
            try define(definition)
        } catch {
            preconditionFailure("a logged definition cannot be encoded: \(error)")
        }
    }
}

/// The definitions that hold right behind a loss, as told by the head of a later segment: those of
/// the types that no transaction in between defines.
private struct DefinitionsAhead {
    private var defined: Set<TypeNumber> = []
    private var found: [TypeDefinition] = []

    mutating func see(defined definition: TypeDefinition) { defined.insert(definition.number) }

    mutating func see(_ definitions: [TypeDefinition]) {
        found = definitions.filter { !defined.contains($0.number) }
    }

    mutating func take() -> [TypeDefinition] {
        defer { self = DefinitionsAhead() }
        return found
    }
}

extension TransactionView {
    /// The types that it defines. What cannot be read is left out.
    var definitions: [TypeDefinition] {
        var definitions: [TypeDefinition] = []
        var events = events
        while let event = try? events.next() {
            if case .define(let define) = event, let definition = try? define.definition() {
                definitions.append(definition)
            }
        }
        return definitions
    }
}
