import VarveInspection

/// The entities of a type as a table: ids, and as many fields as there is room for. Pages come when they are
/// looked at, and only some are kept.
struct EntitiesPane: BrowsePane {
    private static let pagesMax = 16

    private(set) var collection: EntityCollection
    var list = ListPosition()
    let actions: [BrowseAction] = [
        .open, .back, .search, .tombstones, .definition, .right, .reload, .help,
    ]
    private(set) var type: InspectedType?
    private var count: Int?
    private var pages: [Int: [EntityPage.Row]] = [:]
    private var problem: String?

    /// - Parameter type: the definition, where it is known already.
    init(_ collection: EntityCollection, _ type: InspectedType? = nil) {
        self.collection = collection
        self.type = type
    }

    var moment: TransactionID? { collection.moment }
    var title: String { collection.type + (collection.selection == .deleted ? ", deleted" : "") }
    var rowCount: Int { count ?? 0 }

    var emptyText: String {
        if let problem { return problem }
        guard count != nil else { return "…" }
        return collection.selection == .live
            ? "no entities; x shows deleted ones" : "no deleted entities that can be restored"
    }

    /// Live entities instead of tombstones, or the other way round.
    mutating func toggleTombstones() {
        var other = collection
        other.selection = collection.selection == .live ? .deleted : .live
        self = EntitiesPane(other, type)
    }

    mutating func move(to moment: TransactionID) {
        var other = collection
        other.moment = moment
        let former = list
        self = EntitiesPane(other, type)
        list = former
    }

    func name(of row: Int) -> EntityName? { known(row)?.name }

    private func known(_ row: Int) -> EntityPage.Row? {
        guard let page = pages[row / EntityCollection.pageLength] else { return nil }
        let position = row % EntityCollection.pageLength
        return page.indices.contains(position) ? page[position] : nil
    }

    // MARK: Reading

    func requests(for rows: Range<Int>) -> [BrowseRequest] {
        guard problem == nil else { return [] }
        guard count != nil else {
            return [.entities(collection, page: list.selection / EntityCollection.pageLength)]
        }
        guard !rows.isEmpty else { return [] }
        let length = EntityCollection.pageLength
        return (rows.lowerBound / length...(rows.upperBound - 1) / length)
            .filter { pages[$0] == nil }.map { .entities(collection, page: $0) }
    }

    mutating func take(_ reply: BrowseReply, to request: BrowseRequest) {
        guard case .entities(let asked, let number) = request, asked == collection else { return }
        switch reply {
        case .entities(let page):
            type = page.type
            count = page.count
            pages[number] = page.rows
            while pages.count > Self.pagesMax,
                let farthest = pages.keys.max(by: { abs($0 - number) < abs($1 - number) })
            {
                pages[farthest] = nil
            }
        case .failed(let reason): problem = reason
        default: break
        }
    }

    func search(_ text: SearchText, from row: Int, _ direction: SearchDirection) -> BrowseRequest? {
        guard row >= 0, row < count ?? .max else { return nil }
        return .findEntity(text, collection, from: row, direction)
    }

    func target(of row: Int) -> BrowseTarget? { name(of: row).map { .entity($0) } }

    // MARK: Rows

    func titles(_ layout: BrowseLayout) -> StyledText? {
        guard let type else { return nil }
        let widths = widths(layout)
        return StyledText.joined(
            zip(["ID"] + type.fields.map(\.name), widths).map { StyledText($0).cell($1) })
    }

    func row(_ row: Int, _ layout: BrowseLayout) -> StyledText {
        guard let known = known(row) else { return StyledText("…", .faint) }
        let widths = widths(layout)
        let id = StyledText(ValueText.cell(of: known.name.id), .identifier).cell(widths[0])
        return StyledText.joined(
            [id] + zip(known.cells, widths.dropFirst()).map { StyledText($0).cell($1) })
    }

    /// Of the id and of each field: what the rows on the screen need, none of them more than a part of it.
    private func widths(_ layout: BrowseLayout) -> [Int] {
        let rows = list.visible(count: rowCount, height: 60).compactMap { known($0) }
        let most = max(12, layout.width / 3)
        let id = rows.map { StyledText(ValueText.cell(of: $0.name.id)).width }.max() ?? 0
        let fields = (type?.fields ?? []).enumerated().map { index, field in
            let cells = rows.map { index < $0.cells.count ? StyledText($0.cells[index]).width : 0 }
            return min(max(StyledText(field.name).width, cells.max() ?? 0), most)
        }
        return [max(2, min(id, most))] + fields
    }
}
