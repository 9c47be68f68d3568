internal import VarveTables
internal import VarveText

/// Reads the files of an import line by line, and gives them to the work.
struct ImportReading {
    let work: ImportWork
    /// Called now and then with the number of lines that were read.
    let progress: (Int) -> Void

    private static let progressLines = 4_096

    func read(_ sources: [ImportSource]) throws(ExchangeError) {
        var count = 0
        for source in sources {
            work.begin(file: source.file.path)
            switch source.form {
            case .jsonLines: try readLines(source, &count)
            case .csv: try readRecords(source, &count)
            case .links(let type, let relation):
                try readLinks(source, type, relation, &count)
            }
        }
        progress(count)
    }

    private func note(_ count: inout Int) {
        count += 1
        if count.isMultiple(of: Self.progressLines) { progress(count) }
    }

    // MARK: JSON lines

    private func readLines(
        _ source: ImportSource, _ count: inout Int
    ) throws(ExchangeError) {
        var held = source.first
        while true {
            let next = if let held { held } else { try source.file.nextLine() }
            held = nil
            guard let line = next else { return }
            note(&count)
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            let columnOf = { (offset: Int) in
                String(decoding: line.prefix(offset), as: UTF8.self).count + 1
            }
            let parsed: ImportedLine
            do throws(ExchangeProblem) {
                let node = try JSONNode.parse(line)
                // Exports may be written one behind the other.
                if node[StoreExport.header.key]?.text == StoreExport.header.value { continue }
                parsed = try ImportedLine(node, type: source.type)
            } catch {
                work.refuse(error, line: source.file.line, columnOf: columnOf)
                continue
            }
            try work.take(parsed, number: source.file.line, columnOf: columnOf)
        }
    }

    // MARK: Comma-separated values

    private func readRecords(
        _ source: ImportSource, _ count: inout Int
    ) throws(ExchangeError) {
        guard let titles = try source.file.nextTitles() else { return }
        let type = try self.type(source)
        let columns = try columns(titles, of: type, source)
        guard columns.contains(.id) else {
            throw .file(path: source.file.path, reason: "there is no column 'id'")
        }
        while let cells = try source.file.nextRecord() {
            note(&count)
            if cells.count == 1, cells[0] == nil, columns.count > 1 { continue }
            let line: ImportedLine
            do throws(ExchangeProblem) {
                guard cells.count == columns.count else {
                    throw ExchangeProblem(
                        "the line has \(cells.count.counted("cell")) for \(columns.count.counted("column"))",
                        at: min(cells.count, columns.count) - 1)
                }
                line = try self.line(cells, columns, type)
            } catch {
                work.refuse(error, line: source.file.line) { $0 + 1 }
                continue
            }
            try work.take(line, number: source.file.line) { $0 + 1 }
        }
    }

    private func type(_ source: ImportSource) throws(ExchangeError) -> ImportedType {
        if let type = source.type.flatMap({ work.types[$0] }) { return type }
        if work.types.count == 1, let only = work.types.values.first { return only }
        throw .noType(path: source.file.path, known: work.types.keys.sorted())
    }

    private func columns(
        _ titles: [String], of type: ImportedType, _ source: ImportSource
    ) throws(ExchangeError) -> [CSVLayout.Role] {
        let layout = CSVLayout(StoreSchema(work.state.catalog.definitions).types)
        let known = layout.files[type.table].columns
        var roles: [CSVLayout.Role] = []
        for title in titles {
            if title == CSVLayout.stateColumn {
                roles.append(.state)
            } else if let column = known.first(where: { $0.name == title }) {
                roles.append(column.role)
            } else if let relation = type.relation(title) {
                roles.append(.relation(relation))
            } else {
                throw .file(
                    path: source.file.path,
                    reason: "line \(source.file.line), column \(roles.count + 1): "
                        + type.problem(title, at: 0).reason)
            }
        }
        return roles
    }

    private func line(
        _ cells: [String?], _ columns: [CSVLayout.Role], _ type: ImportedType
    ) throws(ExchangeProblem) -> ImportedLine {
        var id = ImportedCell.text(nil, 0)
        var state = ExportedEntity.State.live
        var values: [(name: String, cell: ImportedCell)] = []
        var links: [(name: String, targets: [ImportedCell], offset: Int)] = []
        for (number, (text, role)) in zip(cells, columns).enumerated() {
            let cell = ImportedCell.text(text, number)
            switch role {
            case .id: id = cell
            case .state: state = try Self.state(text, number)
            case .field(let position):
                values.append((type.definition.fields[position].name, cell))
            case .relation(let position):
                let relation = type.definition.relations[position]
                let targets = try Self.targets(text, number, isToMany: relation.isToMany)
                links.append((relation.name, targets, number))
            }
        }
        return ImportedLine(
            type: type.definition.name, id: id, state: state, values: values, links: links)
    }

    private static func state(
        _ text: String?, _ number: Int
    ) throws(ExchangeProblem) -> ExportedEntity.State {
        guard let text else { return .live }
        guard let state = ExportedEntity.State(rawValue: text) else {
            throw ExchangeProblem("a state is live, deleted, gone or awaited", at: number)
        }
        return state
    }

    /// Of a relation to one the cell is an id, of one to many a JSON array.
    private static func targets(
        _ text: String?, _ number: Int, isToMany: Bool
    ) throws(ExchangeProblem) -> [ImportedCell] {
        guard let text else { return [] }
        guard isToMany else { return [.text(text, number)] }
        guard let elements = (try? JSONNode.parse(Array(text.utf8)))?.elements else {
            throw ExchangeProblem("expected a JSON array of ids", at: number)
        }
        return elements.map { element in
            // Errors name the cell.
            .json(JSONNode(content: element.content, place: number..<number + 1))
        }
    }

    private func readLinks(
        _ source: ImportSource, _ typeName: String, _ relation: String, _ count: inout Int
    ) throws(ExchangeError) {
        guard let titles = try source.file.nextRecord() else { return }
        let expected = CSVLayout.linkColumns.map { Optional($0) }
        guard let type = work.types[typeName], let position = type.relation(relation),
            titles == expected || titles == expected + [CSVLayout.stateColumn]
        else {
            throw .file(
                path: source.file.path,
                reason: "line 1: the columns of a relation are "
                    + CSVLayout.linkColumns.joined(separator: ", "))
        }
        while let cells = try source.file.nextRecord() {
            note(&count)
            let line = source.file.line
            guard cells.count == titles.count, let place = cells[1].flatMap({ Int($0) }) else {
                work.refuse(
                    ExchangeProblem("expected an id, a number and an id", at: 0), line: line
                ) { $0 + 1 }
                continue
            }
            work.takeLink(
                (.text(cells[0], 0), place, .text(cells[2], 2)), of: type, position,
                isOfTombstone: cells.count > 3
                    && cells[3] == ExportedEntity.State.deleted.rawValue, line: line)
        }
    }
}
