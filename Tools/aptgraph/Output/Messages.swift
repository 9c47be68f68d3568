import Foundation

/// Errors and warnings, one line each, on standard error.
struct Messages: Sendable {
    private let write: @Sendable (String) -> Void

    init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    static func standardError() -> Messages {
        Messages { text in
            // Nobody is left to tell when standard error itself fails.
            try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
        }
    }

    /// Says one thing, after the program's name as GNU programs do.
    func say(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
        write("\(Program.name): \(lines.printable)\n")
    }

    /// Points at a line of a file, in the form that editors and compilers share.
    func point(at line: Int, of path: String, _ text: String) {
        write("\(path.printable):\(line): \(text.printable)\n")
    }

    func hint(_ text: String) {
        write("\(text)\n")
    }
}
