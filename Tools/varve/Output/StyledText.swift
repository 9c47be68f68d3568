import VarveText

/// A line, or a part of one, that knows its width and how it looks where there are colours.
///
/// Whatever a store, a path or an argument holds is escaped here: all output for people is made of these.
struct StyledText: Hashable, Sendable {
    enum Role: Hashable, Sendable {
        case plain, heading, identifier, added, removed, changed, faint

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
    func rendered(withColors: Bool) -> String {
        runs.map { run in
            withColors && run.role != .plain ? run.role.code + run.text + "\u{1B}[0m" : run.text
        }.joined()
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
