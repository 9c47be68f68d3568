import Foundation
import Testing
import VarveTerminal

@testable import OutlineEditor

/// A place for one store, gone with the last reference.
final class Place {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("outline-\(UUID().uuidString)")
    var path: String { url.path }
    deinit { try? FileManager.default.removeItem(at: url) }
}

@Suite("The outline by commands")
struct CommandTests {
    /// Runs commands in a process's life of their own, and answers what they say.
    private func run(_ place: Place, _ lines: String...) throws -> [String] {
        let outline = try Outline(at: place.path)
        var said: [String] = []
        let session = CommandSession(outline: outline) { said.append($0) }
        for line in lines { _ = try session.run(line) }
        try outline.close()
        return said
    }

    @Test("Items are added, nested, moved and removed, and stay across relaunches")
    func editing() throws {
        let place = Place()
        #expect(
            try run(place, "add One", "add Two", "add Three", "indent 2", "list")
                == ["1. One", "2.   Two", "3. Three"])
        #expect(
            try run(place, "move 3 1", "edit 1 Third", "list") == [
                "1. Third", "2. One", "3.   Two",
            ])
        #expect(
            try run(place, "outdent 3", "insert 1 Mid", "list")
                == ["1. Third", "2. Mid", "3. One", "4. Two"])
        #expect(try run(place, "move 1 4", "list") == ["1. Mid", "2. One", "3. Two", "4. Third"])
        #expect(try run(place, "move 1 5", "list") == ["1. One", "2. Two", "3. Third", "4. Mid"])
    }

    @Test("Everything is undone to the empty outline, and redone, over relaunches")
    func undo() throws {
        let place = Place()
        let full = try run(
            place, "add One", "add Two", "indent 2", "add Three", "rm 1", "add Four", "list")
        #expect(full == ["1. Three", "2. Four"])
        var count = 0
        while try !run(place, "steps").isEmpty {
            _ = try run(place, "undo")
            count += 1
        }
        #expect(count == 6)
        #expect(try run(place, "list").isEmpty)
        for _ in 0..<count { _ = try run(place, "redo") }
        #expect(try run(place, "list") == full)
    }

    @Test("The trash restores a whole branch in its place; history tells versions")
    func trash() throws {
        let place = Place()
        _ = try run(place, "add One", "add Two", "indent 2", "add Three", "rm 1")
        #expect(try run(place, "trash") == ["1. One (+1)"])
        #expect(try run(place, "restore 1", "list") == ["1. One", "2.   Two", "3. Three"])
        #expect(try run(place, "trash").isEmpty)
        // What an item stood below may be gone itself.
        #expect(
            try run(place, "rm 2", "rm 1", "restore 2", "list") == ["1. Three", "2. Two"])
        let story = try run(place, "edit 1 Uno", "history 1")
        #expect(story.first?.hasSuffix("edited  Uno") == true)
        #expect(story.last?.contains("added") == true)
    }

    @Test(
        "A command that makes no sense is refused in words",
        arguments: [
            "frobnicate", "add", "edit 9 x", "rm 0", "rm x", "indent 1", "outdent 1", "restore 1",
            "rm 1 2", "redo", "move 1 1 1",
        ])
    func refusals(line: String) throws {
        let place = Place()
        #expect(throws: (any Error).self) { _ = try run(place, "add One", line) }
        #expect(try run(place, "list") == ["1. One"])
    }
}

@Suite("The outline's screen")
struct ScreenTests {
    private func keys(_ bytes: [UInt8]) -> [Key] {
        var decoder = KeyDecoder()
        var keys: [Key] = []
        // Byte by byte, as a slow line delivers them.
        for byte in bytes {
            decoder.add([byte])
            while let key = decoder.next(isFinal: false) { keys.append(key) }
        }
        while let key = decoder.next(isFinal: true) { keys.append(key) }
        return keys
    }

    @Test("Bytes become keys")
    func decoding() {
        #expect(keys(Array("aé漢😀".utf8)) == "aé漢😀".map { .character($0) })
        #expect(keys([0x1B, 0x5B, 0x41, 0x0D, 0x7F]) == [.up, .enter, .backspace])
        #expect(keys(Array("\u{1B}[1;2B\u{1B}[Z\u{1B}OF".utf8)) == [.shiftDown, .backTab, .end])
        #expect(keys([0x1B]) == [.escape])
        #expect(
            keys([0x03, 0x1B, 0x5B, 0x39, 0x39, 0x7E, 0x61]) == [.control("c"), .character("a")])
    }

    @Test("Wide characters take two columns, and a cut never splits one")
    func widths() {
        #expect("漢字漢字".fitted(to: 6) == "漢字…")
        #expect("ab".fitted(to: 4, fills: true) == "ab  ")
        #expect("漢\u{1B}".fitted(to: 10, fills: true) == "漢\\u{1B}  ")
    }

    @Test("Typing, moving and undoing on the screen")
    func editing() throws {
        let place = Place()
        let editor = Editor(try Outline(at: place.path))
        func type(_ keys: Key...) { for key in keys { #expect(editor.handle(key)) } }
        func write(_ text: String) { for character in text { type(.character(character)) } }
        type(.enter)
        write("On")
        type(.left)
        write("x")
        type(.backspace, .end)
        write("e")
        type(.enter, .enter)
        write("Two 漢")
        type(.tab, .escape)
        #expect(editor.outline.rows.map(\.text) == ["One", "Two 漢"])
        #expect(editor.outline.rows.map(\.depth) == [0, 1])
        let frame = editor.frame(columns: 80, rows: 24)
        #expect(frame.lines.count == 24)
        #expect(frame.lines[2].contains("• One"))
        #expect(frame.lines[3].contains("  • Two 漢"))
        #expect(frame.lines[22].contains("Enter new"))
        type(.character("u"), .character("u"), .character("u"))
        #expect(editor.outline.rows.isEmpty, "an item and its typing are one step")
        type(.character("r"), .character("r"), .character("r"))
        #expect(editor.outline.rows.map(\.text) == ["One", "Two 漢"])
        #expect(!editor.handle(.character("q")))
        #expect(editor.frame(columns: 10, rows: 4).lines.count == 4)
    }
}
