internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog
internal import VarveReplay
internal import VarveTables

/// Turns the encoded rows of a state into the tables of a context.
///
/// Slots stay what they are, so links are taken over as numbers. Rows are decoded by several threads at
/// once, those of a large table in parts. When they are there the table's ids, links and indexes are made,
/// each by one thread.
///
/// Tables of a large state wait if they can: what is read of them is loaded then (``StoredTable``).
struct Hydration {
    /// From how many slots of all types on tables wait. Among fewer an opening that fills all of them takes as long as one of
    /// two million slots that fills none: 24 and 29 ms on a quiet machine.
    static let waitingSlotsMin = 16_384

    let state: State
    /// Whether rows that cannot be read are left out, instead of ending the hydration. Each row is looked at twice then.
    let withholdsRows: Bool
    /// What stored tables are filled from where the state cannot be read; nil where all tables are filled at once.
    let rebuilt: RebuiltState?
    /// Which rows the build of the process has tried; nil where it has tried none.
    let tried: TriedRows?
    /// Nil where that is not known.
    let build: BuildIdentity?
    /// Whether tables that cannot wait are filled; else they stay empty.
    let fillsTables: Bool

    /// Whether all rows of a type were tried, the few that were not noted just now.
    func isTried(_ subject: RowTrial.Subject) -> Bool {
        let type = subject.definition.number
        guard rebuilt != nil, subject.isTriable, let build, let tried,
            let reader = TriedTypes.Reader(subject.descriptor.type),
            let untried = tried.untried(type, as: reader, by: build, in: state.catalog),
            // Where there are many, all cores fill the table as soon.
            untried.count <= max(64, state.counts(of: type).slots / 16)
        else { return false }
        return RowTrial(subject).passes(untried, of: state)
    }

    /// What is done at once by one thread.
    private enum Step {
        case rows(RowPart)
        case join
        case ids
        case links
        case index(Int)
    }

    /// - Returns: why the rows cannot be read; the context is of no use then.
    func fill(_ context: inout Context, _ schema: inout Schema) -> StoreError? {
        var works: [TableWork] = []
        var waiting: [(stored: StoredTable, table: AnyTable)] = []
        for (content, table) in TableContent.all(&context, schema, self) {
            if let rebuilt, content.mayWait {
                let stored = StoredTable(content, rebuilt, for: table)
                waiting.append((stored, table))
            } else if fillsTables {
                works.append(TableWork(content, table))
            }
        }
        do throws(StoreError) {
            if !works.isEmpty { try Self.fill(works, noting: &schema) }
        } catch {
            return error
        }
        for (stored, table) in waiting { stored.wait(table) }
        return nil
    }

    private static func fill(
        _ works: [TableWork], noting schema: inout Schema
    ) throws(StoreError) {
        let found = try fill(works)
        schema.unknownFields.merge(found.unknown) { _, new in new }
        schema.withheldRows = found.withheld
        schema.loggedForms = try searchForms(FormWork.all(works))
    }

    /// What was found in the rows beside what the app's types read, by position of the table.
    struct Findings {
        var unknown: [Int: UnknownFields] = [:]
        var withheld: [Int: WithheldRows] = [:]
    }

    /// Fills tables, which are empty. They are of no use where that throws.
    static func fill(_ works: [TableWork]) throws(StoreError) -> Findings {
        let plan = Plan(works)
        let results = perform(plan)
        if let failure = results.failure { throw failure.error }
        for (number, content) in results.contents {
            guard case .index(let index) = plan.steps[number].step else { continue }
            plan.works[plan.steps[number].work].table.indexContents[index] = content
        }
        return results.findings
    }

    private static func searchForms(
        _ works: [FormWork]
    ) throws(StoreError) -> [Int: LoggedForms] {
        let found = Lock<[Int: Result<LoggedForms?, StoreError>]>([:])
        // Unchecked: the search only reads tables that are filled.
        nonisolated(unsafe) let works = works
        TaskList(Array(works.indices)).perform { index in
            let forms: Result<LoggedForms?, StoreError>
            do throws(StoreError) {
                forms = .success(try works[index].search())
            } catch {
                forms = .failure(error)
            }
            found.withLock { $0[index] = forms }
            return []
        }
        var forms: [Int: LoggedForms] = [:]
        for (index, result) in found.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            forms[works[index].entities.position] = try result.get()
        }
        return forms
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
            let works = unsorted.sorted {
                ($0.size, $1.position, $1.isOfTombstones ? 1 : 0)
                    > ($1.size, $0.position, $0.isOfTombstones ? 1 : 0)
            }
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
            work.table.indexContents.indices.map { .index($0) } + [.ids, .links]
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
        case .join: work.joinParts()
        case .ids: work.table.finishLoading()
        case .links: work.loadLinks()
        case .index(let index):
            guard work.table.liveCount > 0 else { return }
            let content = work.table.descriptor.buildIndex(index, of: work.table)
            results.withLock { $0.contents[number] = content }
        }
    }
}

/// What the steps of a hydration found, by the position of the table or the number of the step.
private struct Results {
    /// By number of the work.
    var partsLeft: [Int]
    private(set) var findings = Hydration.Findings()
    var contents: [Int: IndexContent] = [:]
    /// Of the step with the least number: all rows are read, so it does not depend on the threads which.
    private(set) var failure: (number: Int, error: StoreError)?

    mutating func note(_ found: TableWork.Found, at position: Int) {
        if let fields = found.unknown { findings.unknown[position] = fields }
        if !found.withheld.isEmpty {
            findings.withheld[position, default: WithheldRows()].merge(found.withheld)
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
