import BenchmarkSupport
import Foundation
import Varve

/// Runs measurements and reports them.
final class Suite {
    let options: Options
    private(set) var results: [Measurement] = []
    private var area = ""

    /// What the measurements work on, made when the first of them needs it.
    lazy var users = Dataset.users(options.rows)
    lazy var order = Dataset.order(options.rows)
    lazy var loaded: Context = Dataset.context(users)

    init(_ options: Options) { self.options = options }

    /// Names the area of the measurements that follow.
    func begin(_ area: String) { self.area = area }

    /// Whether the filter asks for a measurement.
    func wants(_ name: String) -> Bool {
        options.filter.isEmpty || area.localizedCaseInsensitiveContains(options.filter)
            || name.localizedCaseInsensitiveContains(options.filter)
    }

    /// Measures the nanoseconds of each of `operations` operations.
    ///
    /// - Parameters:
    ///   - prepare: runs before each run, untimed; the body works on what it returns.
    ///   - reference: something to compare with, with its name; it runs in turns with the body.
    func measure<State>(
        _ name: String, operations: Int, unit: Unit = .nanoseconds, target: String? = nil,
        reference: (name: String, body: () -> Void)? = nil,
        prepare: () -> State, _ body: (inout State) -> Void
    ) {
        guard starts(name) else { return }
        // Made here, so that no run pays for it.
        _ = (users.count, order.count)
        var times: [Double] = []
        var references: [Double] = []
        for _ in 0..<options.runs {
            if let reference { references.append(ThreadClock.time(reference.body)) }
            var state = prepare()
            times.append(ThreadClock.time { body(&state) })
        }
        var result = Measurement(
            area, name, unit: unit.rawValue,
            times.map { $0 / Double(operations) / unit.nanoseconds }, target: target)
        if let reference, let spread = Spread(references) {
            result.reference = reference.name
            result.ratio = spread.median / Double(operations) / unit.nanoseconds / result.median
        }
        results.append(result)
    }

    /// Measures something that needs nothing prepared.
    func measure(
        _ name: String, operations: Int, unit: Unit = .nanoseconds, target: String? = nil,
        reference: (name: String, body: () -> Void)? = nil, _ body: () -> Void
    ) {
        measure(
            name, operations: operations, unit: unit, target: target, reference: reference,
            prepare: {}, { _ in body() })
    }

    /// Reports a figure that is counted rather than timed.
    func count(_ name: String, unit: String, target: String? = nil, _ body: () -> Double) {
        guard starts(name) else { return }
        results.append(Measurement(area, name, unit: unit, [body()], target: target))
    }

    /// Reports what was timed elsewhere: nanoseconds of each run.
    func add(_ name: String, times: [Double], operations: Int, target: String?) {
        guard starts(name) else { return }
        results.append(
            Measurement(
                area, name, unit: Unit.nanoseconds.rawValue,
                times.map { $0 / Double(operations) }, target: target))
    }

    /// Whether a measurement will run: what its body uses lazily can be made before.
    func willMeasure(_ name: String) -> Bool { wants(name) && !options.listsOnly }

    private func starts(_ name: String) -> Bool {
        guard wants(name) else { return false }
        if options.listsOnly { print("\(area): \(name)") }
        return !options.listsOnly
    }

    /// Prints everything.
    func finish() {
        if options.listsOnly { return }
        options.isJSON ? printJSON() : printTable()
    }

    private func printTable() {
        print("\(options.rows) users, \(options.runs) runs; CPU time of the measuring thread")
        let lines = [Measurement.header] + results.map(\.columns)
        let widths = Measurement.header.indices.map { column in
            lines.map { $0[column].count }.max() ?? 0
        }
        for line in lines {
            let cells = line.enumerated().map { column, text in
                let padding = String(repeating: " ", count: widths[column] - text.count)
                return (2...4).contains(column) ? padding + text : text + padding
            }
            let text = cells.joined(separator: "  ")
            print(text.replacing(#/ +$/#, with: ""))
        }
    }

    private func printJSON() {
        struct Report: Encodable {
            let rows: Int
            let runs: Int
            let measurements: [Measurement]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let report = Report(rows: options.rows, runs: options.runs, measurements: results)
        do {
            print(String(decoding: try encoder.encode(report), as: UTF8.self))
        } catch {
            preconditionFailure("figures that JSON cannot hold: \(error)")
        }
    }
}

/// The unit of a measured time.
enum Unit: String {
    case nanoseconds = "ns"
    case microseconds = "us"
    case milliseconds = "ms"

    var nanoseconds: Double {
        switch self {
        case .nanoseconds: 1
        case .microseconds: 1_000
        case .milliseconds: 1_000_000
        }
    }
}
