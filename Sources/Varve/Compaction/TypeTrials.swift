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
    private var trial: RowTrial?
    private var position = 0

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
        let type = subject.definition.number
        guard let reader = TriedTypes.Reader(subject.descriptor.type) else {
            end()
            return true
        }
        let untried = base?.untried(type, as: reader, by: build, in: state.catalog)
        let count = untried?.count ?? state.counts(of: type).slots
        let step = position..<min(position + Self.slotsPerStep, count)
        let trial = self.trial ?? RowTrial(subject)
        self.trial = trial
        let state = state
        let passes = try state.reading {
            $0
        } _: { () throws(LogError) in
            untried.map { trial.passes($0[step], of: state) } ?? trial.passes(step, of: state)
        }
        position = step.upperBound
        if passes, position < count { return true }
        if passes { passed[type] = reader }
        end()
        return true
    }

    /// Goes on to the next type.
    private mutating func end() {
        subjects.removeFirst()
        trial = nil
        position = 0
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
