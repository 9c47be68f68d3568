/// What several commands have in common, explained at one place: `varve help moments`.
struct HelpTopic: Sendable {
    let name: String
    /// A few words, for the list of topics.
    let summary: String
    /// Sentences, whose lines are filled. An indented line is shown as it is.
    let text: String

    static let all = [moments, queries, formats, exitStatus, environment]

    /// The topic of a name; words may be joined by dashes or spaces.
    static func named(_ name: String) -> HelpTopic? {
        let name = name.lowercased().replacing(" ", with: "-")
        return all.first { $0.name == name }
    }

    private static let moments = HelpTopic(
        name: "moments", summary: "how a moment of the past is given",
        text: """
            Where a command takes WHEN, that is one of these:

              41                        a transaction: behind it lies a state of the store
              2026-08-03                a day: its first moment
              2026-08-03T14:05          a moment, to the minute
              2026-08-03T14:05:22.25    a moment, to the microsecond where that is wanted
              2026-08-03T14:05Z         the same in UTC; +02:00 is another offset
              90s 5m 2h 3d 1w           a distance back from now

            A date without an offset is meant in your time zone, which TZ names, or in UTC with
            --utc. Of an hour that clocks show twice the first is meant. Where TXN is asked for,
            'last' is the newest transaction, and 0 the empty store before the first.

            Times are shown in your zone, with its offset at that moment, and with --utc in UTC.
            In JSON they are always in UTC.
            """)

    private static let queries = HelpTopic(
        name: "queries", summary: "the language of 'varve query'",
        text: """
            A query names a type, and says which of its entities are wanted, and what of them:

              TYPE [where CONDITION] [group by VALUES] [select VALUES]
                   [order by VALUES] [limit N] [offset N]

            Conditions compare properties, members of nested values (address.city) and properties
            behind relations (chat.title), joined by and, or, not and parentheses:

              == != < <= > >=           values; texts in quotes, and dates as texts
              contains startsWith endsWith
              in ("a", "b")             is null    is not null
              any(messages, text contains "plan")    all(...)    count(messages) > 10

            With group by, or an aggregate in select, a row is a group: count(), sum(VALUE),
            least(VALUE), most(VALUE), average(VALUE). A minus before a value of order by turns
            the order round. @updatedAt, @transaction and @ordinal are what the log knows.

              varve query Chats.varve 'Chat where isPinned order by -title limit 5'
              varve query Chats.varve 'Message group by chat select count()
                  order by -count() limit 5'

            The whole grammar is in Docs/TOOL.md.
            """)

    private static let formats = HelpTopic(
        name: "formats", summary: "text, JSON and CSV, and how values are written",
        text: """
            Output is for people, unless --json is given: then it is a JSON object on each line.
            'cat' writes nothing else, and 'query' writes JSON to all but terminals, or with --csv
            comma-separated values.

            In JSON integers have all their digits, dates are ISO 8601 in UTC, data is in base 64,
            UUIDs and URLs are texts, decimals are numbers. Keys stay from version to version;
            others may be added. A value that is absent is null. Docs/TOOL.md lists the keys.

            An id is written without quotation marks: a text, a number, a UUID, and any other in
            its JSON form.

            Signs of events:

              + inserted   ~ updated   − deleted   = links changed   x purged   * defined
              ? an event of a later version

            What could command a terminal is written as an escape, such as \\u{1B}.
            """)

    private static let exitStatus = HelpTopic(
        name: "exit-status", summary: "what the program returns",
        text: """
              0    all is well; also when the reader of the output, or its pager, is left
                   early
              1    damage was found; losses; the store, type, entity or transaction is not
                   there or cannot be read; 'grep' found nothing; 'bisect' found no
                   change; 'import' refused a line; the output cannot be written
              2    the command line cannot be understood
            """)

    private static let environment = HelpTopic(
        name: "environment", summary: "the variables that the program looks at",
        text: """
              VARVE_PAGER    the pager for output that is longer than the screen; 'cat' or
                             nothing for none
              PAGER          the same, where VARVE_PAGER is not set; 'less' where neither is
              LESS           options of less; FRX where it is not set
              NO_COLOR       no colours, unless --color=always is given
              TERM           no colours where it is 'dumb'
              COLUMNS LINES  the size of the terminal, where it does not say
              TZ             the time zone that times are shown in
            """)
}
