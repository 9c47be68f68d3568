internal import VarveTables

extension ImportWork {
    // MARK: Lists of a line

    /// The lists that a line gives, by position of the relation.
    private func lists(
        of line: ImportedLine, _ type: ImportedType
    ) throws(ExchangeProblem) -> [(relation: Int, slots: [UInt32], offset: Int)] {
        var lists: [(relation: Int, slots: [UInt32], offset: Int)] = []
        func add(
            _ position: Int, _ targets: [ImportedCell], _ offset: Int
        ) throws(ExchangeProblem) {
            let relation = type.definition.relations[position]
            guard !lists.contains(where: { $0.relation == position }) else {
                throw ImportedLinks.Fault.givenBefore.problem(of: relation, at: offset)
            }
            guard let target = state.catalog.definition(of: relation.target) else { return }
            guard relation.isToMany || targets.count < 2 else {
                throw ExchangeProblem("'\(relation.name)' leads to one", at: offset)
            }
            var slots: [UInt32] = []
            for cell in targets { slots.append(try place(of: cell, target).slot) }
            lists.append((position, slots, offset))
        }
        for (name, targets, offset) in line.links {
            guard let position = type.relation(name) else {
                throw type.problem(name, at: offset)
            }
            try add(position, targets, offset)
        }
        for (name, cell) in line.values where type.field(name) == nil {
            guard let position = type.relation(name) else { continue }
            try add(position, Self.targets(cell), cell.offset)
        }
        return lists
    }

    private static func targets(_ cell: ImportedCell) -> [ImportedCell] {
        switch cell {
        case .json(let node): ImportedLine.targets(node)
        case .text(let text, _): text == nil ? [] : [cell]
        }
    }

    func takeLinks(
        _ line: ImportedLine, _ type: ImportedType, _ place: EntityPlace,
        _ origin: (Int) -> ImportOrigin
    ) throws(ExchangeProblem) {
        for (relation, slots, offset) in try lists(of: line, type) {
            let fault = links[type.table][relation].give(
                slots, of: place.slot, at: origin(offset))
            if let fault {
                throw fault.problem(of: type.definition.relations[relation], at: offset)
            }
        }
    }

    /// The lists that a tombstone keeps.
    func keptLists(
        of line: ImportedLine, _ type: ImportedType
    ) throws(ExchangeProblem) -> [(relation: Int, entities: [EntityPlace])] {
        try lists(of: line, type).filter { !$0.slots.isEmpty }
            .sorted { $0.relation < $1.relation }
            .map { list in
                let target = Int(type.definition.relations[list.relation].target.rawValue) - 1
                return (
                    list.relation,
                    list.slots.map { EntityPlace(table: target, slot: $0) }
                )
            }
    }

    /// Whether a tombstone keeps these lists already.
    func isSame(
        _ lists: [(relation: Int, entities: [EntityPlace])], _ type: ImportedType,
        _ place: EntityPlace
    ) -> Bool {
        let kept = state.keptLists(of: type.definition.number, at: Slot(place.slot))
        return kept.count == lists.count
            && lists.allSatisfy { list in
                let number = type.definition.relations[list.relation].number
                return kept.first { $0.relation == number }?.slots.map(\.rawValue)
                    == list.entities.map(\.slot)
            }
    }

    // MARK: Files of relations

    /// Takes a row of a relation's file.
    func takeLink(
        _ cells: (holder: ImportedCell, position: Int, target: ImportedCell),
        of type: ImportedType, _ relation: Int, isOfTombstone: Bool, line: Int
    ) {
        do throws(ExchangeProblem) {
            let number = type.definition.relations[relation].target
            guard let target = state.catalog.definition(of: number) else { return }
            linkRows.append(
                LinkRow(
                    holder: try place(of: cells.holder, type.definition), relation: relation,
                    position: cells.position, target: try place(of: cells.target, target).slot,
                    isOfTombstone: isOfTombstone, origin: origin(line, 1)))
        } catch {
            refuse(error, line: line) { $0 + 1 }
        }
    }

    /// Makes lists of the rows, in the order of their positions.
    func gatherLinkRows() {
        let groups = Dictionary(grouping: linkRows.indices) { index in
            ListKey(place: linkRows[index].holder, relation: linkRows[index].relation)
        }
        var kept: [EntityPlace: [(relation: Int, entities: [EntityPlace])]] = [:]
        var holders: [EntityPlace] = []
        for (key, indexes) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
            let rows = indexes.map { linkRows[$0] }.enumerated().sorted {
                ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
            }.map(\.element)
            let own = rows.filter { !$0.isOfTombstone }.map(\.target)
            if !own.isEmpty {
                let fault = links[key.place.table][key.relation].give(
                    own, of: key.place.slot, at: rows[0].origin)
                if let fault {
                    refuse(fault.problem(of: relation(key), at: 0), at: rows[0].origin)
                }
            }
            let others = rows.filter(\.isOfTombstone).map(\.target)
            guard !others.isEmpty else { continue }
            let target = relation(key).target.rawValue
            if kept[key.place] == nil { holders.append(key.place) }
            kept[key.place, default: []].append(
                (
                    key.relation,
                    others.map { EntityPlace(table: Int(target) - 1, slot: $0) }
                ))
        }
        linkRows = []
        for holder in holders { keep(kept[holder] ?? [], of: holder) }
    }

    private func keep(
        _ lists: [(relation: Int, entities: [EntityPlace])], of place: EntityPlace
    ) {
        let definition = draft.definition(ofTable: place.table)
        guard draft.presence(of: place) == .tombstone, let type = types[definition.name] else {
            return
        }
        // Those of relations to one came with the tombstone itself.
        let known = state.keptLists(of: definition.number, at: Slot(place.slot))
            .compactMap { list -> (relation: Int, entities: [EntityPlace])? in
                guard let position = definition.position(of: list.relation),
                    !lists.contains(where: { $0.relation == position })
                else { return nil }
                let target = Int(definition.relations[position].target.rawValue) - 1
                return (position, list.slots.map { EntityPlace(table: target, slot: $0.rawValue) })
            }
        let sorted = (known + lists).sorted { $0.relation < $1.relation }
        guard !isSame(sorted, type, place) else { return }
        do {
            var row = ByteWriter()
            try draft.writeRow(of: place, into: &row)
            try set(place, row.copyBytes(), draft.stamps(of: place).ordinal, sorted)
        } catch {
            report.refuse(
                ImportReport.Refusal(file: fileName, line: 1, column: 1, reason: "\(error)"))
        }
    }

    private struct ListKey: Hashable {
        let place: EntityPlace
        let relation: Int
    }

    private func relation(_ key: ListKey) -> RelationDefinition {
        draft.definition(ofTable: key.place.table).relations[key.relation]
    }
}
