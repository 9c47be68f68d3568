import Foundation
import Testing

/// Folders are layers inside a module. The compiler does not look at folders, so their order is kept here.
@Suite("Folders")
struct FolderTests {
    /// The folders of a module, bottom-up: a file uses types of its own folder and of those before it.
    static let layers: [String: [String]] = [
        "Sources/VarveTables": [
            "Pages", "Rows", "Ids", "Keys", "Indexes", "Links", "State", "Blocks", "Undo",
            "Checkpoints",
            "Salvage",
        ]
    ]

    @Test("A file uses no type of a folder above its own", arguments: layers.keys.sorted())
    func order(module: String) throws {
        let folders = try #require(Self.layers[module])
        let files = try Repository.shared.swiftFiles(module)
        var layerOfType: [Substring: Int] = [:]
        for file in files {
            let layer = try #require(Self.layer(of: file, in: module, folders), "\(file.path)")
            for type in Self.types(of: file) { layerOfType[type] = layer }
        }
        for file in files {
            let layer = try #require(Self.layer(of: file, in: module, folders))
            for line in file.code {
                for word in Self.words(line.text) {
                    guard let used = layerOfType[word], used > layer else { continue }
                    Issue.record("\(file.path):\(line.number) uses \(word) of \(folders[used])")
                }
            }
        }
    }

    @Test("A type that is declared in a folder is found")
    func recognition() {
        let lines = [
            "package struct A: Sendable {", "    struct Inner {", "final class B {",
            "// struct C {", "extension D {", "package indirect enum E {",
        ]
        let file = Repository.File(path: "x.swift", lines: lines)
        #expect(Self.types(of: file) == ["A", "B", "E"])
        #expect(Self.words("let x: [A] = b.C()") == ["let", "x", "A", "b", "C"])
    }

    private static func layer(
        of file: Repository.File, in module: String, _ folders: [String]
    ) -> Int? {
        let parts = file.path.dropFirst(module.count + 1).split(separator: "/")
        return parts.count == 2 ? folders.firstIndex { $0 == parts[0] } : nil
    }

    /// The types that a file declares outside of any other.
    static func types(of file: Repository.File) -> [Substring] {
        let introducers: Set<Substring> = [
            "struct", "class", "enum", "protocol", "actor", "typealias",
        ]
        return file.code.compactMap { line in
            // What is within a type or a function is indented.
            guard line.text.first?.isWhitespace == false else { return nil }
            let words = words(line.text)
            guard let index = words.firstIndex(where: introducers.contains),
                index + 1 < words.count
            else { return nil }
            return words[index + 1]
        }
    }

    static func words(_ text: String) -> [Substring] {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    }
}
