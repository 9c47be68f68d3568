import Foundation
import Testing
import VarveTables
import VarveTestSupport

@testable import VarveInspection
@testable import VarveTool

/// A folder that goes when the test ends.
final class TestFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-exchange-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
        return file(name)
    }
}

@Suite("Export and import of random stores")
struct ExchangePropertyTests {
    private func carry(
        _ seed: UInt64, _ arguments: [String], output: String, includingDeleted: Bool
    ) throws {
        let random = try RandomStore(seed: seed)
        let folder = try TestFolder()
        let (file, copy) = (folder.file(output), folder.file("copy.varve"))
        let export = ToolRun(
            all: ["export", random.store.path, "-o", file] + arguments)
        try #require(export.status == .success, "seed \(seed): \(export.errors)")
        let run = ToolRun("import", file, copy)
        try #require(run.status == .success, "seed \(seed): \(run.errors)\(run.output)")
        let original = try StoreContent(random.store.path, includingDeleted: includingDeleted)
        let carried = try StoreContent(copy, includingDeleted: true)
        #expect(original.entities == carried.entities, "seed \(seed)")
        #expect(original.links == carried.links, "seed \(seed)")
        #expect(original.absent == carried.absent, "seed \(seed)")
        let difference = try schema(copy).difference(from: schema(random.store.path))
        #expect(difference.isEmpty, "seed \(seed): \(difference)")
        let again = folder.file("again.jsonl")
        #expect(ToolRun("export", "-d", copy, "-o", again).status == .success)
        if arguments.contains("--deleted"), output.hasSuffix("jsonl") {
            #expect(
                try String(contentsOfFile: file, encoding: .utf8)
                    == String(contentsOfFile: again, encoding: .utf8), "seed \(seed)")
        }
        #expect(ToolRun("verify", copy).status == .success, "seed \(seed)")
    }

    /// All that the definitions say but for their numbers, which are a store's own.
    private func schema(_ path: String) throws -> [String] {
        let catalog = try Inspection(at: path).replay().catalog
        return catalog.definitions.flatMap { type in
            let fields = type.fields.map { field in
                // An optional that has no default starts from null.
                let fill = field.fill ?? field.type.absentBytes
                return "\(type.name).\(field.name): \(field.type) \(fill ?? []) \(field.rung)"
            }
            let relations = type.relations.map { relation in
                let target = catalog.definition(of: relation.target)
                let inverse = target?.relations.first { $0.number == relation.inverse }
                return "\(type.name).\(relation.name): \(target?.name ?? "") "
                    + "\(inverse?.name ?? "") \(relation.isToMany) \(relation.deleteRule) "
                    + "\(relation.isRequired)"
            }
            return ["\(type.name): \(type.idType) \(type.numbersIDs)"] + fields + relations
        }.sorted()
    }

    @Test("JSON lines with tombstones make an equal store", arguments: 0..<40 as Range<UInt64>)
    func jsonLines(seed: UInt64) throws {
        try carry(seed, ["--deleted"], output: "all.jsonl", includingDeleted: true)
    }

    @Test(
        "A folder of CSV with tombstones makes an equal store",
        arguments: 100..<140 as Range<UInt64>)
    func csv(seed: UInt64) throws {
        try carry(seed, ["--deleted", "--format=csv"], output: "all", includingDeleted: true)
    }

    @Test(
        "Without tombstones the entities and their links are equal",
        arguments: 200..<220 as Range<UInt64>)
    func live(seed: UInt64) throws {
        try carry(seed, [], output: "live.jsonl", includingDeleted: false)
        try carry(seed, ["--format=csv"], output: "live", includingDeleted: false)
    }

    @Test("An import of the same again changes nothing", arguments: 300..<310 as Range<UInt64>)
    func again(seed: UInt64) throws {
        let random = try RandomStore(seed: seed)
        let folder = try TestFolder()
        let file = folder.file("all.jsonl")
        #expect(ToolRun("export", "--deleted", random.store.path, "-o", file).status == .success)
        let before = try random.store.files()
        let run = ToolRun("import", file, random.store.path, "--json")
        #expect(run.status == .success, "seed \(seed): \(run.errors)\(run.output)")
        let report = try JSONObject(run.output)
        #expect(report["inserted"] == "0" && report["updated"] == "0", "seed \(seed)")
        #expect(report["transaction"] == "null")
        #expect(try random.store.files()["segment-0000000001"] == before["segment-0000000001"])
    }
}
