/// The steps of a query, to which a copy of the list may add without copying what is there already.
///
/// A query is a value, so each call that adds a step makes a new one. If that copied all steps, a loop that adds
/// thousands would take time that grows with their square.
@usableFromInline
struct StepList<Step: Sendable>: Sendable {
    /// The last steps. Nearly always all of them.
    @usableFromInline private(set) var recent: [Step] = []
    /// What came before.
    @usableFromInline private(set) var earlier: StepRun<Step>?

    /// How many steps are copied by the one that is added.
    @usableFromInline static var recentLimit: Int { 32 }

    @usableFromInline
    init(_ steps: [Step] = []) { recent = steps }

    @inlinable var isEmpty: Bool { recent.isEmpty }

    @inlinable var all: [Step] { earlier == nil ? recent : joined() }

    @inlinable
    mutating func append(_ step: Step) {
        if recent.count >= StepList.recentLimit { seal() }
        recent.append(step)
    }

    /// Moves the recent steps to the earlier ones, whose runs at least double in length from one to the one before it.
    @usableFromInline
    mutating func seal() {
        var steps = recent
        while let run = earlier, run.steps.count <= steps.count {
            steps = run.steps + steps
            earlier = run.earlier
        }
        earlier = StepRun(steps, behind: earlier)
        recent = []
    }

    @usableFromInline
    func joined() -> [Step] {
        var runs: [[Step]] = [recent]
        var next = earlier
        while let run = next {
            runs.append(run.steps)
            next = run.earlier
        }
        return Array(runs.reversed().joined())
    }
}

/// Steps that several lists share.
@usableFromInline
final class StepRun<Step: Sendable>: Sendable {
    fileprivate let steps: [Step]
    fileprivate let earlier: StepRun<Step>?

    fileprivate init(_ steps: [Step], behind earlier: StepRun<Step>?) {
        self.steps = steps
        self.earlier = earlier
    }
}
