import Foundation
import Testing
import VarveTestSupport

@testable import VarveInspection
@testable import VarveTool

/// Imports by a process that is killed at a random moment.
@Suite("Killed imports")
struct ImportKillTests {
    private static let rows = 4_000
    private static let rounds = 12

    private let folder: TestFolder
    private var store: String { folder.file("people.varve") }

    init() throws {
        folder = try TestFolder()
        _ = try folder.write(
            #"{"types":[{"name":"Person","id":"Int64","fields":[{"name":"name","type":"String"}]}]}"#,
            to: "schema.json")
    }

    private func lines(from first: Int) throws -> String {
        let lines = (first..<first + Self.rows).map {
            #"{"type":"Person","id":\#($0),"name":"Person number \#($0)"}"#
        }
        return try folder.write(lines.joined(separator: "\n"), to: "people-\(first).jsonl")
    }

    /// Runs an import, and kills it after a part of the time that a whole one took.
    private func kill(_ file: String, after seconds: Double) throws {
        let process = Process()
        process.executableURL = try ToolProcess.folder.appendingPathComponent("varve")
        process.arguments = ["import", "--schema", folder.file("schema.json"), file, store]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        Thread.sleep(forTimeInterval: seconds)
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    private func finish(_ file: String) throws -> Double {
        let start = ContinuousClock.now
        let schema = folder.file("schema.json")
        let run = try ToolProcess(["import", "--schema", schema, file, store])
        #expect(run.status == 0, "\(run.errors)\(run.output)")
        return Double((ContinuousClock.now - start) / .milliseconds(1)) / 1_000
    }

    private func count() throws -> Int {
        let inspection = try Inspection(at: store)
        try inspection.verifyEnd()
        return try inspection.entities(of: "Person").count
    }

    @Test("A new store is there as a whole or not at all, and the next import clears up")
    func newStore() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let file = try lines(from: 0)
        let seconds = try finish(file)
        try FileManager.default.removeItem(atPath: store)
        for round in 0..<Self.rounds {
            try kill(file, after: seconds * Double.random(in: 0...1.1, using: &random))
            guard FileManager.default.fileExists(atPath: store) else { continue }
            #expect(try count() == Self.rows, "seed \(seed), round \(round)")
            try FileManager.default.removeItem(atPath: store)
        }
        _ = try finish(file)
        #expect(try count() == Self.rows, "seed \(seed)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(
            names.sorted() == ["people-0.jsonl", "people.varve", "schema.json"], "seed \(seed)")
    }

    @Test("A store that is there has all of the import or nothing of it")
    func existingStore() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let seconds = try finish(lines(from: 0))
        var expected = Self.rows
        for round in 0..<Self.rounds {
            let file = try lines(from: (round + 1) * Self.rows)
            try kill(file, after: seconds * Double.random(in: 0...1.2, using: &random))
            let found = try count()
            #expect(
                found == expected || found == expected + Self.rows, "seed \(seed), round \(round)")
            // What was killed can be done again.
            _ = try finish(file)
            expected += Self.rows
            #expect(try count() == expected, "seed \(seed), round \(round)")
        }
    }
}
