import VarveInspection

/// One transaction: what it says of itself, then its events with both sides of each change.
struct TransactionPane: BrowsePane {
    /// How many events are decoded at first, and with each request for more.
    static let eventsStep = 1_000

    let id: TransactionID
    var title: String { "transaction \(id)" }
    var list = ListPosition()
    let actions: [BrowseAction] = [
        .open, .back, .nextSection, .next, .previous, .search, .state, .types, .help,
    ]

    private var transaction: InspectedTransaction?
    private var problem: String?
    private var eventsWanted = Self.eventsStep
    private var facts: [(name: String, text: String)] = []
    /// The row at which each event begins, and the end of the last one.
    private var starts: [Int] = [0]

    init(_ id: TransactionID) { self.id = id }

    var emptyText: String { problem ?? "…" }

    private var factRows: Int { facts.isEmpty ? 0 : facts.count + 2 }
    private var hasMore: Bool { (transaction?.summary.eventCount ?? 0) > eventsWanted }
    var rowCount: Int { transaction == nil ? 0 : factRows + (starts.last ?? 0) + (hasMore ? 1 : 0) }
    var sections: [Int] { starts.dropLast().map { $0 + factRows } }

    var position: String {
        guard let transaction else { return "" }
        return Numerals.counted(transaction.summary.eventCount, "change")
    }

    // MARK: Reading

    private var request: BrowseRequest { .transaction(id, events: 0..<eventsWanted) }

    func requests(for rows: Range<Int>) -> [BrowseRequest] {
        let isKnown = transaction.map { $0.events.count >= eventsWanted || isWhole($0) } ?? false
        return isKnown || problem != nil ? [] : [request]
    }

    /// Events that change nothing are not delivered, so the count tells only with the range.
    private func isWhole(_ transaction: InspectedTransaction) -> Bool {
        eventsRead >= min(eventsWanted, transaction.summary.eventCount)
    }

    private var eventsRead = 0

    mutating func take(_ reply: BrowseReply, to request: BrowseRequest) {
        guard request == self.request else { return }
        switch reply {
        case .transaction(let transaction):
            self.transaction = transaction
            eventsRead = eventsWanted
            facts = Self.facts(of: transaction.summary)
            var end = 0
            starts = [0]
            for event in transaction.events {
                end += EventLines.count(of: event)
                starts.append(end)
            }
        case .failed(let reason): problem = reason
        default: break
        }
    }

    /// Rows are known for a part of a large transaction; the rest comes when it is asked for.
    mutating func wantMore() { eventsWanted += Self.eventsStep }

    private static func facts(of summary: TransactionSummary) -> [(name: String, text: String)] {
        let size =
            "\(Numerals.size(summary.storedBytes)) stored, \(Numerals.size(summary.rawBytes)) raw, "
            + "segment \(summary.location.segment), offset \(summary.location.offset)"
        let given = [
            ("Author", summary.author), ("Scope", summary.scope), ("Group", summary.group),
            ("Undo", summary.isUndoable ? nil : "excluded"),
        ].compactMap { name, text in text.map { (name, $0) } }
        let metadata = summary.metadata.sorted { $0.key < $1.key }.map {
            ("Metadata", "\($0) = \($1)")
        }
        let migrations = summary.migrations.map { ("Migration", $0) }
        return [("Time", "")] + given + migrations + metadata + [("Size", size)]
    }

    // MARK: Rows

    func row(_ row: Int, _ layout: BrowseLayout) -> StyledText {
        guard let transaction else { return StyledText() }
        if row == 0 { return headline(transaction.summary) }
        if row <= facts.count { return fact(row - 1, transaction.summary, layout) }
        if row < factRows { return StyledText() }
        guard let (event, line) = event(at: row) else {
            let rest = transaction.summary.eventCount - eventsWanted
            return StyledText(
                "\(Numerals.counted(rest, "more change")): Enter reads the next "
                    + Numerals.grouped(min(rest, Self.eventsStep)), .changed)
        }
        let width = layout.shift == 0 ? layout.width : nil
        let lines = EventLines(width: width).lines(of: transaction.events[event])
        return line < lines.count ? lines[line] : StyledText()
    }

    private func headline(_ summary: TransactionSummary) -> StyledText {
        var line = StyledText("\(summary.id)", .identifier)
        if summary.kind != .write { line += StyledText("  " + summary.kind.text, .changed) }
        return line + StyledText("  " + (summary.label ?? "without a label"), .heading)
    }

    private func fact(_ index: Int, _ summary: TransactionSummary, _ layout: BrowseLayout)
        -> StyledText
    {
        let (name, text) = facts[index]
        let value =
            index == 0
            ? layout.zonedTime(summary.time) + ", " + Age(of: summary.time, at: layout.now).phrase
            : text
        return StyledText("  " + name, .faint).cell(12) + StyledText(value)
    }

    /// The event that a row is of, and its line in it.
    private func event(at row: Int) -> (event: Int, line: Int)? {
        let offset = row - factRows
        guard offset >= 0, offset < starts.last ?? 0 else { return nil }
        var (low, high) = (0, starts.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return (low, offset - starts[low])
    }

    func target(of row: Int) -> BrowseTarget? {
        guard let transaction else { return nil }
        guard row >= factRows else { return target(ofFact: row, transaction.summary) }
        guard let (position, line) = event(at: row) else { return .more }
        return transaction.events[position].target(ofLine: line)
    }

    /// From an undo to what it undoes; else what does not fit, whole.
    private func target(ofFact row: Int, _ summary: TransactionSummary) -> BrowseTarget? {
        if row == 0 {
            return summary.kind.target.map { .transaction($0) }
                ?? summary.label.map { .values(title: "label", [("", .text($0))]) }
        }
        guard row <= facts.count, !facts[row - 1].text.isEmpty else { return nil }
        let (name, text) = facts[row - 1]
        return .values(title: name.lowercased(), [("", .text(text))])
    }
}

extension InspectedEvent {
    /// The entity of the event, or the value that one of its lines shows in part.
    fileprivate func target(ofLine line: Int) -> BrowseTarget? {
        switch self {
        case .define(let type): .definition(type)
        case .insert(let insertion):
            line == 0 ? .entity(insertion.entity) : insertion.fields[line - 1].target
        case .update(let update):
            line == 0 ? .entity(update.entity) : update.changes[line - 1].target
        case .delete(let deletion):
            line == 0 || line > deletion.fields.count
                ? .entity(deletion.entity) : deletion.fields[line - 1].target
        case .link(let link): .entity(link.parent)
        case .purge(let entities): line < entities.count ? .entity(entities[line]) : nil
        case .unknown: nil
        }
    }
}

extension InspectedField {
    var target: BrowseTarget { .values(title: name, [("", .value(value))]) }
}

extension InspectedEvent.FieldChange {
    fileprivate var target: BrowseTarget {
        switch content {
        case .values(let old, let new):
            .values(title: name, [("before", .value(old)), ("after", .value(new))])
        case .splice(let splice):
            .values(
                title: name,
                [
                    ("before, from byte \(splice.prefix.rawValue) on", .bytes(splice.old)),
                    ("after", .bytes(splice.new)),
                ])
        }
    }
}
