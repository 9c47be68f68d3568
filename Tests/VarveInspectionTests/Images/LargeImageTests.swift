import Foundation
import Testing
import Varve
import VarveInspection
import VarveReplay
import VarveTestSupport

@testable import VarveLog
@testable import VarveTool

@EntityModel("Letter")
private struct Letter {
    let id: Int
    var text: String
}

/// Commands read an image of more than 4 MiB in parts, and meet damage only there.
@Suite("Damage of an image that is too large to verify first")
struct LargeImageTests {
    private static let newest = "checkpoint-0000000002"

    private let folder: TestFolder
    private let path: String

    /// Two images with some log between and behind.
    init() throws {
        folder = try TestFolder()
        path = folder.file("letters.varve")
        let store = try Store(
            at: URL(filePath: path), retention: .everything, compactsAutomatically: false,
            types: [Letter.self])
        var random = SeededGenerator(seed: 4)
        func write(_ ids: Range<Int>, length: Int) throws {
            try store.write { context in
                for id in ids {
                    let text = (0..<length).map { _ in
                        Character(UnicodeScalar(UInt8.random(in: 33...126, using: &random)))
                    }
                    try Letter(id: id, text: String(text)).save(to: &context)
                }
            }
        }
        try write(0..<600, length: 300)
        try write(600..<660, length: 90_000)
        try store.compact()
        try write(10..<12, length: 40)
        try store.compact()
        try write(12..<14, length: 40)
        try store.close()
    }

    /// Some bytes in blocks of the newest image, in the directory of its first and its last chunk, and one in its root.
    private func places() throws -> [Int] {
        let scanned = try ScannedLog.scan(POSIXFileSystem(path), mode: .readOnly)
        let file = try scanned.open(scanned.manifest.checkpoints[0])
        #expect(file.length > CheckpointFile.smallImageBytes)
        let (blocks, parts) = try file.imageRanges()
        let root = try #require(file.pages.last { $0.key.kind == 8 })
        return stride(from: 0, to: blocks.count, by: max(1, blocks.count / 3)).map {
            blocks[$0].lowerBound + 12
        } + [parts.first, parts.last].compactMap { $0.map { $0.lowerBound + 4 } } + [
            Int(root.offset.rawValue) + 60
        ]
    }

    /// Changes a bit for as long as `body` runs.
    private func flipping<Result>(
        byteAt offset: Int, _ body: () throws -> Result
    ) throws -> Result {
        let url = URL(filePath: path + "/" + Self.newest)
        func flip() throws {
            let file = try FileHandle(forUpdating: url)
            try file.seek(toOffset: UInt64(offset))
            let byte = try #require(try file.read(upToCount: 1)?.first)
            try file.seek(toOffset: UInt64(offset))
            try file.write(contentsOf: [byte ^ 0x20])
            try file.close()
        }
        try flip()
        let result = try body()
        try flip()
        return result
    }

    @Test("Every command shows what the older image and the log behind it lead to")
    func commands() throws {
        let commands = [
            ["cat", path, "Letter", "12"], ["cat", path, "Letter", "599"], ["cat", path, "Letter"],
            ["cat", path, "Letter", "659"], ["at", path, "3", "cat", "Letter", "11"],
            ["query", path, "Letter where id < 30 select id, text"], ["diff", path, "3", "last"],
            ["history", path, "Letter", "13"], ["blame", path, "Letter", "10"],
            ["show", path, "4"], ["log", path], ["schema", path], ["export", path],
        ]
        let expected = commands.map { ToolRun(all: $0) }
        #expect(expected.allSatisfy { $0.status == .success && !$0.output.isEmpty })
        for place in try places() {
            try flipping(byteAt: place) {
                for (command, expected) in zip(commands, expected) {
                    let run = ToolRun(all: command)
                    let what = "\(command[0]) with the byte at \(place) damaged"
                    #expect(run.status == .success && run.errors.isEmpty, "\(what): \(run.errors)")
                    #expect(run.output == expected.output, "\(what)")
                }
                #expect(ToolRun("info", path).output.contains(Self.newest))
                #expect(ToolRun("verify", path).status == .failure)
            }
        }
    }

    @Test("An opening for writing verifies all of it, and begins with the older one")
    func library() throws {
        let place = try #require(try places().first)
        try flipping(byteAt: place) {
            let store = try Store(
                at: URL(filePath: path), compactsAutomatically: false, types: [Letter.self])
            #expect(store.recovery.checkpointProblems.map(\.file) == [Self.newest])
            #expect(store.health.damages.map(\.file) == [Self.newest])
            #expect(store.context.count(Letter.self) == 660)
            try store.close()
        }
    }
}
