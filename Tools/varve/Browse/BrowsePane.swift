import VarveInspection

/// One view of the store: a list of rows, of which one is selected. A value: it asks for what it lacks, and
/// takes what comes.
protocol BrowsePane: Sendable {
    /// Its part of the path in the title.
    var title: String { get }
    var rowCount: Int { get }
    var list: ListPosition { get set }
    /// Whether it is a text to read, in which no row is selected.
    var isText: Bool { get }
    /// The transaction whose state it shows; nil where that does not matter.
    var moment: TransactionID? { get }
    /// What keys do here, the most important first.
    var actions: [BrowseAction] { get }
    /// Shown where there are no rows.
    var emptyText: String { get }

    /// What it lacks to show these rows.
    func requests(for rows: Range<Int>) -> [BrowseRequest]
    /// Takes a reply to one of its requests, and ignores others.
    mutating func take(_ reply: BrowseReply, to request: BrowseRequest)
    /// Takes the log's new extent; `rewound` is the last transaction that is as it was.
    mutating func take(_ extent: LogExtent, rewoundTo rewound: TransactionID?)
    /// Lays out anew what depends on the width.
    mutating func fit(_ layout: BrowseLayout)

    func titles(_ layout: BrowseLayout) -> StyledText?
    func row(_ row: Int, _ layout: BrowseLayout) -> StyledText
    func target(of row: Int) -> BrowseTarget?
    /// Which of its rows are shown: `41 of 1,204`.
    var position: String { get }

    /// How to search in the store; nil where all rows are known.
    func search(_ text: SearchText, from row: Int, _ direction: SearchDirection) -> BrowseRequest?
    /// The row of what a search in the store found.
    func row(ofFound found: UInt64) -> Int
    /// Rows at which a part begins, in order.
    var sections: [Int] { get }
}

extension BrowsePane {
    var isText: Bool { false }
    var moment: TransactionID? { nil }
    var emptyText: String { "" }
    var sections: [Int] { [] }

    var position: String {
        rowCount == 0
            ? "" : Numerals.grouped(list.selection + 1) + " of " + Numerals.grouped(rowCount)
    }

    func requests(for rows: Range<Int>) -> [BrowseRequest] { [] }
    mutating func take(_ reply: BrowseReply, to request: BrowseRequest) {}
    mutating func take(_ extent: LogExtent, rewoundTo rewound: TransactionID?) {}
    mutating func fit(_ layout: BrowseLayout) {}
    func titles(_ layout: BrowseLayout) -> StyledText? { nil }
    func target(of row: Int) -> BrowseTarget? { nil }
    func search(_ text: SearchText, from row: Int, _ direction: SearchDirection) -> BrowseRequest? {
        nil
    }
    func row(ofFound found: UInt64) -> Int { Int(clamping: found) }
}

/// What enter opens.
enum BrowseTarget: Sendable {
    case transaction(TransactionID)
    case entity(EntityName)
    case entities(type: String)
    case definition(InspectedType)
    /// Values whole, each under a title.
    case values(title: String, [(title: String, value: BrowseValue)])
    /// The rest of what is shown in part.
    case more
}

/// A value that is shown whole.
enum BrowseValue: Sendable {
    case value(InspectedValue)
    case bytes([UInt8])
    case text(String)

    /// Lines of text as they are; every other value as the lists show it.
    var lines: [String] {
        switch self {
        case .value(let value): Self.lines(of: value.stored.content) ?? [ValueText.text(of: value)]
        case .text(let text): Self.lines(of: text)
        case .bytes(let bytes):
            String(validating: bytes, as: UTF8.self).map(Self.lines) ?? [ValueText.data(bytes)]
        }
    }

    private static func lines(of content: StoredContent) -> [String]? {
        switch content {
        case .string(let text): lines(of: text)
        case .optional(let wrapped?): lines(of: wrapped)
        default: nil
        }
    }

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

/// Where a list is: the selected row, and the first one on the screen.
struct ListPosition: Hashable, Sendable {
    var selection = 0
    var top = 0

    /// Selects a row, and scrolls as little as shows it.
    mutating func select(_ row: Int, count: Int, height: Int) {
        selection = max(0, min(row, count - 1))
        top = min(top, selection)
        top = max(top, selection - max(height, 1) + 1)
        // No empty rows below the last one.
        top = max(0, min(top, count - height))
    }

    /// Shows other rows, with the selection among them.
    mutating func scroll(to first: Int, count: Int, height: Int) {
        top = max(0, min(first, count - height))
        selection = max(top, min(selection, top + height - 1, count - 1))
    }

    func visible(count: Int, height: Int) -> Range<Int> {
        min(top, count)..<min(top + height, count)
    }
}

/// What rows are laid out for.
struct BrowseLayout: Sendable {
    var width: Int
    var now: Moment
    /// Columns that are scrolled out on the left.
    var shift = 0
    var zone = ReaderZone.utc

    /// With how far the zone is from UTC.
    func zonedTime(_ moment: Moment) -> String { time(moment) + " " + zone.clock(moment).offset }

    /// Without seconds where room is scarce.
    func time(_ moment: Moment) -> String {
        let text = zone.clock(moment).time
        return width < 100 && text.count == 19 ? String(text.dropLast(3)) : text
    }

    func age(_ moment: Moment) -> String { Age(of: moment, at: now).abbreviation }
}

extension StyledText {
    /// Cut or filled up to so many columns.
    func cell(_ width: Int, alignsRight: Bool = false) -> StyledText {
        let cut = shortened(to: width)
        let padding = StyledText(String(repeating: " ", count: max(0, width - cut.width)))
        return alignsRight ? padding + cut : cut + padding
    }

    /// Cells with a gap between them. Those without a width take none.
    static func joined(_ cells: [StyledText]) -> StyledText {
        var line = StyledText()
        for (position, cell) in cells.enumerated() {
            if position > 0 { line += StyledText("  ") }
            line += cell
        }
        return line
    }
}
