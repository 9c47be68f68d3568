import Foundation
import Testing

@Suite("Text")
struct TextTests {
    @Test("Nothing is left to be done later")
    func leftovers() throws {
        // In two halves, so that this file passes its own test.
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
        let endings = [".swift", ".md", ".h", ".c", ".yml"]
        for path in Repository.shared.paths
        where endings.contains(where: path.hasSuffix) || path.hasPrefix("Tools/") {
            // The sample stores and other binary files are no text.
            guard let file = try? Repository.shared.file(path) else { continue }
            for (index, line) in file.lines.enumerated() {
                for mark in marks where line.contains(mark) {
                    let words = line.split { !$0.isLetter }
                    #expect(!words.contains(Substring(mark)), "\(path):\(index + 1) has \(mark)")
                }
            }
        }
    }

    @Test("Every unchecked Sendable says why it holds, on its line or directly above")
    func uncheckedSendable() throws {
        for file in try Repository.shared.swiftFiles("Sources", "Tools", "Tests")
        where file.path != "Tests/TidyTests/TextTests.swift" {
            for line in file.code where line.text.contains("@unchecked Sendable") {
                #expect(Self.hasReason(line.number, in: file), "\(file.path):\(line.number)")
            }
        }
    }

    @Test("The log passes over no error, except where closing up, and says why")
    func swallowedErrors() throws {
        let closing = ["close", "unlock"]
        for file in try Repository.shared.swiftFiles("Sources/VarveLog") {
            for line in file.code where line.text.contains("try?") {
                let isClosing = closing.contains { line.text.contains($0) }
                #expect(
                    isClosing && Self.hasReason(line.number, in: file),
                    "\(file.path):\(line.number)")
            }
        }
    }

    @Test("A library prints nothing")
    func printing() throws {
        let call = /(^|[^\w.])(print|debugPrint|dump)\(/
        for file in try Repository.shared.swiftFiles("Sources") {
            for line in file.code
            where line.text.contains("print(") || line.text.contains("Print(")
                || line.text.contains("dump(")
            {
                #expect(line.text.firstMatch(of: call) == nil, "\(file.path):\(line.number)")
            }
        }
    }

    /// Whether a comment stands on the line, or above it with nothing but attributes, or other
    /// lines that the comment covers, between.
    private static func hasReason(_ number: Int, in file: Repository.File) -> Bool {
        if file.lines[number - 1].contains("//") { return true }
        for line in file.lines[..<(number - 1)].reversed() {
            let text = line.drop(while: \.isWhitespace)
            if text.hasPrefix("//") { return true }
            if !text.hasPrefix("@") && !text.hasPrefix("try?") { return false }
        }
        return false
    }
}
