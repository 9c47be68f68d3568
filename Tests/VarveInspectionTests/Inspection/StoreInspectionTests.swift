import Foundation
import Testing
import Varve
import VarveInspection

@testable import VarveTool

@EntityModel
private struct Album {
    let id: UUID
    var title: String
    var released: Date?
    var ratings: [String: Int] = [:]

    @Relationship(deleteRule: .cascade, inverse: \.album) var tracks: [Track]?
}

@EntityModel
private struct Track {
    let id: Int
    var name: String

    @Relationship(inverse: \.tracks) var album: Album?
}

@Suite("Stores that a program wrote")
struct StoreInspectionTests {
    private let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("varve-program-\(UUID().uuidString).varve")

    private static let albumID = "5D1C0A4E-8B7C-4C7E-9A55-0123456789AB"

    private func fill() throws {
        let store = try Store(at: url, Album.self)
        let id = try #require(UUID(uuidString: Self.albumID))
        try store.write("Add", options: WriteOptions(author: "test")) { context in
            try Album(
                id: id, title: "Kind of Blue",
                released: Date(timeIntervalSince1970: -326_764_799.5), ratings: ["b": 2, "a": 1],
                tracks: .relation([
                    Track(id: 1, name: "So What"), Track(id: Int.max, name: "Blue in Green"),
                ])
            ).save(to: &context)
        }
        try store.write("Rename") { context in
            try Track(id: 1, name: "So what?").save(to: &context)
        }
        try store.write("Remove") { context in try Track.delete(id: 1, from: &context) }
        try store.close()
    }

    @Test("The program shows what another program wrote, without its types")
    func commands() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        try fill()
        let album = try JSONObject(
            ToolRun("cat", url.path, "Album", Self.albumID.lowercased()).output)
        #expect(album["id"] == Self.albumID)
        #expect(album["fields", "title"] == "Kind of Blue")
        #expect(album["fields", "released"] == "1959-08-25T00:00:00.500000Z")
        #expect(album["fields", "ratings", "b"] == "2")
        #expect(album["links", "tracks", 0] == "9223372036854775807")
        let track = try JSONObject(
            ToolRun("cat", "--deleted", url.path, "Track", "1").output)
        #expect(track["fields", "name"] == "So what?")
        #expect(track["links", "album"] == Self.albumID)
        let log = ToolRun("log", "--json", url.path).lines
        #expect(try log.map { try JSONObject($0)["label"] } == ["Remove", "Rename", "Add"])
        #expect(try JSONObject(log[2])["author"] == "test")
        #expect(
            ToolRun("show", url.path, "2").output.hasSuffix(
                """
                ~ Track 1  last changed in 1
                    name  "So What" → "So what?"

                """))
        let verification = ToolRun("verify", url.path)
        #expect(verification.status == .success)
        #expect(verification.output.contains("3 transactions"))
    }

    @Test("The count of live and deleted entities is the store's own")
    func counts() throws {
        defer { try? FileManager.default.removeItem(at: url) }
        try fill()
        let summary = try Inspection(at: url.path).summary()
        let counts = summary.types.filter { $0.type.tombstoneOf == nil }
        #expect(counts.map(\.type.name) == ["Album", "Track"])
        #expect(counts.map(\.live) == [1, 1])
        #expect(counts.map(\.deleted) == [0, 1])
    }
}
