import Foundation
import Testing
import Varve
import VarveInspection

@testable import VarveTool

/// What `varve schema --swift` prints is compiled here, as PrintedFleet.swift, and opens the store.
@Suite("Swift source of a schema")
struct PrintedSchemaTests {
    private final class Folder {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-fleet-\(UUID().uuidString).varve")
        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private let folder = Folder()

    init() throws { try OriginalFleet.write(at: folder.url) }

    /// Without the lines that name the store.
    private func declarations(_ text: String) -> Substring {
        text.range(of: "import Foundation").map { text[$0.lowerBound...] } ?? ""
    }

    @Test("The printed source is the one that is compiled here")
    func source() throws {
        let run = ToolRun("schema", "--swift", folder.url.path)
        #expect(run.status == .success)
        let compiled = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("PrintedFleet.swift"), encoding: .utf8)
        #expect(declarations(run.output) == declarations(compiled))
        #expect(
            run.output.contains(
                "// let store = try Store(at: url, Ship.self, Sailor.self, Port.self)\n"))
    }

    @Test("It opens the store with all values, and leaves the schema as it is")
    func values() throws {
        let store = try Store(at: folder.url, Ship.self, Sailor.self, Port.self)
        #expect(store.opening.unread.isEmpty)
        let found = Ship.query(OriginalFleet.shipID).with(\.$captain).with(\.$crew)
            .with(\.$scrapped).resolve(in: store.context)
        let ship = try #require(found)
        #expect(ship.name == "Aurora" && ship.tonnage == nil && ship.state.rawValue == "docked")
        #expect(ship.states.map(\.rawValue) == ["lost", "afloat"] && ship.draught.rawValue == -7)
        #expect(
            ship.berth == Berth(pier: "West", pierSide: nil, state: ShipState(rawValue: "afloat")))
        #expect(ship.berths["next"]?.pierSide == true)
        #expect(
            ship.cargo == [
                .default, .goods(what: "tea", tons: 2.5), .people(3, [Draught(rawValue: 1)]),
            ])
        let papers = StoredJSON.object([
            "issued": .number(0.1), "pages": .object(["a/b": .array([.integer(1), .integer(-2)])]),
            "isValid": .bool(true), "fee": .number(1.5),
        ])
        #expect(ship.papers.document == papers && ship.drafts.map(\.?.document) == [nil, papers])
        #expect(ship.home.absoluteString == "https://example.com/a?b=c")
        #expect("\(ship.price)" == "12345678901234567890.125")
        #expect(ship.built.timeIntervalSinceReferenceDate == 86_400.25)
        #expect(
            ship.photo == Data([0, 255, 7]) && ship.marks == [3, -1] && ship.counts == [-5: 200])
        #expect(ship.ratio == 0.1 && ship.default == .max && ship.perCent == -100)
        #expect(ship.port.description == "HH" && ship.deep == [nil, [1, 2]])
        #expect(ship.captain?.name == "Ann" && ship.crew?.map(\.id.rawValue) == [1, 2])
        #expect(ship.scrapped?.first?.entity.name == "Borealis")
        #expect(Port.query(PortCode("HH")).resolve(in: store.context)?.isOpen == true)
        try store.close()
    }

    @Test("A write of the printed entities leaves the schema as the program wrote it")
    func writing() throws {
        let before = try schemaJSON()
        let store = try Store(at: folder.url, Ship.self, Sailor.self, Port.self)
        try store.write("Rename") { context in
            var port = try #require(Port.query(PortCode("HH")).resolve(in: context))
            port.isOpen = false
            try port.save(to: &context)
        }
        try store.close()
        #expect(try schemaJSON() == before)
        // The program's own entities open it as before.
        let original = try Store(at: folder.url, OriginalFleet.Ship.self, OriginalFleet.Port.self)
        #expect(original.opening.unread.isEmpty)
        let port = OriginalFleet.Port.query(OriginalFleet.PortCode("HH"))
            .resolve(in: original.context)
        #expect(port?.isOpen == false)
        try original.close()
    }

    private func schemaJSON() throws -> [NSDictionary] {
        let line = Data(ToolRun("schema", "--json", folder.url.path).output.utf8)
        let object = try JSONSerialization.jsonObject(with: line) as? [String: Any]
        return try #require(object?["types"] as? [NSDictionary])
    }
}
