import Testing
import VarveInspection

@testable import VarveTool

/// One run of the program inside the test's own process.
struct ToolRun {
    let status: VarveTool.ExitStatus
    let output: String
    let errors: String

    /// An hour after the sample store's start.
    static let now = Moment(microseconds: SampleStore.start + 3_600_000_000)

    init(_ arguments: String..., terminalWidth: Int? = nil) {
        self.init(all: arguments, terminalWidth: terminalWidth)
    }

    init(
        all arguments: [String], variables: [String: String] = [:], terminalWidth: Int? = nil
    ) {
        let output = MemorySink()
        let errors = MemorySink()
        let environment = ToolEnvironment(
            output: output, errors: errors, variables: variables, now: Self.now,
            terminalWidth: terminalWidth)
        status = Tool.run(arguments, in: environment)
        self.output = output.text
        self.errors = errors.text
    }

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// The output with the store's path, which differs from run to run, replaced.
    func output(of store: SampleStore) -> String {
        output.replacing(store.path, with: "Sample.varve")
    }
}

/// Keeps what is written; or, to play a reader that goes away, stops taking it.
final class MemorySink: OutputSink {
    private(set) var text = ""
    private let failure: OutputFailure?
    private let bytesMax: Int

    init(failure: OutputFailure? = nil, after bytesMax: Int = .max) {
        self.failure = failure
        self.bytesMax = bytesMax
    }

    func write(_ text: String) throws(OutputFailure) {
        if let failure, self.text.utf8.count + text.utf8.count > bytesMax { throw failure }
        self.text += text
    }

    func flush() throws(OutputFailure) {}
}
