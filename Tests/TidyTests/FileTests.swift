import Foundation
import Testing

@Suite("Files")
struct FileTests {
    static let linesMax = 450

    /// Files that may be longer, with the reason. The list should shrink.
    static let longFiles: [String: String] = [:]

    /// Files that are named after what they are for rather than after a type, with the reason.
    static let namedOtherwise: [String: String] = [
        "main.swift": "Swift's own name for a program's entry",
        "Exports.swift": "the one place of a module's re-exports",
        "Macros.swift": "the declarations of a module's macros",
        "Plugin.swift": "the list of macros and two forms of the plugin's entry",
    ]

    static let readmeLinesMax = 200

    @Test("A file bears the name of a type that it declares, or of a type and an aspect of it")
    func names() throws {
        for file in try Repository.shared.swiftFiles("Sources", "Tools")
        where Self.namedOtherwise[file.name] == nil {
            let stem = file.name.dropLast(".swift".count)
            let parts = stem.split(separator: "+", omittingEmptySubsequences: false)
            let type = String(parts[0])
            #expect(parts.count <= 2 && !parts.contains(""), "\(file.path): not Type+Aspect")
            #expect(
                Self.declares(type, in: file, aspect: parts.count == 2),
                "\(file.path) declares no \(type)")
        }
    }

    @Test("No name has a space in it")
    func spaces() {
        for path in Repository.shared.paths {
            let hasSpace = path.contains { $0.isWhitespace }
            #expect(!hasSpace, "\(path)")
        }
    }

    @Test("No source file is longer than the limit, unless the list of exemptions says why")
    func lengths() throws {
        for file in try Repository.shared.swiftFiles("Sources", "Tools") {
            let isLong = file.lines.count > Self.linesMax
            let isExempt = Self.longFiles[file.path] != nil
            #expect(isLong == isExempt, "\(file.path) has \(file.lines.count) lines")
        }
        for path in Self.longFiles.keys {
            #expect(Repository.shared.paths.contains(path), "\(path) is exempt but not there")
        }
    }

    @Test("The README stays short enough to be read")
    func readme() throws {
        guard Repository.shared.paths.contains("README.md") else { return }
        let lines = try Repository.shared.file("README.md").lines.count
        #expect(lines < Self.readmeLinesMax)
    }

    /// Whether a line declares the type; for `Type+Aspect`, an extension of it or a conformance to
    /// it serves too. An underscore before the type's name does not show in the file's.
    static func declares(_ type: String, in file: Repository.File, aspect: Bool) -> Bool {
        let introducers: Set<Substring> = [
            "struct", "class", "enum", "protocol", "actor", "typealias", "macro",
        ]
        return file.code.contains { line in
            guard line.text.contains(type) else { return false }
            var words = line.text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            words = words.map { $0.hasPrefix("_") ? $0.dropFirst() : $0 }
            if aspect {
                return words.contains(Substring(type))
                    && words.contains { introducers.contains($0) || $0 == "extension" }
            }
            return zip(words, words.dropFirst()).contains { introducers.contains($0) && $1 == type }
        }
    }
}
