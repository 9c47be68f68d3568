import VarveInspection

/// Lines to read: a value whole, a definition, the help, what is damaged.
struct TextPane: BrowsePane {
    /// A line, cut where it is too long, or continued on the next row.
    enum Line: Sendable {
        case styled(StyledText, target: BrowseTarget? = nil)
        /// A text of the store: continued on the next rows.
        case wrapped(String)
    }

    let title: String
    let isText: Bool
    var list = ListPosition()
    let actions: [BrowseAction]
    private let lines: [Line]
    private var rows: [(text: StyledText, target: BrowseTarget?)] = []
    private var width = 0

    init(title: String, _ lines: [Line], isText: Bool = true) {
        self.title = title
        self.lines = lines
        self.isText = isText
        actions = isText ? [.back, .search, .pageDown, .pageUp] : [.open, .back, .search, .help]
    }

    var rowCount: Int { rows.count }
    let emptyText = "nothing"

    var position: String {
        isText ? Numerals.counted(rowCount, "line") : ""
    }

    mutating func fit(_ layout: BrowseLayout) {
        guard layout.width != width else { return }
        width = layout.width
        rows = lines.flatMap { line -> [(text: StyledText, target: BrowseTarget?)] in
            switch line {
            case .styled(let text, let target): [(text, target)]
            case .wrapped(let text): StyledText(text).wrapped(to: width).map { ($0, nil) }
            }
        }
    }

    func row(_ row: Int, _ layout: BrowseLayout) -> StyledText { rows[row].text }

    func target(of row: Int) -> BrowseTarget? {
        rows.indices.contains(row) ? rows[row].target : nil
    }
}

extension TextPane {
    /// Values whole.
    static func values(
        _ title: String, _ values: [(title: String, value: BrowseValue)]
    ) -> TextPane {
        var lines: [Line] = []
        for (position, (title, value)) in values.enumerated() {
            if position > 0 { lines.append(.styled(StyledText())) }
            if !title.isEmpty { lines.append(.styled(StyledText(title, .changed))) }
            lines += value.lines.map { .wrapped($0) }
        }
        return TextPane(title: title, lines)
    }

    static func definition(_ type: InspectedType) -> TextPane {
        TextPane(
            title: type.name + ", definition",
            EventLines(width: nil).lines(of: .define(type)).map { .styled($0) })
    }

    static var help: TextPane {
        let keys = BrowseAction.allCases.map { action in
            (action.keys.map(\.name).joined(separator: " "), action.explanation)
        }
        let width = keys.map { StyledText($0.0).width }.max() ?? 0
        return TextPane(
            title: "help",
            [.styled(StyledText("Keys", .heading))]
                + keys.map { name, text in
                    .styled(
                        StyledText("  ") + StyledText(name, .identifier).cell(width)
                            + StyledText("  " + text))
                } + [.styled(StyledText()), .styled(StyledText("Signs", .heading))]
                + Self.signs.map { sign, role, text in
                    .styled(StyledText("  ") + StyledText(sign, role) + StyledText("  " + text))
                })
    }

    private static let signs: [(String, StyledText.Role, String)] = [
        ("+", .added, "inserted"), ("~", .changed, "updated"), ("−", .removed, "deleted"),
        ("=", .identifier, "a list of links changed"), ("x", .removed, "purged: removed for good"),
        ("*", .faint, "a type defined"), ("?", .faint, "an event of a later version"),
    ]

    /// What a salvage could not bring over.
    static func problems(_ report: SalvageReport) -> TextPane {
        func section(_ title: String, _ lines: [String]) -> [Line] {
            guard !lines.isEmpty else { return [] }
            return [.styled(StyledText()), .styled(StyledText(title, .changed))]
                + lines.map { .wrapped("  " + $0) }
        }
        let introduction =
            "The store is damaged. What is shown is what 'varve salvage' brings over, held in memory: "
            + "the store itself is not changed."
        return TextPane(
            title: "damage",
            [.wrapped(introduction)]
                + section("Lost transactions", report.lost.map { "\($0)" })
                + section("Damaged places", report.damages.map { "\($0)" })
                + section(
                    "In the state, but not in the log", report.folded.map { "\($0)" })
                + section(
                    "Transactions made to fit, because others are lost",
                    report.adjusted.flatMap { adjustment in
                        ["\(adjustment.transaction)"] + adjustment.changes.map { "  " + $0 }
                    }))
    }
}
