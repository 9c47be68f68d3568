import VarveInspection
import VarveTerminal

extension Browser {
    mutating func act(_ action: BrowseAction) {
        switch action {
        case .open: open()
        case .back: if !pop() { perform(.quit) }
        case .down, .up, .pageDown, .pageUp, .first, .last: move(action)
        case .right: shift += max(8, size.columns / 4)
        case .left: shift = max(0, shift - max(8, size.columns / 4))
        case .nextSection: nextSection()
        case .next: neighbour(1)
        case .previous: neighbour(-1)
        case .search: beginPrompt(.search)
        case .searchNext: find(.down)
        case .searchPrevious: find(.up)
        case .goTo: beginPrompt(.goTo)
        case .types: showTypes()
        case .state: showState()
        case .definition: showDefinition()
        case .tombstones: showTombstones()
        case .reload: reload()
        case .problems: showProblems()
        case .help: if pane.title != TextPane.help.title { push(TextPane.help) }
        case .redraw: perform(.redraw)
        case .suspend: perform(.suspend)
        case .quit: perform(.quit)
        }
    }

    // MARK: Moving

    private mutating func move(_ action: BrowseAction) {
        let page = max(1, height - 1)
        let current = pane.isText ? pane.list.top : pane.list.selection
        switch action {
        case .down: select(current + 1)
        case .up: select(current - 1)
        case .pageDown: turn(page)
        case .pageUp: turn(-page)
        case .first: select(0)
        default: select(pane.rowCount - 1)
        }
    }

    /// Moves what is in sight, and the selection with it.
    private mutating func turn(_ rows: Int) {
        let (count, height) = (pane.rowCount, height)
        update { pane in
            let selection = pane.list.selection + rows
            pane.list.scroll(to: pane.list.top + rows, count: count, height: height)
            if !pane.isText { pane.list.select(selection, count: count, height: height) }
        }
    }

    private mutating func nextSection() {
        let sections = pane.sections
        guard let first = sections.first else { return }
        let current = pane.list.selection
        let next = sections.first { $0 > current } ?? first
        let (count, height) = (pane.rowCount, height)
        update { pane in
            pane.list.scroll(to: next, count: count, height: height)
            pane.list.select(next, count: count, height: height)
        }
    }

    /// The one before or behind in the list that this one was opened from.
    private mutating func neighbour(_ step: Int) {
        if let transaction = pane as? TransactionPane {
            let id = TransactionID(
                step > 0 ? transaction.id.rawValue &- 1 : transaction.id.rawValue + 1)
            guard extent.contains(id) else {
                return say(step > 0 ? "this is the oldest one" : "this is the newest one", .faint)
            }
            replace(with: TransactionPane(id))
            return selectInLog(id)
        }
        guard pane is EntityPane, panes.count > 1,
            var list = panes[panes.count - 2] as? EntitiesPane
        else { return say("there is no list to go on in", .faint) }
        let row = list.list.selection + step
        guard let name = list.name(of: row) else {
            return say("this is the end of the list", .faint)
        }
        list.list.select(row, count: list.rowCount, height: height)
        let moment = list.collection.moment
        _ = pop()
        replace(with: list)
        push(EntityPane(name, at: moment))
    }

    // MARK: Opening

    private mutating func open() {
        guard let target = pane.target(of: pane.list.selection) else { return }
        switch target {
        case .transaction(let id):
            guard extent.contains(id) else {
                return say("transaction \(id) is not kept any more", .removed)
            }
            push(TransactionPane(id))
        case .entity(let name):
            let from = (pane as? TransactionPane)?.id
            push(EntityPane(name, at: moment(knowing: from ?? TransactionID(0)), from: from))
        case .entities(let type):
            push(EntitiesPane(EntityCollection(type: type, selection: .live, moment: moment())))
        case .definition(let type): push(TextPane.definition(type))
        case .values(let title, let values): push(TextPane.values(title, values))
        case .more:
            guard var transaction = pane as? TransactionPane else { return }
            transaction.wantMore()
            replace(with: transaction)
        }
    }

    private mutating func showTypes() {
        guard !(pane is TypesPane) else { return }
        push(TypesPane(at: moment()))
    }

    /// The types as of the transaction that is selected, or open.
    private mutating func showState() {
        let id: TransactionID
        if let transaction = pane as? TransactionPane {
            id = transaction.id
        } else if let log = pane as? LogPane, log.rowCount > 0 {
            id = log.id(of: log.list.selection)
        } else if let version = pane.target(of: pane.list.selection),
            case .transaction(let of) = version
        {
            id = of
        } else {
            return say("select a transaction: @ shows the state as of it", .faint)
        }
        push(TypesPane(at: id))
    }

    private mutating func showDefinition() {
        let type =
            (pane as? TypesPane)?.definition(of: pane.list.selection)
            ?? (pane as? EntitiesPane)?.type ?? (pane as? EntityPane)?.type
        guard let type else { return say("no type is selected", .faint) }
        push(TextPane.definition(type))
    }

    private mutating func showTombstones() {
        guard var entities = pane as? EntitiesPane else {
            return say("x shows deleted entities in a list of entities", .faint)
        }
        entities.toggleTombstones()
        replace(with: entities)
    }

    /// The newest state in what is open.
    private mutating func reload() {
        forgetState()
        let newest = extent.last
        guard pane.moment != nil else {
            return say("up to date: transaction \(newest) is the last", .faint)
        }
        if pane is TypesPane { replace(with: TypesPane(at: newest)) }
        if var entity = pane as? EntityPane {
            entity.move(to: newest)
            replace(with: entity)
        }
        if var entities = pane as? EntitiesPane {
            entities.move(to: newest)
            replace(with: entities)
        }
    }

    private mutating func showProblems() {
        guard let damage else { return say("no damage was met so far", .faint) }
        push(TextPane.problems(damage))
    }
}
