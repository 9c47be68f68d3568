import Foundation
import Varve
import VarveText

/// Runs commands, one a line.
struct CommandSession {
    let outline: Outline
    /// Writes a line.
    let say: (String) -> Void

    static let help = [
        "add TEXT         add an item at the end",
        "insert N TEXT    add an item behind item N",
        "edit N TEXT      give item N another text",
        "indent N         put item N below the one before it",
        "outdent N        put item N behind the one it stands below",
        "move N M         put item N where item M stands",
        "rm N             move item N, with everything below it, to the trash",
        "undo, redo       take the last change back, bring it back",
        "steps            what can be undone, the next first",
        "trash            what was removed",
        "restore N        bring item N of the trash back",
        "history N        the versions of item N",
        "list             the outline",
        "help, quit",
    ]

    /// False when the line asks to end.
    func run(_ line: String) throws -> Bool {
        var rest = Substring(line).drop(while: \.isWhitespace)
        let name = Self.word(&rest)
        switch name {
        case "", "#": break
        case "add": try outline.add(try text(rest, "add TEXT"))
        case "insert":
            let position = try number(&rest, "insert N TEXT")
            try outline.add(try text(rest, "insert N TEXT"), behind: position)
        case "edit":
            let position = try number(&rest, "edit N TEXT")
            try outline.edit(position, text: try text(rest, "edit N TEXT"))
        case "indent": try outline.indent(try last(&rest, "indent N"))
        case "outdent": try outline.outdent(try last(&rest, "outdent N"))
        case "move":
            let position = try number(&rest, "move N M")
            try outline.move(position, to: try last(&rest, "move N M"))
        case "rm": try outline.remove(try last(&rest, "rm N"))
        case "undo": say("undone: \(try outline.undo())")
        case "redo": say("redone: \(try outline.redo())")
        case "restore": try restore(try last(&rest, "restore N"))
        case "quit", "exit": return false
        default: try show(name, &rest)
        }
        return true
    }

    private func show(_ name: String, _ rest: inout Substring) throws {
        switch name {
        case "list": list()
        case "steps": for step in outline.store.undoSteps() { say(step.label ?? "a change") }
        case "trash":
            for (index, item) in outline.trash().enumerated() {
                say("\(index + 1). \(item.text)" + (item.count > 0 ? " (+\(item.count))" : ""))
            }
        case "history":
            let id = try outline.row(try last(&rest, "history N")).id
            for version in try outline.history(id) {
                say("\(TimeText.text(version.time))  \(version.what)  \(version.text)")
            }
        case "help": for line in Self.help { say(line) }
        default: throw OutlineFailure("there is no command '\(name)': see help")
        }
    }

    private func list() {
        for (index, row) in outline.rows.enumerated() {
            say("\(index + 1). " + String(repeating: "  ", count: row.depth) + row.text)
        }
    }

    private func restore(_ position: Int) throws {
        let trash = outline.trash()
        guard trash.indices.contains(position) else {
            throw OutlineFailure(
                trash.isEmpty
                    ? "the trash is empty" : "the trash has " + trash.count.counted("item"))
        }
        try outline.restore(trash[position].id)
    }

    // MARK: - Reading a line

    private static func word(_ rest: inout Substring) -> String {
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest.dropFirst(word.count).drop(while: \.isWhitespace)
        return String(word)
    }

    /// A position, from a number that counts from 1.
    private func number(_ rest: inout Substring, _ usage: String) throws -> Int {
        let word = Self.word(&rest)
        guard let number = Int(word), number > 0 else {
            throw OutlineFailure("'\(word)' is no number of an item: \(usage)")
        }
        return number - 1
    }

    private func last(_ rest: inout Substring, _ usage: String) throws -> Int {
        let number = try number(&rest, usage)
        guard rest.isEmpty else { throw OutlineFailure("'\(rest)' is too much: \(usage)") }
        return number
    }

    private func text(_ rest: Substring, _ usage: String) throws -> String {
        let text = OutlineText.cleaned(String(rest)).trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { throw OutlineFailure("a text is missing: \(usage)") }
        return text
    }
}

/// Texts as an item can have them.
enum OutlineText {
    /// Without control characters: they would act on the terminal when they are shown.
    static func cleaned(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}

/// Moments as people read them.
enum TimeText {
    static func text(_ time: Date) -> String {
        let calendar = Calendar(identifier: .gregorian)
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: time)
        func two(_ number: Int?) -> String {
            let number = number ?? 0
            return number < 10 ? "0\(number)" : "\(number)"
        }
        return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day)) "
            + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
    }
}
