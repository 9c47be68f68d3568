import Foundation

/// The files of this repository, as text. Nothing here builds or runs anything.
struct Repository {
    struct File {
        /// Path below the root, with `/` between the parts.
        let path: String
        let lines: [String]

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }

        /// The lines with their numbers from 1, without those that are comments as a whole.
        var code: [(number: Int, text: String)] {
            lines.enumerated().compactMap { index, line in
                line.drop(while: \.isWhitespace).hasPrefix("//") ? nil : (index + 1, line)
            }
        }
    }

    static let shared = Repository()

    let root: URL
    /// Every file that is not made by building, ordered by path.
    let paths: [String]

    private init() {
        // …/Tests/TidyTests/Repository.swift
        root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        paths = Self.paths(below: root, prefix: "").sorted()
    }

    /// The Swift files below these folders.
    func swiftFiles(_ folders: String...) throws -> [File] {
        try paths.filter { path in
            path.hasSuffix(".swift") && folders.contains { path.hasPrefix($0 + "/") }
        }.map(file)
    }

    func file(_ path: String) throws -> File {
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return File(path: path, lines: lines)
    }

    private static func paths(below folder: URL, prefix: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.flatMap { name -> [String] in
            if name == ".git" || name == ".swiftpm" || name.hasPrefix(".build") { return [] }
            let url = folder.appendingPathComponent(name)
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
            return isFolder.boolValue
                ? paths(below: url, prefix: prefix + name + "/") : [prefix + name]
        }
    }
}
