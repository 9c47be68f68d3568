import Foundation
import VarveLog

/// What the parts of a campaign found and counted, from any thread.
final class Findings: Sendable {
    private struct State: Sendable {
        var violations: [String] = []
        var count = 0
        var countOfPart: [String: Int] = [:]
        var figures: [Figure] = []
    }

    private let state = Lock(State())
    /// Of each part.
    private static let printedMax = 8

    /// A rule was broken: printed at once, with everything that repeats it.
    func violation(_ part: String, _ text: String) {
        let isPrinted = state.withLock { state in
            state.count += 1
            state.violations.append(text)
            state.countOfPart[part, default: 0] += 1
            return state.countOfPart[part, default: 0] <= Self.printedMax
        }
        if isPrinted { Campaign.say("VIOLATION in \(part): \(text)") }
    }

    func add(_ figure: Figure) { state.withLock { $0.figures.append(figure) } }

    var violations: Int { state.withLock { $0.count } }
    var figures: [Figure] { state.withLock { $0.figures } }
}

/// One line of the table.
struct Figure: Sendable {
    /// Its name in the JSON line.
    let key: String
    let title: String
    let value: Int
    /// What the full size must reach; nil for mere information.
    var least: Int?
    var most: Int?

    var isReached: Bool { value >= least ?? .min && value <= most ?? .max }

    var target: String {
        if let least { return ">= \(least)" }
        if let most { return "<= \(most)" }
        return ""
    }
}

/// Runs a body for every item on several threads.
struct WorkQueue: Sendable {
    let threads: Int

    func forEach<Item: Sendable>(
        _ items: [Item], _ label: @escaping @Sendable (Item) -> String = { "\($0)" },
        _ body: @escaping @Sendable (Item) -> Void
    ) {
        let next = Lock(0)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            while true {
                let position = next.withLock { position in
                    defer { position += 1 }
                    return position
                }
                guard position < items.count else { return }
                TrapReport.note(label(items[position]), thread: thread)
                body(items[position])
            }
        }
    }
}
