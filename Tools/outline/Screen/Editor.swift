import Foundation
import Varve
import VarveTerminal

/// What the full screen does with keys. Everything that lasts is in the outline.
final class Editor {
    enum Mode {
        case outline
        /// A text is typed: the item, and the cursor as a number of characters before it.
        case typing(id: String, cursor: Int)
        case trash(selected: Int)
        case history(title: String, versions: [ItemVersion])
    }

    let outline: Outline
    var mode = Mode.outline
    var selected = 0
    /// What the last key came to.
    var message = ""
    /// The first row that is shown.
    var top = 0

    init(_ outline: Outline) { self.outline = outline }

    /// False when the key asks to end.
    func handle(_ key: Key) -> Bool {
        message = ""
        do {
            switch mode {
            case .outline: return try command(key)
            case .typing(let id, let cursor): try type(key, id, cursor)
            case .trash(let selected): try chooseTrash(key, selected)
            case .history: mode = .outline
            }
        } catch {
            message = "\(error)"
        }
        clampSelection()
        return true
    }

    // MARK: - The outline

    private func command(_ key: Key) throws -> Bool {
        switch key {
        case .character("q"), .control("c"), .control("q"): return false
        case .up, .character("k"): selected -= 1
        case .down, .character("j"): selected += 1
        case .pageUp: selected -= 10
        case .pageDown: selected += 10
        case .home, .character("g"): selected = 0
        case .end, .character("G"): selected = outline.rows.count - 1
        default: try change(key)
        }
        clampSelection()
        return true
    }

    private func change(_ key: Key) throws {
        switch key {
        case .enter, .character("n"), .character("o"):
            let isEmpty = outline.rows.isEmpty
            follow(try outline.add("", behind: isEmpty ? nil : selected))
            startTyping()
        case .character("e"), .character("i"):
            _ = try outline.row(selected)
            startTyping()
        case .tab, .right, .character(">"): try keepingItem { try outline.indent(selected) }
        case .backTab, .left, .character("<"): try keepingItem { try outline.outdent(selected) }
        case .shiftUp, .character("K"): try keepingItem { try outline.shift(selected, by: -1) }
        case .shiftDown, .character("J"): try keepingItem { try outline.shift(selected, by: 1) }
        case .delete, .character("d"):
            try outline.remove(selected)
            message = "removed: u brings it back, t shows the trash"
        case .character("u"): message = "undone: \(try outline.undo())"
        case .character("r"), .control("r"): message = "redone: \(try outline.redo())"
        case .character("t"): mode = .trash(selected: 0)
        case .character("h"):
            let row = try outline.row(selected)
            mode = .history(title: row.text, versions: try outline.history(row.id))
        default: break
        }
    }

    private func keepingItem(_ body: () throws -> Void) throws {
        let id = try outline.row(selected).id
        try body()
        follow(id)
    }

    private func follow(_ id: String) {
        if let position = outline.position(of: id) { selected = position }
    }

    private func clampSelection() {
        selected = max(0, min(selected, outline.rows.count - 1))
    }

    // MARK: - Typing

    private func startTyping() {
        guard outline.rows.indices.contains(selected) else { return }
        let row = outline.rows[selected]
        mode = .typing(id: row.id, cursor: row.text.count)
    }

    /// Each key is a write: what was typed is there, whatever happens. Keys that follow at once are one
    /// step of undo.
    private func type(_ key: Key, _ id: String, _ cursor: Int) throws {
        guard let position = outline.position(of: id) else {
            mode = .outline
            return
        }
        let text = outline.rows[position].text
        let before = text.prefix(cursor)
        let behind = text.dropFirst(cursor)
        func put(_ new: String, _ behind: Substring) throws {
            try outline.edit(position, text: new + behind)
            // What was typed may have joined the character before.
            mode = .typing(id: id, cursor: new.count)
        }
        switch key {
        case .character(let character):
            try put(OutlineText.cleaned(before + String(character)), behind)
        case .backspace where !before.isEmpty: try put(String(before.dropLast()), behind)
        case .delete where !behind.isEmpty: try put(String(before), behind.dropFirst())
        case .left: mode = .typing(id: id, cursor: max(0, cursor - 1))
        case .right: mode = .typing(id: id, cursor: min(text.count, cursor + 1))
        case .home, .control("a"): mode = .typing(id: id, cursor: 0)
        case .end, .control("e"): mode = .typing(id: id, cursor: text.count)
        case .tab: try keepingItem { try outline.indent(position) }
        case .backTab: try keepingItem { try outline.outdent(position) }
        case .enter, .escape, .up, .down, .control("c"): mode = .outline
        default: break
        }
    }

    // MARK: - The trash

    private func chooseTrash(_ key: Key, _ selected: Int) throws {
        let trash = outline.trash()
        switch key {
        case .up, .character("k"): mode = .trash(selected: max(0, selected - 1))
        case .down, .character("j"):
            mode = .trash(selected: max(0, min(selected + 1, trash.count - 1)))
        case .enter, .character("r"):
            guard trash.indices.contains(selected) else { return }
            try outline.restore(trash[selected].id)
            mode = .outline
            follow(trash[selected].id)
            message = "restored"
        default: mode = .outline
        }
    }
}
