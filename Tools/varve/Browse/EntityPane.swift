import VarveInspection

/// One entity: its fields, each with the transaction that gave it its value; its links; its versions.
struct EntityPane: BrowsePane {
    private enum Row: Sendable {
        case headline, facts, blank
        case section(String, titles: [String])
        case field(Int)
        /// The link at a position of a relation.
        case link(Int, Int)
        /// The relations without links.
        case unlinked([String])
        case version(Int)
        case dropped(DroppedVersions)
        case note(String)
    }

    let name: EntityName
    private(set) var moment: TransactionID?
    var list = ListPosition()
    let actions: [BrowseAction] = [
        .open, .back, .nextSection, .next, .previous, .search, .definition, .reload, .help,
    ]

    private var details: EntityDetails?
    private var problem: String?
    private var rows: [Row] = []
    private(set) var sections: [Int] = []
    private var widestValue = 0
    /// The version to select when the history is there.
    private var transaction: TransactionID?

    /// - Parameter transaction: the one from which the entity was opened; its version is selected.
    init(_ name: EntityName, at moment: TransactionID, from transaction: TransactionID? = nil) {
        self.name = name
        self.moment = moment
        self.transaction = transaction
    }

    var title: String { ValueText.text(of: name) }
    var rowCount: Int { rows.count }
    var type: InspectedType? { details?.type }
    var emptyText: String { problem ?? "…" }

    var position: String {
        guard let versions = details?.history?.versions, !versions.isEmpty else { return "" }
        return Numerals.counted(versions.count, "version")
    }

    // MARK: Reading

    func requests(for rows: Range<Int>) -> [BrowseRequest] {
        guard details == nil, problem == nil, let moment else { return [] }
        return [.entity(name, at: moment)]
    }

    mutating func take(_ reply: BrowseReply, to request: BrowseRequest) {
        guard let moment, request == .entity(name, at: moment) else { return }
        switch reply {
        case .entity(let details):
            self.details = details
            layOut(details)
        case .failed(let reason): problem = reason
        default: break
        }
    }

    /// Shows the same entity in another state.
    mutating func move(to moment: TransactionID) {
        self = EntityPane(name, at: moment)
    }

    private mutating func layOut(_ details: EntityDetails) {
        rows = [.headline, .facts]
        if let problem = details.problem { rows.append(.note(problem)) }
        begin("FIELDS", ["VALUE", "SET BY"])
        let fields = details.entity?.fields ?? details.history?.fields ?? []
        widestValue = fields.map { StyledText(ValueText.text(of: $0.value)).width }.max() ?? 0
        rows += fields.isEmpty ? [.note("none are kept")] : fields.indices.map { .field($0) }
        if let links = details.entity?.links, !links.isEmpty {
            begin("LINKS", [])
            for (relation, link) in links.enumerated() {
                rows += link.targets.indices.map { .link(relation, $0) }
            }
            let unlinked = links.filter(\.targets.isEmpty).map(\.relation)
            if !unlinked.isEmpty { rows.append(.unlinked(unlinked)) }
        }
        guard let history = details.history else { return }
        begin("HISTORY", [])
        let first = rows.count
        rows += history.versions.indices.map { .version($0) }
        if let dropped = history.dropped { rows.append(.dropped(dropped)) }
        let isOpenedFrom = { (version: InspectedVersion) in version.transaction == transaction }
        if let version = history.versions.firstIndex(where: isOpenedFrom), version > 0 {
            list.selection = first + version
        }
    }

    private mutating func begin(_ section: String, _ titles: [String]) {
        rows.append(.blank)
        sections.append(rows.count)
        rows.append(.section(section, titles: titles))
    }

    // MARK: Rows

    func row(_ row: Int, _ layout: BrowseLayout) -> StyledText {
        guard let details, rows.indices.contains(row) else { return StyledText() }
        switch rows[row] {
        case .headline: return headline(details)
        case .facts: return facts(details, layout)
        case .blank: return StyledText()
        case .section(let name, let titles): return section(name, titles, details, layout)
        case .field(let index): return field(index, details, layout)
        case .link(let relation, let position): return link(relation, position, details, layout)
        case .unlinked(let relations):
            return StyledText("  none: " + relations.joined(separator: ", "), .faint)
        case .version(let index):
            return details.history.map { version($0.versions[index], layout) } ?? StyledText()
        case .dropped(let dropped):
            return StyledText("  \(dropped)", .faint)
        case .note(let text): return StyledText("  " + text, .removed)
        }
    }

    private func headline(_ details: EntityDetails) -> StyledText {
        let state =
            details.entity.map { $0.isDeleted ? "  deleted, can be restored" : "" }
            ?? "  gone for good"
        return StyledText(ValueText.text(of: name), .heading) + StyledText(state, .removed)
    }

    private func facts(_ details: EntityDetails, _ layout: BrowseLayout) -> StyledText {
        guard let entity = details.entity else { return StyledText() }
        let verb = entity.isDeleted ? "deleted" : "last changed"
        return StyledText("  \(verb) by ", .faint)
            + StyledText("\(entity.transaction)", .identifier)
            + StyledText(
                ", \(layout.zonedTime(entity.updatedAt)), "
                    + Age(of: entity.updatedAt, at: layout.now).phrase, .faint)
    }

    private func section(
        _ name: String, _ titles: [String], _ details: EntityDetails, _ layout: BrowseLayout
    ) -> StyledText {
        guard titles.count == 2 else { return StyledText(name, .changed) }
        let columns = columns(details, layout)
        return StyledText.joined([
            StyledText(name, .changed).cell(columns.name),
            StyledText(titles[0], .faint).cell(columns.value), StyledText(titles[1], .faint),
        ])
    }

    private func field(_ index: Int, _ details: EntityDetails, _ layout: BrowseLayout) -> StyledText
    {
        let fields = details.entity?.fields ?? details.history?.fields ?? []
        let field = fields[index]
        let columns = columns(details, layout)
        let blamed = details.blame?.fields.first { $0.name == field.name }
        return StyledText.joined([
            StyledText("  " + field.name, .faint).cell(columns.name),
            StyledText(ValueText.text(of: field.value)).cell(columns.value),
            source(blamed, details.blame?.dropped, layout),
        ])
    }

    private func source(
        _ field: InspectedBlame.Field?, _ dropped: DroppedVersions?, _ layout: BrowseLayout
    ) -> StyledText {
        guard let version = field?.version else {
            return StyledText(dropped?.oldestKept.map { "before \($0)" } ?? "", .faint)
        }
        var text = StyledText("\(version.transaction)", .identifier)
        text += StyledText("  " + layout.age(version.time), .faint)
        if layout.width >= 120 {
            if version.kind != .write { text += StyledText("  " + version.kind.text, .changed) }
            if let author = version.author { text += StyledText("  " + author) }
            if let label = version.label { text += StyledText("  " + label) }
        }
        return text
    }

    private func columns(_ details: EntityDetails, _ layout: BrowseLayout) -> (
        name: Int, value: Int
    ) {
        let names =
            details.type.fields.map { StyledText($0.name).width }
            + details.type.relations.map { StyledText($0.name).width }
        let name = 2 + min(max(names.max() ?? 0, 6), layout.width < 100 ? 22 : 34)
        let source = layout.width < 120 ? 14 : layout.width / 3
        // No further right than the values reach, so that each is read together with its transaction.
        return (name, max(12, min(widestValue, layout.width - name - source - 4)))
    }

    private func link(
        _ relation: Int, _ position: Int, _ details: EntityDetails, _ layout: BrowseLayout
    ) -> StyledText {
        guard let links = details.entity?.links[relation] else { return StyledText() }
        let name = StyledText(position == 0 ? "  " + links.relation : "", .faint)
        let count = links.targets.count
        let more = position == 0 && count > 1 ? "  first of \(Numerals.grouped(count))" : ""
        let target = ValueText.text(of: links.targets[position])
        return StyledText.joined([
            name.cell(columns(details, layout).name),
            StyledText("→ " + (targetType(of: links, details) ?? "?") + " ", .faint)
                + StyledText(target) + StyledText(more, .faint),
        ])
    }

    private func targetType(of links: InspectedEntity.Links, _ details: EntityDetails) -> String? {
        details.type.relations.first { $0.name == links.relation }?.target
    }

    private func version(_ version: InspectedVersion, _ layout: BrowseLayout) -> StyledText {
        var line = StyledText("\(version.transaction)", .identifier).cell(6, alignsRight: true)
        line += StyledText("  " + layout.age(version.time), .faint).cell(7)
        line += version.change.text.cell(9)
        if version.kind != .write { line += StyledText(" " + version.kind.text, .changed) }
        if let author = version.author { line += StyledText(" " + author) }
        if let label = version.label { line += StyledText(" " + label, .heading) }
        if version.change == .updated {
            line += StyledText("  " + version.changedFields.joined(separator: ", "), .faint)
        }
        return line
    }

    func target(of row: Int) -> BrowseTarget? {
        guard let details, rows.indices.contains(row) else { return nil }
        switch rows[row] {
        case .field(let index):
            return (details.entity?.fields ?? details.history?.fields)?[index].target
        case .link(let relation, let position):
            guard let links = details.entity?.links[relation],
                let type = targetType(of: links, details)
            else { return nil }
            return .entity(EntityName(type: type, id: links.targets[position]))
        case .version(let index):
            return details.history.map { .transaction($0.versions[index].transaction) }
        case .facts: return details.entity.map { .transaction($0.transaction) }
        case .headline, .blank, .section, .unlinked, .dropped, .note: return nil
        }
    }
}

extension InspectedVersion.Change {
    fileprivate var text: StyledText {
        switch self {
        case .inserted: StyledText("inserted", .added)
        case .updated: StyledText("updated", .changed)
        case .deleted: StyledText("deleted", .removed)
        case .deletedWith(let type, let id): StyledText("deleted with \(type) \(id)", .removed)
        case .replaced(let type, let id): StyledText("replaced by \(type) \(id)", .removed)
        case .purged: StyledText("purged", .removed)
        }
    }
}
