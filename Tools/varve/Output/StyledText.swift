import VarveText

/// A line, or a part of one, that knows its width and how it looks where there are colours.
///
/// Whatever a store, a path or an argument holds is escaped here: all output for people is made of these.
struct StyledText: Hashable, Sendable {
    enum Role: Hashable, Sendable {
        case plain, heading, identifier, added, removed, changed, faint

        fileprivate var isColor: Bool {
            switch self {
            case .plain, .heading, .faint: false
            case .identifier, .added, .removed, .changed: true
            }
        }

        /// The escape sequence that switches it on.
        fileprivate var code: String {
            switch self {
            case .plain: ""
            case .heading: "\u{1B}[1m"
            case .identifier: "\u{1B}[33m"
            case .added: "\u{1B}[32m"
            case .removed: "\u{1B}[31m"
            case .changed: "\u{1B}[36m"
            case .faint: "\u{1B}[2m"
            }
        }
    }

    private struct Run: Hashable, Sendable {
        /// Escaped.
        var text: String
        let role: Role
    }

    private var runs: [Run] = []

    init() {}

    init(_ text: String, _ role: Role = .plain) {
        if !text.isEmpty { runs = [Run(text: text.escapedForDisplay, role: role)] }
    }

    static func + (first: StyledText, second: StyledText) -> StyledText {
        var sum = first
        sum.runs += second.runs
        return sum
    }

    static func += (first: inout StyledText, second: StyledText) { first.runs += second.runs }

    /// The columns that it takes.
    var width: Int { runs.reduce(0) { $0 + DisplayWidth.columns(of: $1.text) } }

    var isEmpty: Bool { runs.isEmpty }

    /// The text itself, for a terminal with colours or without.
    ///
    /// - Parameter attributes: whether bold and faint stay where colours do not, as on a full screen.
    func rendered(withColors: Bool, attributes: Bool = false) -> String {
        runs.map { run in
            let isStyled = withColors || (attributes && !run.role.isColor)
            return isStyled && run.role != .plain
                ? run.role.code + run.text + "\u{1B}[0m" : run.text
        }.joined()
    }

    /// Without any style.
    var plain: String { runs.map(\.text).joined() }

    /// What is behind the first columns. Of a character that is cut in two a space stays.
    func dropping(columns: Int) -> StyledText {
        var rest = StyledText()
        var dropped = 0
        for run in runs {
            var kept = run
            while dropped < columns, let first = kept.text.first {
                dropped += DisplayWidth.columns(of: String(first))
                kept.text.removeFirst()
            }
            if dropped > columns {
                kept.text = " " + kept.text
                dropped = columns
            }
            if !kept.text.isEmpty { rest.runs.append(kept) }
        }
        return rest
    }

    /// Rows of at most so many columns; at least one.
    func wrapped(to columns: Int) -> [StyledText] {
        var rows: [StyledText] = []
        var row = StyledText()
        var room = columns
        for run in runs {
            var rest = run.text[...]
            while !rest.isEmpty {
                let part = DisplayWidth.prefix(of: String(rest), columns: room)
                // A character wider than a whole row is on one of its own.
                let taken = part.isEmpty && row.isEmpty ? String(rest.prefix(1)) : part
                if !taken.isEmpty { row.runs.append(Run(text: taken, role: run.role)) }
                rest = rest.dropFirst(taken.count)
                room -= DisplayWidth.columns(of: taken)
                if !rest.isEmpty {
                    rows.append(row)
                    (row, room) = (StyledText(), columns)
                }
            }
        }
        return rows + [row]
    }

    /// Cut to `columns`, with an ellipsis for what is left out; as it is when that is nil.
    func shortened(to columns: Int?) -> StyledText {
        guard let columns, width > columns else { return self }
        var shortened = StyledText()
        guard columns > 0 else { return shortened }
        var room = columns
        for run in runs {
            let width = DisplayWidth.columns(of: run.text)
            // The ellipsis needs a column, and more follows unless this is the last run.
            if width < room {
                shortened.runs.append(run)
                room -= width
                continue
            }
            var cut = run
            cut.text = DisplayWidth.prefix(of: run.text, columns: room - 1) + "…"
            shortened.runs.append(cut)
            break
        }
        return shortened
    }
}
