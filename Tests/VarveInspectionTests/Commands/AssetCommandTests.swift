import Foundation
import Testing
import Varve
import VarveInspection

@testable import VarveTool

@EntityModel
private struct Film {
    let id: Int
    var still: Asset<Data>?
    var sounds: [Asset<Data>] = []
}

/// A store in files whose assets are looked at, and harmed.
private final class FilmStore {
    private let folder: TestFolder
    let path: String
    /// Of the contents, by their names.
    private(set) var digests: [String: String] = [:]

    /// Three transactions: film 1 with the still "one"; its still "two"; film 2 with the sound "three".
    init() throws {
        folder = try TestFolder()
        path = folder.file("films.varve")
        let store = try open()
        try store.write { try Film(id: 1, still: asset("one", in: store)).save(to: &$0) }
        try store.write { try Film(id: 1, still: asset("two", in: store)).save(to: &$0) }
        try store.write { try Film(id: 2, sounds: [asset("three", in: store)]).save(to: &$0) }
        try store.close()
    }

    private func asset(_ text: String, in store: Store) throws -> Asset<Data> {
        let asset = try Asset(Data(text.utf8), in: store)
        digests[text] = asset.digest.description
        return asset
    }

    func open(at path: String? = nil) throws -> Store {
        try Store(
            at: URL(fileURLWithPath: path ?? self.path), retention: .everything,
            compactsAutomatically: false, Film.self)
    }

    func file(_ name: String) -> String { folder.file(name) }

    func digest(of text: String) throws -> String { try #require(digests[text]) }

    /// The place inside of the store.
    func assetPath(of text: String) throws -> String {
        let digest = try digest(of: text)
        return "assets/\(digest.prefix(2))/\(digest.dropFirst(2))"
    }

    private func url(of text: String) throws -> URL {
        URL(fileURLWithPath: path).appendingPathComponent(try assetPath(of: text))
    }

    func removeAsset(_ text: String) throws {
        try FileManager.default.removeItem(at: try url(of: text))
    }

    /// Other content of the same length.
    func changeAsset(_ text: String) throws {
        try Data(text.uppercased().utf8).write(to: try url(of: text))
    }

    func shortenAsset(_ text: String) throws {
        try Data(text.utf8.dropLast()).write(to: try url(of: text))
    }
}

@Suite("Commands on stores with assets")
struct AssetCommandTests {
    private let films: FilmStore

    init() throws { films = try FilmStore() }

    // MARK: verify

    @Test("verify counts the assets of a sound store, and reads the file of each")
    func sound() throws {
        let run = ToolRun("verify", films.path)
        #expect(run.status == .success && run.errors.isEmpty)
        #expect(run.lines[0].hasSuffix(": sound"))
        #expect(run.lines.last?.hasSuffix(", 3 assets of 11 bytes") == true, "\(run.output)")
        let json = try JSONObject(ToolRun("verify", "--json", films.path).output)
        #expect(json["assets"] == "3" && json["assetBytes"] == "11" && json["problems"] == "[0]")
    }

    @Test(
        "verify names entity, property, file and digest of each asset that is missing, shortened or changed"
    )
    func damaged() throws {
        try films.changeAsset("one")
        try films.removeAsset("two")
        try films.shortenAsset("three")
        let verification = try StoreVerification.verify(at: films.path)
        #expect(!verification.isSound && verification.problems.count == 3)
        #expect(verification.assets == 3 && verification.assetBytes.rawValue == 11)
        let digest = try Asset(Data("ONE".utf8), in: Store.inMemory(Film.self)).digest
        let paths = try ["one", "two", "three"].map(films.assetPath(of:))
        let expected = [
            "an entity of type 'Film': 1 'still': the file \(paths[0]) has other content, of digest \(digest)",
            "an entity of type 'Film': 1 'still': the file \(paths[1]) is missing",
            "an entity of type 'Film': 2 'sounds': the file \(paths[2]) has 4 bytes",
        ]
        #expect(verification.problems.map { "\($0)" } == expected)
        let run = ToolRun("verify", films.path)
        #expect(run.status == .failure && run.errors.isEmpty)
        #expect(run.lines[0].hasSuffix(": damaged, 3 problems"))
        #expect(run.lines[1...3].map { String($0.dropFirst(2)) } == expected)
        let json = try JSONObject(ToolRun("verify", "--json", films.path).output)
        #expect(json["sound"] == "false" && json["problems"] == "[3]")
        #expect(json["problems", 1, "message"] == expected[1])
        #expect(json["problems", 1, "segment"] == "null")
    }

    @Test("verify finds what is lost of a checkpoint's state, and what only the kept history names")
    func damagedBehindCompaction() throws {
        #expect(ToolRun("compact", "--keep=all", films.path).status == .success)
        try films.changeAsset("two")
        #expect(try StoreVerification.verify(at: films.path).problems.count == 1)
        try films.removeAsset("one")
        #expect(try StoreVerification.verify(at: films.path).problems.count == 2)
        // The history goes, and what it alone had lost with it.
        #expect(ToolRun("compact", "--keep=none", films.path).status == .success)
        let rest = try StoreVerification.verify(at: films.path)
        #expect(rest.problems.count == 1 && rest.assets == 2)
        #expect(
            rest.problems.first.map { "\($0)" }?.hasPrefix("an entity of type 'Film': 1 'still'")
                == true)
        // Made again, it is sound.
        let store = try films.open()
        _ = try Asset(Data("two".utf8), in: store)
        try store.close()
        #expect(ToolRun("verify", films.path).status == .success)
    }

    // MARK: du and statistics

    @Test("du and info say how much of a store its assets are")
    func usage() throws {
        let run = ToolRun("du", films.path)
        #expect(run.status == .success)
        #expect(run.lines[1] == "  11 bytes of that are assets")
        let json = try JSONObject(ToolRun("du", "--json", films.path).output)
        let names = (0..<20).compactMap { json["files", $0, "name"] }
        let position = try #require(names.firstIndex(of: "assets/"))
        #expect(json["files", position, "bytes"] == "11")
        #expect(ToolRun("info", films.path).lines.contains { $0.contains("assets/") })
        let text = ToolRun("cat", films.path, "Film", "1").output
        #expect(try text.contains(films.digest(of: "two")), "\(text)")
    }

    @Test(
        "The statistics of a store count what was replaced and deleted until a compaction has begun"
    )
    func statistics() throws {
        let store = try films.open()
        #expect(store.statistics.replacedAssetBytes == .zero)
        try store.write { context in
            let four = try Asset(Data("four".utf8), in: store)
            try Film(id: 1, still: four).save(to: &context)
        }
        #expect(store.statistics.replacedAssetBytes.rawValue == 3)
        // A tombstone keeps what its entity had.
        try store.write { try Film.delete(id: 2, from: &$0) }
        let deleted = store.statistics.replacedAssetBytes.rawValue
        try store.undo()
        try store.undo()
        #expect(store.statistics.replacedAssetBytes.rawValue == deleted + 4)
        try store.compact(retaining: .newestState)
        #expect(store.statistics.replacedAssetBytes == .zero)
        let film = try Film.require(1, in: store.context)
        #expect(try film.still?.data(in: store) == Data("two".utf8))
    }

    // MARK: backup, compact and salvage

    @Test("backup copies assets, and names those that are damaged with status 1")
    func backup() throws {
        let run = ToolRun("backup", films.path, films.file("first.varve"))
        #expect(run.status == .success && run.lines.contains("  3 assets of 11 bytes"))
        #expect(ToolRun("verify", films.file("first.varve")).status == .success)
        let copy = try films.open(at: films.file("first.varve"))
        let sound = try Film.require(2, in: copy.context).sounds.first
        #expect(try sound?.data(in: copy) == Data("three".utf8))
        try films.changeAsset("two")
        try films.removeAsset("three")
        let damaged = ToolRun("backup", films.path, films.file("second.varve"))
        #expect(damaged.status == .failure && damaged.errors.isEmpty)
        #expect(damaged.lines.contains("  1 asset of 3 bytes"))
        for text in ["two", "three"] {
            #expect(
                try damaged.lines.contains(
                    "  damaged, and left out: " + films.assetPath(of: text)), "\(damaged.output)")
        }
        let json = try JSONObject(
            ToolRun("backup", "--json", films.path, films.file("third.varve")).output)
        #expect(json["assets"] == "1" && json["assetBytes"] == "3")
        #expect(json["damagedAssets"] == "[2]")
        #expect(ToolRun("verify", films.file("third.varve")).status == .failure)
    }

    @Test("compact says how many assets went, and leaves what is named")
    func compact() throws {
        let kept = ToolRun("compact", "--keep=all", films.path)
        #expect(kept.status == .success && !kept.output.contains("asset"))
        let run = ToolRun("compact", "--keep=none", films.path)
        #expect(run.status == .success && run.lines.contains("  1 asset of 3 bytes dropped"))
        #expect(ToolRun("verify", films.path).output.contains("2 assets of 8 bytes"))
        let json = try JSONObject(
            ToolRun("compact", "--json", "--keep=none", films.path).output)
        #expect(json["assetsDropped"] == "0" && json["assetBytesDropped"] == "0")
        #expect(json["assetsLeftover"] == "null")
    }

    @Test("salvage brings assets over, and names those that are damaged")
    func salvage() throws {
        let sound = ToolRun("salvage", films.path, "--to", films.file("first.varve"))
        #expect(sound.status == .success && sound.lines.contains("  3 assets of 11 bytes"))
        #expect(ToolRun("verify", films.file("first.varve")).status == .success)
        try films.changeAsset("two")
        let run = ToolRun("salvage", films.path, "--to", films.file("second.varve"))
        #expect(run.status == .failure && run.lines.contains("  2 assets of 8 bytes"))
        let path = try films.assetPath(of: "two")
        #expect(
            run.lines.contains { $0.hasPrefix("  damaged: \(path)") }, "\(run.output)")
        let json = try JSONObject(
            ToolRun("salvage", "--json", films.path, "--to", films.file("third.varve")).output)
        #expect(json["assets"] == "2" && json["complete"] == "false")
        #expect(json["damages", 0, "file"] == path)
        let verified = ToolRun("verify", films.file("third.varve"))
        #expect(try verified.output.contains("\(films.assetPath(of: "two")) is missing"))
        let store = try films.open(at: films.file("third.varve"))
        let film = try Film.require(2, in: store.context)
        #expect(try film.sounds.first?.data(in: store) == Data("three".utf8))
    }
}
