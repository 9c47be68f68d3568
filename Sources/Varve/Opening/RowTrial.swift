internal import VarveEvents
internal import VarveGraph
internal import VarveTables

/// Tries rows of one type: whether the app's type can read them, and would write them as they are.
///
/// The opening of a store finds what it cannot read. A table that is filled later must not: what reads a context cannot
/// throw. So a type that might refuse a value, or write it otherwise by now, waits only if all its rows were tried.
final class RowTrial {
    /// What is tried of a type.
    struct Subject {
        let descriptor: EntityDescriptor
        let definition: TypeDefinition

        /// Whether there is no need: no code of the app is asked, and every value has one form.
        var isForegone: Bool { descriptor.readsEveryRow && !mayHaveOtherForms }

        /// Whether the rows say everything: ids of types of the app's own, which links alone may mention, are not tried.
        var isTriable: Bool { descriptor.readsEveryID }

        /// Whether a value may be in the log in another form than it is written in now.
        var mayHaveOtherForms: Bool {
            LoggedFormSearch.isNeeded(definition, knownFields: descriptor.fields.count)
        }
    }

    /// Rows that were made to be written are dropped when there are this many.
    private static let madeMax = 256

    private let subject: Subject
    private var search: LoggedFormSearch?
    private var made: AnyTable
    private var madeCount = 0

    init(_ subject: Subject) {
        self.subject = subject
        search = LoggedFormSearch.make(
            subject.definition, knownFields: subject.descriptor.fields.count)
        made = subject.descriptor.operations.makeTable(subject.descriptor)
    }

    /// Whether the rows at some slots of a state can be read, and have the form in which they would be written.
    func passes(_ slots: some Sequence<VarveTables.Slot>, of state: State) -> Bool {
        guard var reader = state.reader(of: subject.definition.number, as: subject.definition)
        else { return true }
        for slot in slots {
            do throws(CodecError) {
                let passed = try reader.read(slot) { entity throws(CodecError) -> Bool in
                    try passes(entity)
                }
                guard passed ?? true else { return false }
            } catch {
                return false
            }
        }
        return true
    }

    /// Whether the rows at a range of slots pass. What is not in memory is not kept there.
    func passes(_ slots: Range<Int>, of state: State) -> Bool {
        guard var reader = state.reader(of: subject.definition.number, as: subject.definition)
        else { return true }
        var pass = true
        do throws(CodecError) {
            try reader.forEachSlot(in: slots) {
            } _: { entity throws(CodecError) in
                if pass { pass = try passes(entity) }
            }
            return pass
        } catch {
            return false
        }
    }

    /// Whether an entity, or a tombstone, passes. What has no row does.
    func passes(_ entity: StateEntity) throws(CodecError) -> Bool {
        guard entity.presence.hasRow else { return true }
        guard subject.descriptor.problem(inRow: entity.row) == nil else { return false }
        return try isSteady(entity)
    }

    /// Whether a row would be written as it is.
    private func isSteady(_ entity: StateEntity) throws(CodecError) -> Bool {
        if madeCount == Self.madeMax {
            made = subject.descriptor.operations.makeTable(subject.descriptor)
            madeCount = 0
        }
        let made = made
        var failure: CodecError?
        try search?.take(entity.slot.rawValue, entity.row) { writer throws(CodecError) in
            do throws(CodecError) {
                let slot = try made.load(
                    at: nil, id: entity.id, row: entity.row, metadata: LoadedEntity(entity).metadata
                )
                try made.storeRow(at: slot, into: &writer)
            } catch {
                failure = error
            }
        }
        madeCount += 1
        if let failure { throw failure }
        return search?.foundNone ?? true
    }
}
