import Foundation
import Testing
import VarveInspection
import VarveText

@testable import VarveTool

@Suite("Help and version")
struct HelpTests {
    @Test("The program says what it is for")
    func program() {
        let run = ToolRun("--help")
        #expect(run.status == .success)
        #expect(
            run.output == """
                Usage: varve COMMAND [OPTION]... STORE [ARGUMENT]...

                Shows what is in a Varve store, without the program that wrote it. All but
                'compact', 'import', 'undo', 'redo' and 'restore' take no lock and leave the
                store alone, so they may run beside a writer; 'salvage' asks that there be none.

                Commands:
                  info        what a store holds: files, transactions, types, bytes
                  log         the transactions, newest first
                  show        one transaction: its events, with old and new values
                  cat         the current entities of a type, as JSON lines
                  verify      check every checksum and the chain of the segments
                  schema      the types of a store: fields, relations, delete rules
                  du          bytes by type, field, label and age, live and in history
                  report      write a page about a store, to read in a browser
                  browse      a store on a full screen: transactions, entities, types, search
                  follow      the transactions as they are written, until interrupted
                  query       entities that meet a condition; sums and counts of them
                  history     every version of an entity, newest first
                  blame       which transaction gave each field of an entity its value
                  diff        the entities that differ between two transactions
                  at          what 'cat' would have shown behind an earlier transaction
                  undo        undo the newest step, by appending a transaction
                  redo        redo the step that was undone last
                  restore     restore a deleted entity, with what was deleted along with it
                  export      the entities of a store as JSON lines, CSV or SQL
                  import      write entities from JSON lines or CSV into a store
                  compact     write a checkpoint and drop history that is not to be kept
                  backup      copy a store, which may be open for writing
                  salvage     rescue what a damaged store still holds into a new one
                  hexdump     show the bytes of a frame or a header, field by field
                  grep        the transactions that added or removed a text, as 'git log -S'
                  bisect      the first transaction after which a query's result is another
                  help        explain a command or a topic
                  completion  what bash, zsh or fish reads to complete command lines

                Options:
                  -j, --json        write JSON, one object on each line
                      --color=WHEN  use colours: auto (the default), always or never
                      --utc         show times in UTC, not in the zone of the reader
                      --no-pager    show all at once where it is longer than the screen
                  -h, --help        show this help and exit
                  -V, --version     show the version and exit

                Exit status: 0 when all is well, 1 for damage and for what cannot be read or
                is not there, 2 for a command line that cannot be understood.

                'varve help COMMAND' explains a command, and 'varve help TOPIC' one of these:
                  moments      how a moment of the past is given
                  queries      the language of 'varve query'
                  formats      text, JSON and CSV, and how values are written
                  exit-status  what the program returns
                  environment  the variables that the program looks at

                """)
    }

    @Test("log explains itself")
    func log() {
        #expect(
            ToolRun("log", "--help").output == """
                Usage: varve log [OPTION]... STORE

                Lists the transactions, newest first: id, time, age, kind, label, and for each
                type its events:

                  + inserted   ~ updated   − deleted   = links changed   x purged   * defined

                WHEN is a transaction (41), a date (2026-08-03, 2026-08-03T14:05Z; in your zone
                unless an offset follows) or a distance from now (90s, 5m, 2h, 3d, 1w).

                Operands:
                  STORE  the directory of the store

                Options:
                  -n, --limit=COUNT  show so many transactions at most
                  -a, --after=WHEN   show only what is later than WHEN
                  -b, --before=WHEN  show only what is earlier than WHEN
                  -r, --reverse      show the oldest first
                  -f, --full         do not shorten texts to the width of the terminal
                  -j, --json         write JSON, one object on each line
                      --color=WHEN   use colours: auto (the default), always or never
                      --utc          show times in UTC, not in the zone of the reader
                      --no-pager     show all at once where it is longer than the screen
                  -h, --help         show this help and exit
                  -V, --version      show the version and exit

                Examples:
                  varve log -n 20 Chats.varve
                  varve log --after=2d Chats.varve
                  varve log --json --after=41 --reverse Chats.varve

                """)
    }

    @Test("cat explains itself")
    func cat() {
        #expect(
            ToolRun("cat", "-h").output == """
                Usage: varve cat [OPTION]... STORE TYPE [ID]

                Writes the current state of the entities of a type, or of the one with ID, as
                JSON, an object on each line, in the default order of the type. Reads the newest
                checkpoint and the log after it: of one entity the parts that lead to it, of a
                whole type all of the checkpoint, which is checked first.

                Operands:
                  STORE  the directory of the store
                  TYPE   the name of the type, as 'info' shows it
                  ID     an id: a text without quotation marks, a number, a UUID, or any other
                         in its JSON form

                Options:
                  -d, --deleted     show deleted entities, as they would be restored, instead of
                                    live ones
                  -j, --json        write JSON, one object on each line
                      --color=WHEN  use colours: auto (the default), always or never
                      --utc         show times in UTC, not in the zone of the reader
                      --no-pager    show all at once where it is longer than the screen
                  -h, --help        show this help and exit
                  -V, --version     show the version and exit

                Examples:
                  varve cat Chats.varve Chat
                  varve cat Chats.varve Chat 1 | jq .fields
                  varve cat --deleted Chats.varve Chat

                """)
    }

    @Test("info, show and verify explain themselves", arguments: ["info", "show", "verify"])
    func others(_ command: String) throws {
        let run = ToolRun(command, "--help")
        #expect(run.status == .success && run.errors.isEmpty)
        let snapshot = try #require(Self.snapshots[command])
        #expect(run.output.hasPrefix(snapshot))
    }

    static let snapshots = [
        "info": """
        Usage: varve info [OPTION]... STORE

        Shows what a store holds: how its log ended, its transactions, its files with
        the bytes stored and raw (before compression), and its types with the numbers of
        their live and their deleted entities. Checks the newest checkpoint and the log
        after it, and reads of older segments their headers and footers; 'verify' checks
        everything.

        """,
        "show": """
        Usage: varve show [OPTION]... STORE TXN

        Shows one transaction: what it says about itself, then its events in their
        order, field by field. Of an update both sides are shown, of a long text the
        part that changed.

        Operands:
          STORE  the directory of the store
          TXN    the id of the transaction, as 'log' shows it, or 'last'

        """,
        "verify": """
        Usage: varve verify [OPTION]... STORE

        Reads every byte of a store and checks every checksum, the chain of the
        segments, whether each transaction follows from the state before it, whether the
        checkpoints hold what the log leads to, and whether their indexes are those of
        their entities. Goes on behind damage and lists all of it, with segment and
        offset. The status is 1 when there is any. An unpromised end, which an
        interrupted writer leaves and the next one cuts off, is no damage.

        """,
    ]

    @Test("The options of a command are those that it takes")
    func options() {
        #expect(!ToolRun("browse", "--help").output.contains("--json"))
        #expect(ToolRun("browse", "--json", "X.varve").status == .usage)
        #expect(ToolRun("--json", "browse", "X.varve").status == .usage)
        #expect(ToolRun("cat", "--help").output.contains("--json"))
    }

    @Test("No help is wider than a terminal of 80 columns")
    func width() {
        let texts =
            [ToolRun("--help").output] + Tool.commands.map { HelpText.command($0.definition) }
            + HelpTopic.all.map(HelpText.topic)
        for line in texts.joined().split(separator: "\n") {
            #expect(DisplayWidth.columns(of: String(line)) <= 80, "\(line)")
        }
    }

    @Test("Paragraphs are filled, indented lines and empty ones stay as they are")
    func filling() {
        let text =
            "One two\nthree four five.\n  as it is, however long\n\nsix\n\na-very-long-word b"
        #expect(
            FilledText.lines(of: text, columns: 13) == [
                "One two three", "four five.", "  as it is, however long", "", "six", "",
                "a-very-long-word", "b",
            ])
        #expect(FilledText.lines(of: "", columns: 10) == [""])
    }

    @Test("Columns are in indented lines, which keep their form")
    func columns() {
        let texts = Tool.commands.map { $0.definition.description } + HelpTopic.all.map(\.text)
        for line in texts.joined(separator: "\n").split(separator: "\n")
        where !line.hasPrefix("  ") {
            #expect(!line.contains("  "), "\(line)")
        }
        #expect(
            ToolRun("help", "export").output.contains("\n  sql    text for 'sqlite3 new.db < FILE'")
        )
    }

    @Test("Topics explain what commands have in common, and what is misspelled is asked about")
    func topics() {
        for topic in HelpTopic.all {
            let run = ToolRun("help", topic.name)
            #expect(run.status == .success && run.output.contains(HelpText.filled(topic.text)))
        }
        #expect(ToolRun("help", "exit", "status").output == ToolRun("help", "exit-status").output)
        #expect(ToolRun("help", "log").output == ToolRun("log", "--help").output)
        #expect(ToolRun("help").output == ToolRun("--help").output)
        let run = ToolRun("help", "momnets")
        #expect(run.status == .usage)
        #expect(
            run.errors == """
                varve: there is no help on 'momnets'; did you mean 'moments'?
                Try 'varve help --help' for more information.

                """)
    }

    @Test("The manual has every command, option and topic, and readers of manuals accept it")
    func manual() throws {
        let page = ToolRun("help", "--man").output
        for command in Tool.commands {
            #expect(page.contains("\n.SS \(command.definition.name)\n"))
            for option in command.definition.allOptions {
                let name = option.name.replacing("-", with: "\\-")
                #expect(page.contains("\\-\\-" + name), "\(option.name)")
            }
        }
        for topic in HelpTopic.all {
            #expect(page.contains("\n.SH \(topic.name.uppercased().replacing("-", with: " "))\n"))
        }
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-\(UUID().uuidString).1")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(page.utf8).write(to: file)
        let readers = [
            ("man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"]),
            ("mandoc", ["-Tlint", "-Wwarning"]),
        ]
        for (reader, arguments) in readers {
            // On a machine without the one, the other does; where neither is, the next machine checks.
            guard let program = ToolProcess.find(reader) else { continue }
            let run = try ToolProcess(
                program: program, arguments + [file.path], ["MANWIDTH": "100"])
            #expect(run.errors.isEmpty, "\(run.errors)")
            if reader == "mandoc" {
                #expect(run.status == 0 && run.output.isEmpty, "\(run.output)")
            }
        }
    }

    @Test("The version is told before and behind a command, whatever else is missing")
    func version() {
        for run in [ToolRun("--version"), ToolRun("-V"), ToolRun("log", "--version")] {
            #expect(run.status == .success)
            #expect(run.output == "varve \(Tool.version)\n")
        }
        #expect(ToolRun("-h", "log").output == ToolRun("log", "-h").output)
    }
}
