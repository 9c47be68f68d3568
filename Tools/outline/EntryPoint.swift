import Foundation
import Varve
import VarveText

/// What the executable runs. The editor itself is a library, so that tests can run it too.
package enum EntryPoint {
    private static let usage = """
        usage: outline PATH

        Edits the outline in the store at PATH, which is made where there is none: full screen on a
        terminal, otherwise by commands on standard input, one a line ('help' lists them).
        """

    /// Returns the exit status.
    package static func run(_ arguments: [String]) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        guard arguments.count == 1, !arguments[0].hasPrefix("-") else {
            let asksForHelp = arguments == ["--help"] || arguments == ["-h"]
            print(usage, to: asksForHelp ? STDOUT_FILENO : STDERR_FILENO)
            return asksForHelp ? 0 : 2
        }
        do {
            let outline = try Outline(at: arguments[0])
            let isDone = try Terminal.isThere ? edit(outline) : command(outline)
            try outline.close()
            return isDone ? 0 : 1
        } catch {
            print("outline: \(error)", to: STDERR_FILENO)
            return 1
        }
    }

    private static func print(_ line: String, to descriptor: Int32) {
        let handle = FileHandle(fileDescriptor: descriptor)
        // Whoever closed the pipe does not want the rest.
        try? handle.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Runs the commands of standard input. False when one of them failed.
    private static func command(_ outline: Outline) throws -> Bool {
        let session = CommandSession(outline: outline) {
            print($0.escapedForDisplay, to: STDOUT_FILENO)
        }
        var isDone = true
        while let line = readLine() {
            do {
                guard try session.run(line) else { break }
            } catch let failure as OutlineFailure {
                isDone = false
                print("outline: \(failure)".escapedForDisplay, to: STDERR_FILENO)
            } catch let error as StoreError {
                isDone = false
                print("outline: \(error)", to: STDERR_FILENO)
            }
        }
        return isDone
    }

    private static func edit(_ outline: Outline) throws -> Bool {
        let terminal = Terminal()
        try terminal.enter()
        defer { terminal.leave() }
        let editor = Editor(outline)
        var decoder = KeyDecoder()
        while true {
            let size = terminal.size
            terminal.write(editor.frame(columns: size.columns, rows: size.rows).sequence)
            let input = terminal.read(milliseconds: decoder.isUndecided ? 50 : -1)
            switch input {
            case .end: return true
            case .resized: continue
            case .silence: break
            case .bytes(let bytes): decoder.add(bytes)
            }
            var isFinal = false
            if case .silence = input { isFinal = true }
            while let key = decoder.next(isFinal: isFinal) {
                guard editor.handle(key) else { return true }
            }
        }
    }
}
