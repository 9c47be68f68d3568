import Foundation
import Testing
import VarveEvents
import VarveReplay
import VarveTables
import VarveTestSupport

@testable import VarveInspection
@testable import VarveLog
@testable import VarveTool

@Suite("Checkpoints that are images")
struct ImageCheckpointTests {
    @Test("A random store comes back from its images, with the log behind them", arguments: 1...8)
    func roundTrip(seed: Int) throws {
        var store = try LoggedStore(seed: seed)
        for round in 0..<4 {
            try store.append(5 + 7 * seed % 30)
            try store.compact(for: round == 2 ? .size : .safety)
            // One for size has pages of entities, which are smaller.
            let isImage = round != 2
            #expect(try store.checkpoints().first?.header.isImage == isImage, "seed \(seed)")
            let expected = try store.state.contentDigest()
            let compacted = try LoggedState(of: store.disk)
            #expect(try compacted.contentDigest() == expected, "seed \(seed), round \(round)")
            #expect((compacted.image != nil) == isImage)
            try store.append(3)
            let logged = try LoggedState(of: store.disk)
            #expect(logged.start.sequence.rawValue == store.state.lastTransaction.rawValue - 3)
            #expect(
                try logged.contentDigest() == store.state.contentDigest(),
                "seed \(seed), round \(round)")
            let problems = try StoreVerification.verify(store.disk).problems
            #expect(problems.isEmpty, "seed \(seed), round \(round): \(problems)")
        }
    }

    @Test("Counts and definitions are those of the root", arguments: 1...4)
    func root(seed: Int) throws {
        var store = try LoggedStore(seed: seed)
        try store.append(40)
        try store.compact()
        let file = try #require(try store.checkpoints().first)
        let catalog = try file.loadCatalog()
        #expect(catalog.encodedDefinitions() == store.state.catalog.encodedDefinitions())
        #expect(try file.rowCount() == UInt64(store.state.slotCount), "seed \(seed)")
    }

    @Test("Blocks without a change are copied as bytes")
    func copies() throws {
        let folder = try TestFolder()
        let lines = (0..<20_000).map { #"{"type":"User","id":\#($0),"fields":{"name":"n\#($0)"}}"# }
        let schema =
            #"{"types":[{"name":"User","id":"Int64","fields":[{"name":"name","type":"String"}],"relations":[]}]}"#
        let file = try folder.write(lines.joined(separator: "\n"), to: "lines.jsonl")
        let path = folder.path + "/store.varve"
        let schemaFile = try folder.write(schema, to: "schema.json")
        let filled = ToolRun("import", file, path, "--schema", schemaFile)
        try #require(filled.status == .success, "\(filled.errors)")
        _ = try StoreCompaction.compact(at: path, retaining: .everything)
        let change = try folder.write(
            #"{"type":"User","id":77,"fields":{"name":"other"}}"#, to: "change.jsonl")
        try #require(ToolRun("import", change, path).status == .success)
        _ = try StoreCompaction.compact(at: path, retaining: .everything)
        let scanned = try ScannedLog.scan(POSIXFileSystem(path), mode: .readOnly)
        let blocks = try scanned.manifest.checkpoints.map { reference in
            let file = URL(filePath: path + "/" + reference.file.text)
            let bytes = try [UInt8](Data(contentsOf: file))
            return try scanned.open(reference).imageRanges().blocks.map { Array(bytes[$0]) }
        }
        let unchanged = Set(blocks[1]).intersection(blocks[0])
        #expect(blocks[0].count > 20 && unchanged.count >= blocks[0].count - 6)
        #expect(ToolRun("cat", path, "User", "77").output.contains("other"))
    }

    @Test("A backup and a salvage hold what the image held", arguments: 1...3)
    func copiesOfStores(seed: Int) throws {
        var store = try LoggedStore(seed: seed)
        try store.append(30)
        try store.compact(.newestState)
        try store.append(4)
        try store.compact(.newestState)
        let expected = try store.state.contentDigest()
        let backup = SimulatedDisk()
        _ = try LogBackup.run(from: store.disk, to: backup)
        #expect(try LoggedState(of: backup).contentDigest() == expected, "seed \(seed)")
        #expect(try LoggedState(of: backup).image != nil)
        let salvaged = SimulatedDisk()
        _ = try StoreSalvage.salvage(
            from: store.disk, to: salvaged, environment: SimulatedEnvironment(seed: 3))
        #expect(try LoggedState(of: salvaged).contentDigest() == expected, "seed \(seed)")
        #expect(try LoggedState(of: salvaged).image != nil)
        #expect(try StoreVerification.verify(salvaged).problems.isEmpty)
    }

    @Test("Bytes of types add up to what the blocks take")
    func bytesByType() throws {
        var store = try LoggedStore(seed: 4)
        try store.append(80)
        try store.compact()
        let file = try #require(try store.checkpoints().first)
        let types = try file.bytesByType()
        let blocks = try file.imageRanges().blocks
        let stored = UInt64(blocks.reduce(0) { $0 + $1.count })
        let found = types.values.reduce(0, +)
        // Shares are rounded down, each.
        #expect(found <= stored && found + UInt64(types.count * blocks.count) >= stored)
        #expect(types.count == store.state.typeCount)
        // Blocks are compressed, and hold no more than memory does.
        let content = try file.contentBytes()
        #expect(content > stored && content <= store.state.reservedBytes)
    }

    @Test("Opening reads the root and looks at checksums; a look-up reads few blocks")
    func laziness() throws {
        var store = try LoggedStore(seed: 6)
        try store.append(60)
        try store.compact()
        let logged = try LoggedState(of: store.disk)
        #expect(logged.state.health?.damages == [])
        let before = logged.state.reservedBytes
        _ = try logged.contentDigest()
        #expect(logged.state.reservedBytes > before)
    }
}
