internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// Tries the rows of a state for the checkpoint that will hold it, some a step: only those that were set since the checkpoint
/// before, where the same build has tried the others.
struct TypeTrials: ~Copyable {
    private static let slotsPerStep = 128

    private let state: State
    private let build: BuildIdentity
    private let base: TriedRows?
    private var subjects: ArraySlice<RowTrial.Subject>
    private var passed: [TypeNumber: TriedTypes.Reader] = [:]

    /// Of the first of the subjects; nil before its first step.
    private var current: Current?

    /// The trial of one type.
    private struct Current {
        let reader: TriedTypes.Reader
        let trial: RowTrial
        /// The slots to try; nil for all.
        let slots: [VarveTables.Slot]?
        let count: Int
        var position = 0
    }

    /// - Parameter base: what the checkpoint under the state notes.
    init(
        of subjects: [RowTrial.Subject], in state: State, by build: BuildIdentity,
        behind base: TriedRows?
    ) {
        self.state = state
        self.build = build
        self.base = base
        self.subjects = subjects[...]
    }

    /// What the checkpoint may note, when all was tried; nil for nothing.
    var result: TriedTypes? { passed.isEmpty ? nil : TriedTypes(passed, by: build) }

    /// Goes on; false when all was tried.
    mutating func advance() throws(LogError) -> Bool {
        guard let subject = subjects.first else { return false }
        guard var current = current ?? begin(subject) else {
            end()
            return true
        }
        let step = current.position..<min(current.position + Self.slotsPerStep, current.count)
        let (trial, slots, state) = (current.trial, current.slots, state)
        let passes = try state.reading {
            $0
        } _: { () throws(LogError) in
            slots.map { trial.passes($0[step], of: state) } ?? trial.passes(step, of: state)
        }
        current.position = step.upperBound
        self.current = current
        if passes, step.upperBound < current.count { return true }
        if passes { passed[subject.definition.number] = current.reader }
        end()
        return true
    }

    /// Nil for a type without a name, which no checkpoint can note.
    private func begin(_ subject: RowTrial.Subject) -> Current? {
        let type = subject.definition.number
        guard let reader = TriedTypes.Reader(subject.descriptor.type) else { return nil }
        let untried = base?.untried(type, as: reader, by: build, in: state.catalog)
        return Current(
            reader: reader, trial: RowTrial(subject), slots: untried,
            count: untried?.count ?? state.counts(of: type).slots)
    }

    /// Goes on to the next type.
    private mutating func end() {
        subjects.removeFirst()
        current = nil
    }
}

extension StoreState {
    /// The types whose rows a checkpoint of the state may note as tried.
    var trialSubjects: [RowTrial.Subject] {
        let tables = context.tables.tables.unfilled
        return tables.indices.compactMap { position in
            let descriptor = tables[position].descriptor
            guard descriptor.tombstoneOwner == nil, schema.unknownFields[position] == nil,
                schema.withheldRows[position] == nil,
                let definition = schema.definition(atTable: position)
            else { return nil }
            let subject = RowTrial.Subject(descriptor: descriptor, definition: definition)
            return subject.isForegone || !subject.isTriable ? nil : subject
        }
    }
}
