/// Times the in-memory graph from outside the library; see the README beside the package.
@main
struct ContextBenchmark {
    static func main() {
        let options: Options
        do {
            options = try Options(Array(CommandLine.arguments.dropFirst()))
        } catch {
            failWithUsage("\(error)")
        }
        if options.wantsHelp {
            print(Options.usage)
            return
        }
        let suite = Suite(options)
        for area in areas { area(suite) }
        if suite.results.isEmpty && !options.listsOnly {
            failWithUsage("no measurement has “\(options.filter)” in its area or name")
        }
        suite.finish()
    }

    /// What measures each area, in the order of the report.
    static let areas: [@Sendable (Suite) -> Void] = [
        measureRows, measureSnapshots, measureCurve, measureLinks, measureLists, measureRemoval,
        measureIndexes, measureQueries, measureShapes, measurePlans, measureText, measureMemory,
    ]
}
