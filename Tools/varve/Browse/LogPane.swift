import VarveInspection

/// The transactions, newest first. Row 0 is the newest; pages of the log come when they are looked at, and only
/// some are kept.
struct LogPane: BrowsePane {
    private static let pagesMax = 64

    let title = "log"
    var list = ListPosition()
    let actions: [BrowseAction] = [.open, .back, .search, .types, .state, .goTo, .help]
    let emptyText = "no transactions"

    private(set) var extent: LogExtent
    private var pages: [LogPage: [TransactionID: TransactionSummary]] = [:]
    /// Why transactions of a page are missing.
    private var problems: [LogPage: String] = [:]
    /// Lost for good, in a damaged store.
    var lost: [ClosedRange<TransactionID>] = []
    // What the widest of those that were read need. Columns are there as soon as anything was in them, and stay.
    private var widest = (label: 0, author: 0, scope: 0)

    init(_ extent: LogExtent) { self.extent = extent }

    var rowCount: Int { extent.count }

    var position: String {
        guard rowCount > 0 else { return "" }
        return "transaction \(Numerals.grouped(id(of: list.selection).rawValue)) of "
            + Numerals.grouped(extent.last.rawValue)
    }

    func id(of row: Int) -> TransactionID {
        TransactionID(extent.last.rawValue &- UInt64(max(0, row)))
    }

    func row(of id: TransactionID) -> Int {
        Int(clamping: extent.last.rawValue &- min(id, extent.last).rawValue)
    }

    func row(ofFound found: UInt64) -> Int { row(of: TransactionID(found)) }

    func target(of row: Int) -> BrowseTarget? {
        row < rowCount ? .transaction(id(of: row)) : nil
    }

    // MARK: Reading

    func requests(for rows: Range<Int>) -> [BrowseRequest] {
        guard !rows.isEmpty else { return [] }
        var requests: [BrowseRequest] = []
        var page = LogPage(of: id(of: rows.lowerBound))
        let last = LogPage(of: id(of: rows.upperBound - 1))
        while true {
            if !isComplete(page) { requests.append(.log(page: page)) }
            guard page.number > last.number else { return requests }
            page = LogPage(of: TransactionID(page.first.rawValue - 1))
        }
    }

    private func isComplete(_ page: LogPage) -> Bool {
        if problems[page] != nil { return true }
        guard let known = pages[page] else { return false }
        let expected = LogExtent(
            first: max(page.first, extent.first), last: min(page.last, extent.last)
        ).count
        return known.count >= expected
    }

    mutating func take(_ reply: BrowseReply, to request: BrowseRequest) {
        guard case .log(let page) = request else { return }
        switch reply {
        case .log(let transactions, let problem):
            pages[page] = Dictionary(transactions.map { ($0.id, $0) }) { first, _ in first }
            problems[page] = problem
            for transaction in transactions {
                widest.label = max(widest.label, transaction.labelText.width)
                widest.author = max(widest.author, StyledText(transaction.author ?? "").width)
                widest.scope = max(widest.scope, StyledText(transaction.scope ?? "").width)
            }
            forgetFar(from: page)
        case .failed(let reason): problems[page] = reason
        default: break
        }
    }

    private mutating func forgetFar(from page: LogPage) {
        func distance(_ other: LogPage) -> UInt64 {
            max(other.number, page.number) - min(other.number, page.number)
        }
        while pages.count > Self.pagesMax,
            let farthest = pages.keys.max(by: { distance($0) < distance($1) })
        {
            pages[farthest] = nil
        }
    }

    mutating func take(_ extent: LogExtent, rewoundTo rewound: TransactionID?) {
        if let rewound {
            let first = LogPage(of: rewound).number
            pages = pages.filter { $0.key.number < first }
        }
        // Where something could not be read, it is tried again.
        problems = [:]
        let selected = id(of: list.selection)
        let isAtNewest = list.selection == 0 || rowCount == 0
        let grown = Int(clamping: extent.last.rawValue) - Int(clamping: self.extent.last.rawValue)
        self.extent = extent
        // At the newest one, the newest is looked at; elsewhere the place is kept. New rows come into sight
        // where the list begins at the top.
        guard !isAtNewest else { return }
        list.selection = min(row(of: selected), max(0, rowCount - 1))
        if list.top > 0 { list.top = max(0, list.top + grown) }
    }

    func search(_ text: SearchText, from row: Int, _ direction: SearchDirection) -> BrowseRequest? {
        guard row >= 0, row < rowCount else { return nil }
        return .findTransaction(text, from: id(of: row), direction)
    }

    // MARK: Rows

    func titles(_ layout: BrowseLayout) -> StyledText? {
        let columns = columns(layout)
        return StyledText.joined(
            [
                StyledText("ID").cell(columns.id, alignsRight: true),
                StyledText("TIME").cell(columns.time),
            ] + columns.optional(columns.age, StyledText("AGE"), alignsRight: true)
                + [StyledText("LABEL").cell(columns.label)]
                + columns.optional(columns.author, StyledText("AUTHOR"))
                + columns.optional(columns.scope, StyledText("SCOPE"))
                + columns.optional(columns.events, StyledText("CHANGES"))
                + [StyledText("SIZE").cell(columns.size, alignsRight: true)])
    }

    func row(_ row: Int, _ layout: BrowseLayout) -> StyledText {
        let id = id(of: row)
        let columns = columns(layout)
        let number = StyledText("\(id)", .identifier).cell(columns.id, alignsRight: true)
        if lost.contains(where: { $0.contains(id) }) {
            return StyledText.joined([
                number, StyledText("lost: the store is damaged here", .removed),
            ])
        }
        let page = LogPage(of: id)
        guard let transaction = pages[page]?[id] else {
            let problem = problems[page].map { StyledText("cannot be read: " + $0, .removed) }
            return StyledText.joined([number, problem ?? StyledText("…", .faint)])
        }
        return StyledText.joined(
            [number, StyledText(layout.time(transaction.time)).cell(columns.time)]
                + columns.optional(
                    columns.age, StyledText(layout.age(transaction.time), .faint),
                    alignsRight: true)
                + [transaction.labelText.cell(columns.label)]
                + columns.optional(columns.author, StyledText(transaction.author ?? ""))
                + columns.optional(columns.scope, StyledText(transaction.scope ?? "", .faint))
                + columns.optional(columns.events, transaction.eventText)
                + [
                    StyledText(Numerals.size(transaction.storedBytes)).cell(
                        columns.size, alignsRight: true)
                ])
    }

    private func columns(_ layout: BrowseLayout) -> LogColumns {
        LogColumns(width: layout.width, last: extent.last, widest: widest)
    }
}

extension TransactionSummary {
    /// What it is for where that is no edit, and its label.
    var labelText: StyledText {
        var text = kind == .write ? StyledText() : StyledText(kind.text, .changed)
        if let label {
            if !text.isEmpty { text += StyledText("  ") }
            text += StyledText(label)
        }
        return text
    }
}

/// The widths of the log's columns; 0 of one that is left out.
private struct LogColumns {
    let id: Int
    let time: Int
    let size = 11
    let age: Int
    let author: Int
    let scope: Int
    let label: Int
    let events: Int

    private static let gap = 2

    init(width: Int, last: TransactionID, widest: (label: Int, author: Int, scope: Int)) {
        id = max(4, String(last.rawValue).count)
        time = width < 100 ? 16 : 19
        age = width < 90 ? 0 : 4
        let part = width < 100 ? 10 : width < 160 ? 14 : 20
        author = widest.author > 0 ? min(max(widest.author, 6), part) : 0
        scope = widest.scope > 0 && width >= 60 ? min(max(widest.scope, 5), part) : 0
        let taken = [id, time, size, age, author, scope].reduce(0) {
            $0 + ($1 > 0 ? $1 + Self.gap : 0)
        }
        let room = max(8, width - taken)
        // Changes need room to say something.
        guard room >= 50 else {
            (label, events) = (room, 0)
            return
        }
        label = max(12, min(widest.label, room / 2))
        events = room - label - Self.gap
    }

    func optional(
        _ width: Int, _ text: StyledText, alignsRight: Bool = false
    ) -> [StyledText] {
        width > 0 ? [text.cell(width, alignsRight: alignsRight)] : []
    }
}
