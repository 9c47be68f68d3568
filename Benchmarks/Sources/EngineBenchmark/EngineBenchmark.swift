import BenchmarkSupport
import Foundation
import VarveTables

/// Measures the engine's structures beside today's context and LMDB, in one process and in turns.
@main
enum EngineBenchmark {
    static func main() {
        let options = Options(CommandLine.arguments.dropFirst())
        let users =
            options.isOfIndexes
            ? IndexTurn.users(options.rows)
            : (0..<options.rows).map { BenchmarkUser(sample: $0) }
        let workload = Workload(users)
        var report = Report()
        for _ in 0..<options.runs where options.isOfAll {
            if options.isTuning {
                for (name, shape) in EngineStore.shapes {
                    Turn(workload).run(EngineStore(shape), name, &report)
                }
            } else {
                Turn(workload).run(EngineStore(.init()), "engine", &report)
                Turn(workload).run(ContextStore(), "context", &report)
                Turn(workload).run(LMDBStore(), "LMDB", &report)
            }
        }
        if options.isOfIndexes {
            let turn = IndexTurn(workload)
            for _ in 0..<options.runs { turn.run(&report) }
        } else if options.isOfImages {
            let log = ReplayTurn(workload)
            for _ in 0..<options.runs {
                for kilobytes in options.isTuning ? [16, 32, 64] : [32] {
                    for compression in [ImageCompression.quick, .thorough] {
                        ImageTurn(workload, log)
                            .run(blockBytes: kilobytes << 10, compression, &report)
                    }
                }
            }
        } else if !options.isTuning {
            let replay = ReplayTurn(workload)
            for _ in 0..<options.runs { replay.run(&report) }
        }
        print(
            "\(options.rows) users, \(options.runs) turns: median ns an operation, processor time")
        report.print()
    }
}

/// What the command line says.
private struct Options {
    var rows = 1_000_000
    var runs = 3
    var isTuning = false
    var isOfImages = false
    var isOfReplay = false
    var isOfIndexes = false

    var isOfAll: Bool { !isOfImages && !isOfReplay && !isOfIndexes }

    init(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "--rows": rows = Self.number(&rest)
            case "--runs": runs = Self.number(&rest)
            case "--tune": isTuning = true
            case "--images": isOfImages = true
            case "--replay": isOfReplay = true
            case "--indexes": isOfIndexes = true
            default: Self.stop()
            }
        }
    }

    private static func number(_ rest: inout ArraySlice<String>) -> Int {
        guard let number = rest.popFirst().flatMap({ Int($0) }), number > 0 else { stop() }
        return number
    }

    private static func stop() -> Never {
        print(
            "usage: EngineBenchmark [--rows N] [--runs N] [--images | --replay | --indexes] [--tune]"
        )
        exit(2)
    }
}
