import Foundation
import Testing
import VarveInspection

@testable import VarveTool

@Suite("varve salvage, backup and hexdump")
struct RescueCommandTests {
    private func target() -> URL {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("varve-rescue-\(UUID().uuidString)")
    }

    @Test("salvage writes a sound store and lists the losses; the damaged one stays as it is")
    func salvage() throws {
        let store = try SampleStore.filled()
        try store.flip(byteAt: 704 + 60)
        let before = try store.files()
        let target = target()
        defer { try? FileManager.default.removeItem(at: target) }
        let run = ToolRun("salvage", store.path, "--to", target.path)
        #expect(run.status == .failure && run.errors.isEmpty)
        #expect(run.lines[0].hasSuffix(": losses"))
        #expect(run.lines.contains("  lost: transaction 3"))
        #expect(run.output.contains("segment-0000000001, offset 704, "))
        #expect(try store.files() == before)
        #expect(ToolRun("verify", target.path).status == .success)
        let again = ToolRun("salvage", store.path, "-t", target.path)
        #expect(again.status == .failure && again.errors.contains("is not empty"))
    }

    @Test("salvage of a sound store loses nothing, and says so in JSON too")
    func sound() throws {
        let store = try SampleStore.filled()
        let target = target()
        defer { try? FileManager.default.removeItem(at: target) }
        let json = try JSONObject(
            ToolRun("salvage", "--json", "--to=" + target.path, store.path).output)
        #expect(json["complete"] == "true" && json["transactions"] == "9")
        #expect(json["lost"] == "[0]" && json["last"] == "9")
    }

    @Test("salvage without --to and backup without TO are refused")
    func usage() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("salvage", store.path)
        #expect(run.status == .usage && run.errors.contains("the option '--to=NEW' is missing"))
        #expect(ToolRun("backup", store.path).status == .usage)
        #expect(ToolRun("hexdump", store.path, "segment").status == .usage)
        #expect(ToolRun("salvage", "/nowhere/at/all", "--to", target().path).status == .failure)
        let folder = try TestFolder()
        let empty = ToolRun("salvage", folder.path, "--to", target().path)
        #expect(
            empty.errors
                == "varve: \(folder.path) is not a store: it holds neither segments nor checkpoints; "
                + "check the path: the folder of a store has files named segment-0000000001 and so on\n"
        )
    }

    @Test("backup copies a store, and the copy shows the same")
    func backup() throws {
        let store = try SampleStore.filled(segmentBytesMax: 400)
        let target = target()
        defer { try? FileManager.default.removeItem(at: target) }
        let run = ToolRun("backup", store.path, target.path)
        #expect(run.status == .success && run.errors.isEmpty)
        #expect(run.lines[0].contains("9 transactions through 9"))
        for command in ["User", "Chat"] {
            #expect(
                ToolRun("cat", target.path, command).output
                    == ToolRun("cat", store.path, command).output)
        }
        #expect(ToolRun("backup", store.path, target.path).status == .failure)
    }

    @Test("hexdump names every field of a frame, within 90 columns")
    func hexdump() throws {
        let store = try SampleStore.filled(segmentBytesMax: 400)
        let run = ToolRun("hexdump", store.path, "1:128")
        #expect(run.status == .success)
        #expect(run.lines[0] == "segment-0000000001, offset 128: frame header, 56 bytes")
        #expect(run.lines[1].hasSuffix("magic: 'VrF1'"))
        #expect(run.lines[2].hasSuffix("type: 2, catalog"))
        for subject in ["manifest", "segment-1", "3"] {
            let run = ToolRun("hexdump", store.path, subject)
            #expect(run.status == .success && run.lines.allSatisfy { $0.count <= 90 })
        }
        let json = try JSONObject(
            String(ToolRun("hexdump", "-j", store.path, "manifest").lines[0]))
        #expect(json["name"] == "manifest" && json["fields", 0, "hex"] == "8956524d0d0a1a0a")
    }

    @Test("hexdump of damage shows the bytes and what is wrong")
    func hexdumpOfDamage() throws {
        let store = try SampleStore.filled()
        try store.flip(byteAt: 704 + 60)
        let run = ToolRun("hexdump", store.path, "1:704")
        #expect(run.status == .failure)
        #expect(run.lines[1].contains("checksum of the stored bytes"))
        #expect(ToolRun("hexdump", store.path, "1:712").output.contains("no frame starts here"))
    }

    @Test("hexdump of a transaction shows it damaged or not, in whatever state the store is")
    func hexdumpOfDamagedTransaction() throws {
        let store = try SampleStore.filled()
        let sound = ToolRun("hexdump", store.path, "3")
        #expect(sound.status == .success)
        #expect(sound.lines[0].hasPrefix("segment-0000000001, offset 704: frame header"))
        try store.flip(byteAt: 704 + 60)
        let payload = ToolRun("hexdump", store.path, "3")
        #expect(payload.status == .failure && payload.errors.isEmpty)
        #expect(payload.lines[1].contains("checksum of the stored bytes"))
        #expect(payload.output.contains("stored payload"))
        // No header names it any more: it was between those of its neighbours.
        try store.flip(byteAt: 704 + 20)
        let header = ToolRun("hexdump", store.path, "3")
        #expect(header.status == .failure && header.errors.isEmpty)
        #expect(header.lines[0].hasPrefix("segment-0000000001, offset 704: frame header"))
        #expect(header.lines[1].hasSuffix("no frame starts here"))
        try store.flip(byteAt: 60, of: "manifest-0000000001")
        #expect(ToolRun("hexdump", store.path, "3").output == header.output)
        #expect(ToolRun("hexdump", store.path, "4").status == .success)
    }

    @Test("hexdump of a transaction that is not there says which there are")
    func hexdumpOfNoTransaction() throws {
        let store = try SampleStore.filled()
        let run = ToolRun("hexdump", store.path, "99")
        #expect(run.status == .failure && run.output.isEmpty)
        #expect(run.errors.contains("no transaction 99"))
    }
}
