import Foundation
import Testing

/// Drives the program as a person does: in a terminal, which tmux is.
@Suite("The outline in a terminal", .serialized, .timeLimit(.minutes(5)))
struct TerminalTests {
    private static let program: String? = {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let path = folder.appendingPathComponent("outline").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    private static let tmux: String? = ["/usr/bin/tmux", "/usr/local/bin/tmux"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// A terminal of 80 by 24 with the program in it.
    private final class Session {
        let name = "outline-\(UUID().uuidString)"
        private let tmux: String

        init(_ tmux: String, _ command: String) throws {
            self.tmux = tmux
            try run("new-session", "-d", "-s", "main", "-x", "80", "-y", "24", command)
        }

        /// A server of its own, which nothing else shares.
        private func run(_ arguments: String...) throws { _ = try run(arguments, output: nil) }

        /// - Parameter output: nil for a command that may leave a server behind: it would keep a pipe open.
        private func run(_ arguments: [String], output pipe: Pipe?) throws -> String {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: tmux)
            process.arguments = ["-L", name, "-f", "/dev/null"] + arguments
            process.environment = ["LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"]
            process.standardOutput = pipe ?? FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            let data = pipe?.fileHandleForReading.readDataToEndOfFile() ?? Data()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }

        func type(_ text: String) throws { try run("send-keys", "-t", "main", "-l", text) }
        func key(_ name: String) throws { try run("send-keys", "-t", "main", name) }
        func screen() throws -> String {
            try run(["capture-pane", "-p", "-t", "main"], output: Pipe())
        }

        /// Waits until the screen shows something; answers the screen.
        @discardableResult
        func wait(_ what: String, _ isThere: (String) -> Bool) throws -> String {
            var last = ""
            for _ in 0..<600 {
                last = try screen()
                if isThere(last) { return last }
                usleep(50_000)
            }
            Issue.record("\(what) never came; the screen:\n\(last)")
            return last
        }

        deinit { _ = try? run("kill-server") }
    }

    @Test(
        "Type, move, quit, relaunch, undo everything to the empty outline, redo everything back",
        .enabled(if: tmux != nil, "tmux is not installed"),
        .enabled(if: program != nil, "the executable was not built"))
    func wholeStory() throws {
        let tmux = try #require(Self.tmux)
        let program = try #require(Self.program)
        let place = Place()
        let command = "\(program) \(place.path); echo ended; exec cat"
        do {
            let session = try Session(tmux, command)
            try session.wait("the empty outline") { $0.contains("press Enter and type") }
            for text in ["First", "Second 漢字", "Third"] {
                try session.key("Enter")
                try session.type(text)
                try session.wait(text) { $0.contains("• \(text)") }
                try session.key("Escape")
                try session.wait("the outline again") { $0.contains("Enter new") }
            }
            try session.key("Tab")
            try session.wait("an indented item") { $0.contains("    • Third") }
            try session.type("k")
            try session.type("K")
            let screen = try session.wait("the moved item") { screen in
                guard let first = screen.range(of: "First"), let second = screen.range(of: "Second")
                else { return false }
                return second.lowerBound < first.lowerBound
            }
            #expect(screen.split(separator: "\n", omittingEmptySubsequences: false).count >= 24)
            #expect(screen.contains("q quit"), "the keys are on the screen")
            try session.type("q")
            try session.wait("the end") { $0.contains("ended") }
        }
        let session = try Session(tmux, command)
        let full = try session.wait("the outline") { $0.contains("• First") }
        #expect(full.contains("    • Third"))
        for _ in 0..<12 { try session.type("u") }
        try session.wait("the empty outline") { $0.contains("nothing to undo") }
        #expect(try session.screen().contains("Nothing here yet"))
        for _ in 0..<12 { try session.type("r") }
        let back = try session.wait("everything") { $0.contains("nothing to redo") }
        func items(_ screen: String) -> [Substring] {
            screen.split(separator: "\n").filter { $0.contains("•") }
        }
        #expect(items(back) == items(full))
    }
}
