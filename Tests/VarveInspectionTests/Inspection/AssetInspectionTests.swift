import Foundation
import Testing
import Varve
import VarveInspection
import VarveLog
import VarveTestSupport

@testable import VarveTool

// Two versions of an app's type.

@EntityModel("Film")
private struct FilmV1 {
    let id: Int
    var still: Asset<Data>?
}

@EntityModel("Film")
private struct FilmV2 {
    let id: Int
    var title: String = "untitled"
    var sound: Asset<Data>? = nil
    var still: Asset<Data>?
}

@Suite("Assets without the app's types")
struct AssetInspectionTests {
    private let disk = SimulatedDisk()

    private func open(_ type: any EntityModelProtocol.Type, seed: UInt64) throws -> Store {
        try Store(
            in: disk, environment: SimulatedEnvironment(seed: seed), mode: .readWrite,
            durability: .commit, compactsAutomatically: false, types: [type])
    }

    @Test("A checkpoint is read in the definitions of its time, when the type has others since")
    func formerDefinitions() throws {
        let first = try open(FilmV1.self, seed: 1)
        try first.write { context in
            try FilmV1(id: 1, still: Asset(Data("one".utf8), in: first)).save(to: &context)
        }
        try first.compact()
        try first.close()
        let second = try open(FilmV2.self, seed: 2)
        try second.write { context in
            let sound = try Asset(Data("two".utf8), in: second)
            try FilmV2(id: 2, sound: sound, still: nil).save(to: &context)
        }
        try second.close()
        let verification = try StoreVerification.verify(disk)
        #expect(verification.problems.isEmpty, "\(verification.problems)")
        #expect(verification.assets == 2 && verification.assetBytes.rawValue == 6)
    }

    @Test("A compaction is done where assets cannot be collected, and says why they are left")
    func leftover() throws {
        let store = try open(FilmV1.self, seed: 1)
        for number in 1...3 {
            try store.write { context in
                let still = try Asset(Data("still \(number)".utf8), in: store)
                try FilmV1(id: 1, still: still).save(to: &context)
            }
        }
        try store.close()
        let unlisted = UnlistableFileSystem(disk, inside: "assets")
        let first = try StoreCompaction.compact(unlisted, retaining: .newestState)
        #expect(first.checkpoint == 3 && first.assetsDropped == 0)
        #expect(first.assetsLeftover?.contains("cannot list") == true)
        let second = try StoreCompaction.compact(disk, retaining: .newestState)
        #expect(second.assetsDropped == 2 && second.assetsLeftover == nil)
    }

    @Test("An undo that brings back an asset whose file is gone is refused, and nothing is written")
    func missingInUndo() throws {
        let store = try open(FilmV1.self, seed: 1)
        var digests: [AssetDigest] = []
        for text in ["one", "two"] {
            try store.write { context in
                let still = try Asset(Data(text.utf8), in: store)
                digests.append(still.digest)
                try FilmV1(id: 1, still: still).save(to: &context)
            }
        }
        try store.close()
        let name = digests[0].description
        try disk.subdirectory("assets").subdirectory(String(name.prefix(2)))
            .remove(String(name.dropFirst(2)))
        let before = disk.image
        let error = #expect(throws: InspectionError.self) {
            _ = try StoreRevision.perform(.undo(scope: nil), disk)
        }
        let description = error.map { "\($0)" } ?? ""
        #expect(description.contains("Film 1 'still': the file assets/"), "\(description)")
        #expect(description.contains("is missing") && description.contains("nothing was done"))
        #expect(
            disk.image.files.filter { $0.key.hasPrefix("segment") }
                == before.files.filter { $0.key.hasPrefix("segment") })
    }

    @Test(
        "An import takes assets whose files the store has, and refuses others at their lines"
    )
    func importing() throws {
        let folder = try TestFolder()
        let path = folder.file("films.varve")
        let store = try Store(at: URL(fileURLWithPath: path), FilmV1.self)
        let digest = try Asset(Data("one".utf8), in: store).digest
        try store.write { context in
            try FilmV1(id: 1, still: Asset(Data("one".utf8), in: store)).save(to: &context)
        }
        try store.close()
        func line(_ digest: String) throws -> String {
            try folder.write(
                #"{"type":"Film","id":2,"still":{"digest":"\#(digest)","byteCount":3,"#
                    + #""pathExtension":"","mediaType":"text/plain"}}"#, to: "films.jsonl")
        }
        let other = String(repeating: "0a", count: 32)
        for isDryRun in [true, false] {
            var work = StoreImport()
            work.isDryRun = isDryRun
            let report = try work.run(files: [line(other)], into: path)
            let refusal = try #require(report.refused.first)
            #expect(report.refusedCount == 1 && report.transaction == nil)
            #expect((refusal.line, refusal.column) == (1, 31))
            #expect(
                refusal.reason == "'still': the file of asset \(other) is missing: "
                    + "name a store that has it with --assets=STORE")
        }
        let report = try StoreImport().run(files: [line(digest.description)], into: path)
        #expect(report.inserted == 1)
        let again = try Store(at: URL(fileURLWithPath: path), FilmV1.self)
        let still = try #require(FilmV1.query(2).resolve(in: again.context)?.still)
        #expect(try still.data(in: again) == Data("one".utf8))
    }

    @Test(
        "An export and the store that it was made of give an equal store with its assets",
        arguments: ["films.jsonl", "films"])
    func carrying(output: String) throws {
        let folder = try TestFolder()
        let (path, copy) = (folder.file("films.varve"), folder.file("copy.varve"))
        let store = try Store(at: URL(fileURLWithPath: path), FilmV1.self)
        try store.write { context in
            for id in 1...4 {
                // Two of them share one.
                let still = try Asset(Data("still \(id % 3)".utf8), in: store)
                try FilmV1(id: id, still: still).save(to: &context)
            }
        }
        try store.close()
        let file = folder.file(output)
        let format = output.hasSuffix("jsonl") ? "jsonl" : "csv"
        #expect(ToolRun("export", "--format", format, path, "-o", file).status == .success)
        // Only a look: nothing is made, and what the other store lacks is found.
        let look = ToolRun("import", "--dry-run", "--assets", path, file, copy)
        #expect(look.status == .success, "\(look.output)")
        #expect(!FileManager.default.fileExists(atPath: copy))
        let refused = ToolRun("import", "--assets", folder.file("none.varve"), file, copy)
        #expect(refused.status == .failure && refused.output.contains("is missing in"))
        #expect(!FileManager.default.fileExists(atPath: copy))

        let run = ToolRun("import", "--assets", path, file, copy)
        #expect(run.status == .success, "\(run.output)\(run.errors)")
        #expect(ToolRun("verify", copy).status == .success)
        let again = try Store(at: URL(fileURLWithPath: copy), FilmV1.self)
        for id in 1...4 {
            let still = try #require(FilmV1.query(id).resolve(in: again.context)?.still)
            #expect(try still.data(in: again) == Data("still \(id % 3)".utf8))
        }
    }

    @Test("An asset whose file the other store has changed is refused at its line")
    func carryingChanged() throws {
        let folder = try TestFolder()
        let (path, copy) = (folder.file("films.varve"), folder.file("copy.varve"))
        let store = try Store(at: URL(fileURLWithPath: path), FilmV1.self)
        let still = try Asset(Data("one".utf8), in: store)
        try store.write { context in try FilmV1(id: 1, still: still).save(to: &context) }
        try store.close()
        let export = ToolRun("export", path, "-o", folder.file("films.jsonl"))
        #expect(export.status == .success)
        let name = "\(still.digest)"
        let file = path + "/assets/" + name.prefix(2) + "/" + name.dropFirst(2)
        try Data("two".utf8).write(to: URL(fileURLWithPath: file))
        for options in [["--dry-run"], []] {
            let run = ToolRun(
                all: ["import"] + options + ["--assets", path, folder.file("films.jsonl"), copy])
            #expect(run.status == .failure)
            #expect(run.output.contains("line 2") && run.output.contains("cannot be copied"))
            #expect(!FileManager.default.fileExists(atPath: copy))
        }
    }

    @Test("Nothing is copied into a store where a line is refused")
    func refusedLine() throws {
        let folder = try TestFolder()
        let (path, other) = (folder.file("films.varve"), folder.file("other.varve"))
        for (path, text) in [(path, "one"), (other, "two")] {
            let store = try Store(at: URL(fileURLWithPath: path), FilmV1.self)
            let still = try Asset(Data(text.utf8), in: store)
            try store.write { context in try FilmV1(id: 1, still: still).save(to: &context) }
            try store.close()
        }
        #expect(ToolRun("export", path, "-o", folder.file("films.jsonl")).status == .success)
        let lines = try String(contentsOfFile: folder.file("films.jsonl"), encoding: .utf8)
        let wrong = try folder.write(lines + #"{"type":"Film","id":"x"}"# + "\n", to: "wrong.jsonl")
        let before = try FileManager.default.subpathsOfDirectory(atPath: other).sorted()
        #expect(ToolRun("import", "--assets", path, wrong, other).status == .failure)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: other).sorted() == before)
        let right = folder.file("films.jsonl")
        #expect(ToolRun("import", "--assets", path, right, other).status == .success)
        #expect(ToolRun("verify", other).status == .success)
    }

    @Test("An entity may keep an asset whose file is lost")
    func lostFile() throws {
        let folder = try TestFolder()
        let path = folder.file("films.varve")
        let store = try Store(at: URL(fileURLWithPath: path), FilmV1.self)
        let still = try Asset(Data("one".utf8), in: store)
        try store.write { context in try FilmV1(id: 1, still: still).save(to: &context) }
        try store.close()
        #expect(ToolRun("export", path, "-o", folder.file("films.jsonl")).status == .success)
        try FileManager.default.removeItem(atPath: path + "/assets")
        let run = ToolRun("import", "--json", folder.file("films.jsonl"), path)
        #expect(run.status == .success)
        #expect(try JSONObject(run.output)["unchanged"] == "1")
    }

    @Test("The default of a property brings its asset along, or is refused")
    func defaults() throws {
        let folder = try TestFolder()
        let (path, copy) = (folder.file("posters.varve"), folder.file("copy.varve"))
        let url = URL(fileURLWithPath: path)
        // The asset of a default is there before the type is.
        let maker = try Store(at: url, FilmV1.self)
        #expect(try Asset(Data("abc".utf8), in: maker).digest == standardImage.digest)
        try maker.close()
        let store = try Store(at: url, Poster.self)
        let other = try Asset(Data("other".utf8), in: store)
        try store.write { context in try Poster(id: 1, image: other).save(to: &context) }
        try store.close()
        // No row names it.
        let file = folder.file("posters.jsonl")
        #expect(ToolRun("export", path, "-o", file).status == .success)
        let refused = ToolRun("import", file, copy)
        #expect(refused.status == .failure)
        #expect(refused.errors.contains("the default of 'image' of Poster: the file of asset"))
        #expect(ToolRun("import", "--assets", path, file, copy).status == .success)
        #expect(ToolRun("verify", copy).status == .success)
        let added = try folder.write(#"{"type":"Poster","id":2}"#, to: "added.jsonl")
        #expect(ToolRun("import", added, copy).status == .success)
        let again = try Store(at: URL(fileURLWithPath: copy), Poster.self)
        let image = try #require(Poster.query(2).resolve(in: again.context)?.image)
        #expect(try image.data(in: again) == Data("abc".utf8))
    }
}

@EntityModel
private struct Poster {
    let id: Int
    var image: Asset<Data> = standardImage
}

/// The content "abc", of which this says nothing of whether it is in a store.
private let standardImage: Asset<Data> = {
    let json = #"""
        {"digest":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "byteCount":3,"pathExtension":"","mediaType":"application/octet-stream"}
        """#
    guard let asset = try? JSONDecoder().decode(Asset<Data>.self, from: Data(json.utf8)) else {
        preconditionFailure("this is the coding of an asset")
    }
    return asset
}()
