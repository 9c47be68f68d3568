internal import Foundation
internal import VarveEvents
internal import VarveGraph
internal import VarveLog

/// Turns the encoded rows of a replay into the tables of a context.
///
/// Slots stay what they are, so links are taken over as numbers. Rows are decoded by several threads at
/// once, those of a large table in parts. When they are there the table's ids, links and indexes are made,
/// each by one thread.
struct Hydration {
    let replayed: ReplayState
    /// Whether the replayed rows are read for the last time, so that their memory serves the tables that
    /// are made of them.
    let isLast: Bool

    /// What is done at once by one thread.
    private enum Step {
        case rows(RowPart)
        case join
        case ids
        case links
        case forms
        case index(AnyTable, Int)
    }

    func fill(_ context: inout Context, _ schema: inout Schema) throws(StoreError) {
        var works = TableWork.all(&context, schema, replayed, isLast: isLast)
        // Whatever is largest goes first, so that no thread is left with it alone at the end.
        // In one order always: of several faults the same is told.
        works.sort { ($0.size, $1.position) > ($1.size, $0.position) }
        // All rows first; the joining of each table's parts, and what follows that.
        var steps = works.indices.flatMap { work in
            works[work].parts.map { (work: work, step: Step.rows($0)) }
        }
        let first = Array(steps.indices)
        var followers: [Range<Int>] = []
        for work in works.indices {
            steps.append((work, .join))
            let start = steps.count
            steps += Self.steps(behindRowsOf: works[work]).map { (work, $0) }
            followers.append(start..<steps.count)
        }
        let results = Lock(Results(partsLeft: works.map(\.parts.count)))
        // Unchecked: reading a replayed state is safe from several threads, and each step fills
        // properties of tables that no other touches at the same time. Making an index only reads its
        // table; the contents are set afterwards.
        nonisolated(unsafe) let shared = (works: works, steps: steps, followers: followers)
        TaskList(first).perform { number in
            let (work, step) = shared.steps[number]
            do throws(StoreError) {
                try Self.perform(step, of: shared.works[work], number, results)
            } catch {
                results.withLock { $0.note(error, at: number) }
                return []
            }
            switch step {
            case .rows:
                let isLast = results.withLock { $0.finishPart(of: work) }
                return isLast ? [shared.followers[work].lowerBound - 1] : []
            case .join: return Array(shared.followers[work])
            default: return []
            }
        }
        let found = results.withLock { $0 }
        if let failure = found.failure { throw failure.error }
        schema.unknownFields.merge(found.unknown) { _, new in new }
        schema.loggedForms = found.forms
        for (number, content) in found.contents {
            guard case .index(let table, let index) = steps[number].step else { continue }
            table.indexContents[index] = content
        }
    }

    private static func steps(behindRowsOf work: TableWork) -> [Step] {
        let tables = [work.table, work.tombstones].compactMap { $0 }
        let indexes = tables.flatMap { table in
            table.indexContents.indices.map { Step.index(table, $0) }
        }
        return indexes + [.ids, .links, .forms]
    }

    private static func perform(
        _ step: Step, of work: TableWork, _ number: Int, _ results: Lock<Results>
    ) throws(StoreError) {
        switch step {
        case .rows(let part):
            guard let fields = try work.loadRows(of: part) else { return }
            results.withLock { $0.unknown[work.position] = fields }
        case .join: try work.joinParts()
        case .ids: work.table.descriptor.operations.finishLoading(work.table)
        case .links: work.loadLinks()
        case .forms:
            guard let forms = try work.searchForms() else { return }
            results.withLock { $0.forms[work.position] = forms }
        case .index(let table, let index):
            guard table.liveCount > 0 else { return }
            let content = table.descriptor.operations.buildIndex(table, index)
            results.withLock { $0.contents[number] = content }
        }
    }
}

/// What the steps of a hydration found, by the position of the table or the number of the step.
private struct Results {
    /// By number of the work.
    var partsLeft: [Int]
    var unknown: [Int: UnknownFields] = [:]
    var forms: [Int: LoggedForms] = [:]
    var contents: [Int: IndexContent] = [:]
    /// Of the step with the least number: all rows are read, so it does not depend on the threads which.
    private(set) var failure: (number: Int, error: StoreError)?

    mutating func note(_ error: StoreError, at number: Int) {
        if let failure, failure.number < number { return }
        failure = (number, error)
    }

    /// Answers whether all of a work's rows are there.
    mutating func finishPart(of work: Int) -> Bool {
        partsLeft[work] -= 1
        return partsLeft[work] == 0
    }
}
