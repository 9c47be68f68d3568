import Foundation
import VarveLog
import VarveTestSupport

/// An error at every operation of several workloads: once or from then on, of every kind, with and
/// without half of the work done.
enum ErrorPart {
    static let workloads: [[LogStep]] = [
        [.commit, .append, .commit, .reopen, .commit],
        [.append, .roll, .commit, .kill, .append, .commit],
        [.roll, .compact, .commit, .reopen, .append],
        [.roll, .compact, .roll, .compact, .commit, .kill, .compact, .commit],
        [.roll, .compact, .commit, .compactForSize, .commit, .compact],
    ]

    /// EIO, ENOSPC, EDQUOT, EMFILE, ENFILE, EACCES, EROFS, EINTR.
    static let codes: [Int32] = [EIO, ENOSPC, EDQUOT, EMFILE, ENFILE, EACCES, EROFS, EINTR]

    private struct Item: Sendable, CustomStringConvertible {
        let steps: [LogStep]
        let fault: FaultyFileSystem.Fault

        var description: String { "workload \(steps), \(fault)" }
    }

    @Sendable static func run(_ context: CampaignContext) throws {
        var items: [Item] = []
        var operations = 0
        for steps in workloads {
            var counting = ErrorRun()
            try counting.run(steps)
            operations += counting.faulty.operations
            for operation in 0..<counting.faulty.operations {
                for code in codes.prefix(context.size.choose(2, 8, 8, tenth: 8)) {
                    for count in [1, Int.max] {
                        for isHalfDone in [false, true] {
                            items.append(
                                Item(
                                    steps: steps,
                                    fault: .init(
                                        operation: operation, count: count, code: code,
                                        isHalfDone: isHalfDone)))
                        }
                    }
                }
            }
        }
        let stride = context.size.choose(7, 1, 1, tenth: 11)
        items = items.enumerated().filter { $0.offset % stride == 0 }.map(\.element)
        context.queue.forEach(items) { item in
            var generator = SeededGenerator(seed: context.seed)
            do throws(CheckFailure) {
                var run = ErrorRun(fault: item.fault)
                try run.run(item.steps)
                try run.checkAfterwards(cuts: 2, &generator)
            } catch {
                context.findings.violation("errors", "\(item): \(error)")
            }
        }
        context.findings.add(
            Figure(
                key: "errorRuns", title: "I/O-error runs", value: items.count, least: 20_000))
        context.findings.add(
            Figure(key: "errorOperations", title: "  operations that fail", value: operations))
    }
}
