import Foundation
import Varve
import VarveText

extension Editor {
    private static let outlineHelp = [
        "Enter new  e edit  Tab/Shift-Tab indent, outdent  K/J move up, down  d delete",
        "u undo  r redo  t trash  h history  \u{2191}\u{2193} select  q quit",
    ]
    private static let typingHelp = [
        "type the text: every key is saved at once",
        "Enter or Esc done   Tab/Shift-Tab indent, outdent",
    ]
    private static let trashHelp = [
        "Enter restore with everything below it   \u{2191}\u{2193} select",
        "Esc back to the outline",
    ]
    private static let historyHelp = ["every version of this item, newest first", "any key back"]

    /// The picture for a screen of a size.
    func frame(columns: Int, rows: Int) -> Frame {
        let room = max(1, rows - 5)
        var body: [String]
        var cursor: (column: Int, row: Int)?
        let help: [String]
        switch mode {
        case .outline:
            (body, help) = (outlineLines(columns, room), Self.outlineHelp)
        case .typing(let id, let place):
            follow(id, room)
            (body, help) = (outlineLines(columns, room), Self.typingHelp)
            cursor = self.cursor(id, place, columns)
        case .trash(let selected):
            (body, help) = (trashLines(selected, columns, room), Self.trashHelp)
        case .history(_, let versions):
            (body, help) = (historyLines(versions, columns, room), Self.historyHelp)
        }
        while body.count < room { body.append("") }
        let lines =
            [title(columns), ""] + body + [status.fitted(to: columns)]
            + help.map { Style.faint($0.fitted(to: columns)) }
        return Frame(lines: Array(lines.prefix(rows)), cursor: cursor)
    }

    private func title(_ columns: Int) -> String {
        let text =
            switch mode {
            case .outline, .typing: " Outline \u{2014} " + outline.rows.count.counted("item")
            case .trash: " Trash"
            case .history(let title, _): " History of \(title)"
            }
        return Style.reverse(text.fitted(to: columns, fills: true))
    }

    private var status: String {
        if !message.isEmpty { return " " + message }
        let undo = outline.store.undoLabel.map { "undo: \($0)" }
        let redo = outline.store.redoLabel.map { "redo: \($0)" }
        return " " + [undo, redo].compactMap { $0 }.joined(separator: "   ")
    }

    // MARK: - Lists

    private func follow(_ id: String, _ room: Int) {
        if let position = outline.position(of: id) { selected = position }
    }

    private static let textStart = 2

    private func outlineLines(_ columns: Int, _ room: Int) -> [String] {
        if outline.rows.isEmpty {
            return [Style.faint("  Nothing here yet: press Enter and type.")]
        }
        top = max(0, min(top, selected, outline.rows.count - 1))
        if selected >= top + room { top = selected - room + 1 }
        return outline.rows.indices.dropFirst(top).prefix(room).map { position in
            let row = outline.rows[position]
            let indent = String(repeating: "  ", count: row.depth)
            let line = "  \(indent)\u{2022} \(row.text)"
                .fitted(to: columns, fills: position == selected)
            return position == selected ? Style.reverse(line) : line
        }
    }

    private func cursor(_ id: String, _ place: Int, _ columns: Int) -> (column: Int, row: Int)? {
        guard let position = outline.position(of: id) else { return nil }
        let row = outline.rows[position]
        let before = DisplayWidth.columns(
            of: String(row.text.prefix(place)).escapedForDisplay)
        let column = Self.textStart + row.depth * 2 + 2 + before
        return (min(column, columns - 1), position - top + 2)
    }

    private func trashLines(_ selected: Int, _ columns: Int, _ room: Int) -> [String] {
        let trash = outline.trash()
        if trash.isEmpty { return [Style.faint("  The trash is empty.")] }
        let first = max(0, selected - room + 1)
        return trash.indices.dropFirst(first).prefix(room).map { position in
            let item = trash[position]
            let more = item.count > 0 ? "  (+\(item.count) below it)" : ""
            let line = "  \u{2022} \(item.text)\(more)"
                .fitted(to: columns, fills: position == selected)
            return position == selected ? Style.reverse(line) : line
        }
    }

    private func historyLines(
        _ versions: [ItemVersion], _ columns: Int, _ room: Int
    ) -> [String] {
        versions.prefix(room).map { version in
            let what = version.what.fitted(to: 16, fills: true)
            return "  \(TimeText.text(version.time))  \(what)  \(version.text)".fitted(to: columns)
        }
    }
}
