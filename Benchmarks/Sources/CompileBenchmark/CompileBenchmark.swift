import BenchmarkSupport
import Foundation

/// Compiles models of some entities as an app does and prints what that takes: processor time, memory, bytes of code.
@main
enum CompileBenchmark {
    static func main() {
        do {
            let options = try CompileOptions(Array(CommandLine.arguments.dropFirst()))
            if options.wantsHelp { return print(CompileOptions.usage) }
            try measure(options)
        } catch {
            FileHandle.standardError.write(Data("CompileBenchmark: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func measure(_ options: CompileOptions) throws {
        let kept = try KeptSizes.read(options.kept)
        var costs: [CompilationCost] = []
        print(CostTable.header)
        for configuration in options.configurations {
            for count in options.entityCounts {
                let cost = try ClientCompilation(
                    model: ClientModel(entityCount: count), configuration: configuration,
                    build: options.build, package: options.package
                ).run()
                costs.append(cost)
                print(CostTable.line(cost, change: kept?.change(of: cost)))
            }
        }
        if let json = options.json { try JSONEncoder.readable.encode(costs).write(to: json) }
        if options.updates {
            var sizes = kept ?? KeptSizes()
            sizes.keep(costs)
            return try sizes.write(to: options.kept)
        }
        try compare(costs, kept)
    }

    private static func compare(_ costs: [CompilationCost], _ kept: KeptSizes?) throws {
        guard let kept else { return }
        guard kept.isComparable else {
            return print(
                "sizes are kept for Swift \(kept.compiler) on \(kept.architecture): not compared")
        }
        let grown = costs.filter { kept.change(of: $0).map { $0 > KeptSizes.tolerance } ?? false }
        guard grown.isEmpty else {
            let names = grown.map { "\($0.model.entityCount)" }.joined(separator: ", ")
            throw Failure(
                description: "more code than before in a release build, with entities: \(names); "
                    + "find what apps now specialise, or keep the new sizes with --update")
        }
        if costs.contains(where: { kept.change(of: $0).map { $0 < -KeptSizes.tolerance } ?? false })
        {
            print("less code than before: keep the new sizes with --update")
        }
    }
}

/// A line for each model and configuration.
enum CostTable {
    static let header =
        "build    entities  processor time  compiler's peak  code        code an entity"

    static func line(_ cost: CompilationCost, change: Double?) -> String {
        let columns = [
            cost.configuration.rawValue.padded(to: 9),
            "\(cost.model.entityCount)".padded(to: 10),
            String(format: "%.1f s", cost.seconds).padded(to: 16),
            "\(cost.peakBytes >> 20) MiB".padded(to: 17),
            kilobytes(cost.codeBytes).padded(to: 12),
            kilobytes(cost.codeBytesPerEntity),
        ]
        return columns.joined()
            + (change.map { String(format: ", %+.1f %% against what is kept", $0 * 100) } ?? "")
    }

    private static func kilobytes(_ bytes: Int) -> String {
        String(format: "%.1f KB", Double(bytes) / 1_000)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
