import BenchmarkSupport
import Foundation

/// Counts the instructions of core paths and compares them with those that are kept: figures that
/// other work on the machine does not disturb.
@main
enum CountBenchmark {
    private static let usage = """
        usage: CountBenchmark FILE [--only TEXT] [--update]

          FILE      the counts to compare with
          --only    count only the paths whose name contains this
          --update  write what was counted there; with --only, what is kept of the others stays
        """

    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if try runChild(arguments) { return }
            try compare(arguments)
        } catch {
            fail("\(error)", status: 1)
        }
    }

    /// Answers false where the arguments are a user's.
    private static func runChild(_ arguments: [String]) throws -> Bool {
        guard arguments.count == 4, let path = CorePath(rawValue: arguments[1]),
            let count = Int(arguments[2])
        else { return false }
        let directory = URL(filePath: arguments[3])
        switch arguments[0] {
        case "--prepare": try path.prepare(count, in: directory)
        case "--run": try path.run(count, in: directory)
        default: return false
        }
        return true
    }

    private static func compare(_ arguments: [String]) throws {
        var rest = arguments[...]
        var paths = CorePath.allCases
        var updates = false
        var file: URL?
        while let argument = rest.popFirst() {
            switch argument {
            case "--only": paths = named(rest.popFirst())
            case "--update": updates = true
            case _ where !argument.hasPrefix("-") && file == nil: file = URL(filePath: argument)
            default: fail(usage, status: 2)
            }
        }
        guard let file else { fail(usage, status: 2) }
        let kept = try KeptCounts.read(file)
        let updated = updates ? base(of: paths, kept) : nil
        let counts = try count(paths)
        let grown = report(counts, kept)
        if var updated {
            updated.counts.merge(counts) { $1 }
            try updated.write(to: file)
        } else if !grown.isEmpty {
            fail("\(grown.map(\.rawValue).joined(separator: ", ")): more than before", status: 1)
        }
    }

    private static func named(_ text: String?) -> [CorePath] {
        guard let text, !text.isEmpty else { fail("--only needs a text\n" + usage, status: 2) }
        let paths = CorePath.allCases.filter { $0.rawValue.contains(text) }
        guard !paths.isEmpty else {
            let names = CorePath.allCases.map(\.rawValue).joined(separator: ", ")
            fail("no path has “\(text)” in its name: \(names)", status: 2)
        }
        return paths
    }

    /// What new counts are added to: nothing where all paths are counted, otherwise what is kept of
    /// the others. Those must have been counted under the same compiler: the file names but one.
    private static func base(of paths: [CorePath], _ kept: KeptCounts?) -> KeptCounts {
        let isWhole = paths.count == CorePath.allCases.count
        if !isWhole, let kept {
            guard kept.isComparable else {
                fail(
                    "\(kept.origin): update all of them, without --only", status: 2)
            }
            return kept
        }
        return KeptCounts(
            architecture: Toolchain.architecture, compiler: Toolchain.compiler, counts: [:])
    }

    private static func count(_ paths: [CorePath]) throws -> [CorePath: Double] {
        var counts: [CorePath: Double] = [:]
        for path in paths {
            counts[path] = try InstructionCount(path: path).perOperation().rounded()
        }
        return counts
    }

    /// Prints everything; answers what takes more than it should.
    private static func report(_ counts: [CorePath: Double], _ kept: KeptCounts?) -> [CorePath] {
        var grown: [CorePath] = []
        for path in CorePath.allCases {
            guard let count = counts[path] else { continue }
            var line = "\(path.rawValue): \(Spread.text(count)) instructions (\(path.title))"
            if let before = kept?.counts[path] {
                let change = count / before - 1
                line += String(format: ", %+.1f %% against %.0f", change * 100, before)
                if change > KeptCounts.tolerance { grown.append(path) }
            }
            print(line)
        }
        if let kept, !kept.isComparable {
            print("\(kept.origin): not compared")
            return []
        }
        return grown
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("CountBenchmark: \(message)\n".utf8))
        exit(status)
    }
}
