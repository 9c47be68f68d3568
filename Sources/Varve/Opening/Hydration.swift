internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveTables

/// Turns the encoded rows of a state into the tables of a context.
///
/// Slots stay what they are, so links are taken over as numbers. Rows are decoded by several threads at
/// once, those of a large table in parts. When they are there the table's ids, links and indexes are made,
/// each by one thread.
struct Hydration {
    let state: State
    /// Whether rows that cannot be read are left out, instead of ending the hydration. Each row is looked at twice then.
    let withholdsRows: Bool

    /// What is done at once by one thread.
    private enum Step {
        case rows(RowPart)
        case join
        case ids
        case links
        case forms
        case index(AnyTable, Int)
    }

    /// - Returns: why the rows cannot be read; the context is of no use then.
    func fill(_ context: inout Context, _ schema: inout Schema) -> StoreError? {
        let plan = Plan(TableWork.all(&context, schema, self))
        let found = Self.perform(plan)
        if let failure = found.failure { return failure.error }
        schema.unknownFields.merge(found.unknown) { _, new in new }
        schema.withheldRows = found.withheld
        schema.loggedForms = found.forms
        for (number, content) in found.contents {
            guard case .index(let table, let index) = plan.steps[number].step else { continue }
            table.indexContents[index] = content
        }
        return nil
    }

    /// What is to be done, and what comes behind what.
    private struct Plan {
        let works: [TableWork]
        private(set) var steps: [(work: Int, step: Step)]
        /// The numbers of the steps that wait for no other: the reading of all rows.
        let first: [Int]
        /// The step that follows the rows of each work, and those that follow that one.
        private(set) var joins: [Int] = []
        private(set) var followers: [[Int]] = []

        init(_ unsorted: [TableWork]) {
            // Whatever is largest goes first, so that no thread is left with it alone at the end.
            // In one order always: of several faults the same is told.
            let works = unsorted.sorted { ($0.size, $1.position) > ($1.size, $0.position) }
            self.works = works
            steps = works.indices.flatMap { work in
                works[work].parts.map { (work, .rows($0)) }
            }
            first = Array(steps.indices)
            for work in works.indices {
                joins.append(steps.count)
                steps.append((work, .join))
                let start = steps.count
                steps += Self.steps(behindRowsOf: works[work]).map { (work, $0) }
                followers.append(Array(start..<steps.count))
            }
        }

        private static func steps(behindRowsOf work: TableWork) -> [Step] {
            let tables = [work.table, work.tombstones].compactMap { $0 }
            let indexes = tables.flatMap { table in
                table.indexContents.indices.map { Step.index(table, $0) }
            }
            return indexes + [.ids, .links, .forms]
        }
    }

    private static func perform(_ plan: Plan) -> Results {
        let results = Lock(Results(partsLeft: plan.works.map(\.parts.count)))
        // Unchecked: each step fills properties of tables that no other touches at the same time. Making an index only reads its
        // table; the contents are set afterwards.
        nonisolated(unsafe) let plan = plan
        TaskList(plan.first).perform { number in
            let (work, step) = plan.steps[number]
            do throws(StoreError) {
                try perform(step, of: plan.works[work], number, results)
            } catch {
                results.withLock { $0.note(error, at: number) }
                return []
            }
            switch step {
            case .rows:
                return results.withLock { $0.finishPart(of: work) } ? [plan.joins[work]] : []
            case .join: return plan.followers[work]
            default: return []
            }
        }
        return results.withLock { $0 }
    }

    private static func perform(
        _ step: Step, of work: TableWork, _ number: Int, _ results: Lock<Results>
    ) throws(StoreError) {
        switch step {
        case .rows(let part):
            let found = try work.loadRows(of: part)
            results.withLock { $0.note(found, at: work.position) }
        case .join: try work.joinParts()
        case .ids: work.table.finishLoading()
        case .links: work.loadLinks()
        case .forms:
            guard let forms = try work.searchForms() else { return }
            results.withLock { $0.forms[work.position] = forms }
        case .index(let table, let index):
            guard table.liveCount > 0 else { return }
            let content = table.descriptor.buildIndex(index, of: table)
            results.withLock { $0.contents[number] = content }
        }
    }
}

/// What the steps of a hydration found, by the position of the table or the number of the step.
private struct Results {
    /// By number of the work.
    var partsLeft: [Int]
    private(set) var unknown: [Int: UnknownFields] = [:]
    private(set) var withheld: [Int: WithheldRows] = [:]
    var forms: [Int: LoggedForms] = [:]
    var contents: [Int: IndexContent] = [:]
    /// Of the step with the least number: all rows are read, so it does not depend on the threads which.
    private(set) var failure: (number: Int, error: StoreError)?

    mutating func note(_ found: TableWork.Found, at position: Int) {
        if let fields = found.unknown { unknown[position] = fields }
        if !found.withheld.isEmpty {
            withheld[position, default: WithheldRows()].merge(found.withheld)
        }
    }

    mutating func note(_ error: StoreError, at number: Int) {
        if let failure, failure.number < number { return }
        failure = (number, error)
    }

    /// Returns whether all of a work's rows are there.
    mutating func finishPart(of work: Int) -> Bool {
        partsLeft[work] -= 1
        return partsLeft[work] == 0
    }
}
