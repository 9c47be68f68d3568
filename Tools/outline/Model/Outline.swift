import Foundation
package import Varve

/// An outline in a store: what is shown, and every way to change it.
///
/// Each change is one write. Undo, redo, trash and history are the store's own.
package final class Outline {
    package let store: Store
    /// All items from the top down, as ``reload()`` found them.
    package private(set) var rows: [OutlineRow] = []

    /// Opens the outline at a path, making it where there is none.
    package init(at path: String) throws {
        store = try Store(
            at: URL(fileURLWithPath: path), retention: .everything, OutlineItem.self)
        if store.context.find(OutlineItem.rootID) as OutlineItem? == nil {
            try store.write("New outline", options: WriteOptions(undoable: false)) { context in
                try OutlineItem(id: OutlineItem.rootID, text: "").save(to: &context)
            }
        }
        reload()
    }

    package func close() throws { try store.close() }

    // MARK: - Reading

    func reload() {
        var rows: [OutlineRow] = []
        let context = store.context
        func add(below parent: String, depth: Int) {
            let children = OutlineItem.query(parent).related(\.$children).resolve(in: context)
            for (index, child) in children.enumerated() {
                rows.append(
                    OutlineRow(
                        id: child.id, text: child.text, depth: depth, parentID: parent,
                        index: index))
                add(below: child.id, depth: depth + 1)
            }
        }
        add(below: OutlineItem.rootID, depth: 0)
        self.rows = rows
    }

    func position(of id: String) -> Int? { rows.firstIndex { $0.id == id } }

    func row(_ position: Int) throws -> OutlineRow {
        guard rows.indices.contains(position) else {
            throw OutlineFailure(
                rows.isEmpty
                    ? "the outline is empty: add an item first"
                    : "there is no item \(position + 1); the last is \(rows.count)")
        }
        return rows[position]
    }

    private func children(of id: String) -> [String] {
        OutlineItem.query(id).related(\.$children).resolve(in: store.context).map(\.id)
    }

    // MARK: - Changing

    /// Adds an item behind another one, at its depth; at the end without one. Returns its id.
    @discardableResult
    func add(_ text: String, behind position: Int? = nil) throws -> String {
        let row = try position.map { try self.row($0) }
        let parent = row?.parentID ?? OutlineItem.rootID
        let item = OutlineItem(id: UUID().uuidString, text: text)
        var siblings = children(of: parent)
        siblings.insert(item.id, at: row.map { $0.index + 1 } ?? siblings.count)
        try write("Add \(Self.quoted(text))", coalescing: Self.typing(item.id)) { context in
            try item.save(to: &context)
            try Self.arrange(siblings, below: parent, in: &context)
        }
        return item.id
    }

    /// Gives an item another text. Edits that follow at once become one step.
    func edit(_ position: Int, text: String) throws {
        let id = try row(position).id
        try write("Edit \(Self.quoted(text))", coalescing: Self.typing(id)) { context in
            guard var item = context.find(id) as OutlineItem? else { return }
            item.text = text
            try item.save(to: &context)
        }
    }

    /// Puts an item below the one before it.
    func indent(_ position: Int) throws {
        let row = try row(position)
        let siblings = children(of: row.parentID)
        guard row.index > 0 else { throw OutlineFailure("there is no item to indent it below") }
        let parent = siblings[row.index - 1]
        try relocate(row, "Indent", to: children(of: parent) + [row.id], below: parent)
    }

    /// Puts an item behind the one that it stands below.
    func outdent(_ position: Int) throws {
        let row = try row(position)
        guard let parent = rows.first(where: { $0.id == row.parentID }) else {
            throw OutlineFailure("it stands at the left already")
        }
        var siblings = children(of: parent.parentID)
        siblings.insert(row.id, at: parent.index + 1)
        try relocate(row, "Outdent", to: siblings, below: parent.parentID)
    }

    /// Puts an item, with everything below it, where another one stands; that one and those behind it
    /// follow. One past the last is the end of the outline.
    func move(_ position: Int, to target: Int) throws {
        let row = try row(position)
        if target == rows.count {
            let top = children(of: OutlineItem.rootID).filter { $0 != row.id }
            return try relocate(row, "Move", to: top + [row.id], below: OutlineItem.rootID)
        }
        let other = try self.row(target)
        guard !isInside(other, row) else {
            throw OutlineFailure("an item cannot be moved below itself")
        }
        var siblings = children(of: other.parentID).filter { $0 != row.id }
        let isDownward = other.parentID == row.parentID && other.index > row.index
        guard let index = siblings.firstIndex(of: other.id) else { return }
        siblings.insert(row.id, at: isDownward ? index + 1 : index)
        try relocate(row, "Move", to: siblings, below: other.parentID)
    }

    /// Swaps an item with the one before or behind it at its depth.
    func shift(_ position: Int, by offset: Int) throws {
        let row = try row(position)
        var siblings = children(of: row.parentID)
        let index = row.index + offset
        guard siblings.indices.contains(index) else {
            throw OutlineFailure(
                offset < 0 ? "it is the first of its level" : "it is the last of its level")
        }
        siblings.swapAt(row.index, index)
        try relocate(row, offset < 0 ? "Move up" : "Move down", to: siblings, below: row.parentID)
    }

    /// Moves an item and everything below it to the trash.
    func remove(_ position: Int) throws {
        let row = try row(position)
        try write("Remove \(Self.quoted(row.text))") { context in
            try OutlineItem.delete(id: row.id, from: &context)
        }
    }

    private func isInside(_ inner: OutlineRow, _ outer: OutlineRow) -> Bool {
        var id = inner.id
        while id != outer.id {
            guard let row = rows.first(where: { $0.id == id }) else { return false }
            id = row.parentID
        }
        return true
    }

    private func relocate(
        _ row: OutlineRow, _ verb: String, to siblings: [String], below parent: String
    ) throws {
        try write("\(verb) \(Self.quoted(row.text))") { context in
            try Self.arrange(siblings, below: parent, in: &context)
        }
    }

    private static func arrange(
        _ children: [String], below parent: String, in context: inout Context
    ) throws {
        guard var item = context.find(parent) as OutlineItem? else { return }
        item.$children = .ids(children)
        try item.save(\.$children, to: &context)
    }

    private func write(
        _ label: String, coalescing: Coalescing? = nil, _ body: (inout Context) throws -> Void
    ) throws {
        try store.write(label, options: WriteOptions(coalescing: coalescing), body)
        reload()
    }

    private static func typing(_ id: String) -> Coalescing {
        Coalescing("text of \(id)", within: .seconds(2))
    }

    /// A text as labels quote it.
    private static func quoted(_ text: String) -> String {
        "“\(text.count > 30 ? text.prefix(29) + "…" : text)”"
    }
}
