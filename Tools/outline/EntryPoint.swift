import Foundation
import Varve
import VarveTerminal
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

    /// How long it waits for a key before it draws the screen again.
    private static let idleMilliseconds: Int32 = 60_000

    private static func edit(_ outline: Outline) throws -> Bool {
        let terminal = Terminal()
        guard terminal.enter() else { throw OutlineFailure("the terminal cannot be set up") }
        defer { terminal.leave() }
        let editor = Editor(outline)
        while true {
            let size = Terminal.size
            terminal.write(editor.frame(columns: size.columns, rows: size.rows).sequence)
            let input = terminal.read(milliseconds: idleMilliseconds)
            // The store is closed behind it, as after a key that ends the editor.
            if input.isGone || input.signals.end != nil { return true }
            if input.signals.isToSuspend { terminal.suspend() }
            if input.signals.isContinued { terminal.resume() }
            for key in input.keys {
                guard editor.handle(key) else { return true }
            }
        }
    }
}
