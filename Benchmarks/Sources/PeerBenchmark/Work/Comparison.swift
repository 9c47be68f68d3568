import BenchmarkSupport
import Foundation

/// Runs the engines in turns and collects what they found.
struct Comparison {
    /// What one process does.
    private struct Step {
        let run: Int
        let stage: Child.Stage
        let engine: EngineName
        let size: Int
    }

    private let options: Options
    private let wanted: Set<Child.Stage>
    private var figures: [Figure: [EngineName: [Double]]] = [:]
    private var growth: [Figure: [EngineName: [Int: [Double]]]] = [:]
    private var answers: [String: (answer: UInt64, engine: EngineName)] = [:]
    private var failures: [String] = []
    private var remarks: [String] = []
    /// Whether what the present stages go on with was not made.
    private var isSpoiled = false

    init(_ options: Options) {
        self.options = options
        wanted = Set(options.wantedFigures.map(\.stage))
    }

    /// - Parameter report: is given what there is after each run.
    mutating func run(_ report: (Results) throws -> Void) throws -> Results {
        let machine = Machine.this()
        let steps = (0..<options.runs).flatMap { run in self.steps(run) }
        let start = ContinuousClock.now
        var directory: URL?
        for (number, step) in steps.enumerated() {
            let seconds = Int(WallClock.seconds(since: start))
            note(
                "\(seconds) s, \(number + 1) of \(steps.count): run \(step.run + 1), "
                    + "\(step.engine.title), \(step.stage.rawValue), \(step.size)")
            if !step.stage.goesOn {
                remove(directory)
                directory = try makeDirectory()
                isSpoiled = false
            }
            if let directory, !isSpoiled { perform(step, directory) }
            if number + 1 == steps.count || steps[number + 1].run != step.run {
                try report(results(machine))
            }
        }
        remove(directory)
        return results(machine)
    }

    /// All processes of a run, in their order.
    private func steps(_ run: Int) -> [Step] {
        var steps: [Step] = []
        func add(_ stage: Child.Stage, _ engines: [EngineName], _ size: Int? = nil) {
            for engine in engines where engine == .limit || options.engines.contains(engine) {
                steps.append(
                    Step(run: run, stage: stage, engine: engine, size: size ?? options.size))
            }
        }
        for engine in options.engines {
            let goesOn = wanted.contains(.reopen) || wanted.contains(.open)
            if wanted.contains(.work) || goesOn { add(.work, [engine]) }
            if wanted.contains(.reopen) { add(.reopen, [engine]) }
            if wanted.contains(.open) {
                add(.kill, [engine])
                add(.open, [engine])
            }
        }
        if wanted.contains(.work) || wanted.contains(.reopen) { add(.limit, [.limit]) }
        if wanted.contains(.duel), options.engines.contains(.varve) {
            add(.duel, EngineName.all.filter { $0 != .varve } + [.limit])
        }
        if wanted.contains(.log) || wanted.contains(.replay) { add(.log, [.varve]) }
        if wanted.contains(.replay) { add(.replay, [.varve]) }
        for stage in [Child.Stage.graph, .time] where wanted.contains(stage) {
            add(stage, [.varve])
        }
        if wanted.contains(.text) { add(.text, TextWork.engines) }
        if wanted.contains(.debian) { add(.debian, DebianWork.engines) }
        // What is counted differs little from run to run, and takes long.
        if wanted.contains(.churn), run == 0 { add(.churn, ChurnWork.engines) }
        if options.growth, !wanted.allSatisfy(\.isLarge) {
            for size in options.smallerSizes {
                for engine in options.engines {
                    add(.growth, [engine], size)
                    add(.reopen, [engine], size)
                }
            }
        }
        addLarge(&steps, run)
        return steps
    }

    private func addLarge(_ steps: inout [Step], _ run: Int) {
        let stages = [Child.Stage.largeLoad, .largeRead, .largeUpdate, .largeBackup]
        guard let last = stages.last(where: { wanted.contains($0) }) else { return }
        let sizes = (options.growth ? options.smallerSizes : []) + [options.size]
        for size in sizes {
            for engine in options.engines where LargeWork.engines.contains(engine) {
                // Each goes on with what those before it left.
                for stage in stages.prefix(through: stages.firstIndex(of: last) ?? 0) {
                    steps.append(Step(run: run, stage: stage, engine: engine, size: size))
                }
            }
        }
    }

    /// What fails is noted, and ends nothing but itself.
    private mutating func perform(_ step: Step, _ directory: URL) {
        do {
            var child = Child(step.stage, step.engine, size: step.size, directory: directory)
            if step.stage.isLarge {
                child.memory = options.memory
                if options.memory != nil, !MemoryLimit.dropCaches() {
                    remark("files stayed in the system's cache from one process to the next")
                }
            }
            let result = try child.start()
            try check(result.answers, of: step)
            for text in result.remarks { remark("\(text) (run \(step.run + 1))") }
            for (figure, value) in result.figures {
                if options.growth, Figure.growing.contains(figure), step.engine != .limit {
                    growth[figure, default: [:]][step.engine, default: [:]][step.size, default: []]
                        .append(value)
                }
                if step.size == options.size {
                    figures[figure, default: [:]][step.engine, default: []].append(value)
                }
            }
        } catch let outcome as OutOfMemory {
            remark("\(outcome) (run \(step.run + 1))")
            note("\(outcome)")
            isSpoiled = step.stage == .largeLoad
        } catch {
            failures.append("\(error)")
            isSpoiled = step.stage == .largeLoad
            note("FAILED: \(error)")
        }
    }

    /// All engines, in all runs, are given the same data and asked the same.
    private mutating func check(_ found: [String: UInt64], of step: Step) throws {
        for (query, answer) in found {
            let key = "\(query) of \(step.size)"
            let expected = answers[key] ?? (answer, step.engine)
            guard expected.answer == answer else {
                throw EngineError(
                    step.engine, "\(key) is answered otherwise than by \(expected.engine.title)")
            }
            answers[key] = expected
        }
    }

    private func results(_ machine: Machine) -> Results {
        Results(
            machine: machine, size: options.size, runs: options.runs,
            engines: options.engines,
            figures: figures.mapValues { $0.compactMapValues { Spread($0) } },
            growth: growth.mapValues { engines in
                engines.mapValues { sizes in
                    sizes.sorted { $0.key < $1.key }.compactMap { size, values in
                        Spread(values).map { Results.Point(size: size, value: $0.median) }
                    }
                }
            },
            failures: failures, remarks: remarks)
    }

    private func makeDirectory() throws -> URL {
        let directory = options.directory.appending(path: "varve-peers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    private func remove(_ directory: URL?) {
        guard let directory else { return }
        do {
            try FileManager.default.removeItem(at: directory)
        } catch {
            note("could not remove \(directory.path): \(error)")
        }
    }

    /// Says it once.
    private mutating func remark(_ text: String) {
        if !remarks.contains(text) { remarks.append(text) }
    }

    private func note(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}
