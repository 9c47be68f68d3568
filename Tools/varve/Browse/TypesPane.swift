import VarveInspection

/// The types of a state: how many entities, how many bytes.
struct TypesPane: BrowsePane {
    private static let barWidth = 20
    private static let numberWidths = [9, 9, 11, 8, 10]

    var moment: TransactionID?
    var list = ListPosition()
    let actions: [BrowseAction] = [.open, .back, .definition, .search, .reload, .help]
    private var types: [TypeUsage]?
    private var problem: String?

    init(at moment: TransactionID) { self.moment = moment }

    let title = "types"
    var rowCount: Int { types?.count ?? 0 }
    var emptyText: String { problem ?? (types == nil ? "…" : "the store has no types") }

    func definition(of row: Int) -> InspectedType? {
        types.flatMap { $0.indices.contains(row) ? $0[row].type : nil }
    }

    func requests(for rows: Range<Int>) -> [BrowseRequest] {
        guard types == nil, problem == nil, let moment else { return [] }
        return [.types(at: moment)]
    }

    mutating func take(_ reply: BrowseReply, to request: BrowseRequest) {
        guard let moment, request == .types(at: moment) else { return }
        switch reply {
        case .types(let types): self.types = types
        case .failed(let reason): problem = reason
        default: break
        }
    }

    func target(of row: Int) -> BrowseTarget? {
        definition(of: row).map { .entities(type: $0.name) }
    }

    // MARK: Rows

    private func cells(
        _ layout: BrowseLayout, _ name: StyledText, _ numbers: [StyledText], _ bar: StyledText,
        _ rest: StyledText
    ) -> StyledText {
        let isWide = layout.width >= 120
        let names = [4] + (types ?? []).map { StyledText($0.type.name).width }
        let room = layout.width - Self.numberWidths.reduce(0) { $0 + $1 + 2 }
        let nameWidth = max(8, min(names.max() ?? 0, isWide ? layout.width / 3 : room))
        let numbers = zip(numbers, Self.numberWidths).map { $0.cell($1, alignsRight: true) }
        let wide = isWide ? [bar.cell(Self.barWidth), rest] : []
        return StyledText.joined([name.cell(nameWidth)] + numbers + wide)
    }

    func titles(_ layout: BrowseLayout) -> StyledText? {
        cells(
            layout, StyledText("TYPE"),
            ["LIVE", "DELETED", "BYTES", "FIELDS", "RELATIONS"].map { StyledText($0) },
            StyledText("SHARE OF BYTES"), StyledText("ID"))
    }

    func row(_ row: Int, _ layout: BrowseLayout) -> StyledText {
        guard let types else { return StyledText() }
        let usage = types[row]
        let total = types.reduce(0) { $0 + $1.bytes.rawValue }
        let share = total == 0 ? 0 : Double(usage.bytes.rawValue) / Double(total)
        let blocks = Int((share * Double(Self.barWidth)).rounded())
        // What is there is seen, and is not the same as a block.
        let bar =
            blocks > 0 ? String(repeating: "█", count: blocks) : usage.bytes > .zero ? "▏" : ""
        return cells(
            layout, StyledText(usage.type.name, .heading),
            [
                StyledText(Numerals.grouped(usage.live)),
                StyledText(Numerals.grouped(usage.deleted), usage.deleted == 0 ? .faint : .removed),
                StyledText(Numerals.size(usage.bytes)),
                StyledText(Numerals.grouped(usage.type.fields.count), .faint),
                StyledText(Numerals.grouped(usage.type.relations.count), .faint),
            ], StyledText(bar, .changed), StyledText(usage.type.idType, .faint))
    }
}
