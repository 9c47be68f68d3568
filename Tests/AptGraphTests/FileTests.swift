import CLZ4
import Foundation
import Testing

@testable import AptGraphInput

@Suite("Index files")
struct FileTests {
    private static let text = (0..<4000).map { minimal("package-\($0)") }.joined(separator: "\n")

    /// One LZ4 frame with a checksum of its content, as apt writes them.
    private func frame(_ text: String) throws -> [UInt8] {
        let bytes = Array(text.utf8)
        var preferences = LZ4F_preferences_t()
        preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled
        preferences.frameInfo.blockSizeID = LZ4F_max64KB
        var frame = [UInt8](repeating: 0, count: LZ4F_compressFrameBound(bytes.count, &preferences))
        let count = LZ4F_compressFrame(&frame, frame.count, bytes, bytes.count, &preferences)
        try #require(LZ4F_isError(count) == 0)
        return Array(frame[..<count])
    }

    private func decompressed(_ frame: [UInt8]) throws -> [PackagesReader.Entry] {
        try entries(of: LZ4FrameSource(MemoryByteSource(frame), path: "memory"))
    }

    @Test("A compressed index reads as the plain one does")
    func compressed() throws {
        #expect(try decompressed(frame(Self.text)) == entries(of: Self.text))
    }

    @Test("Frames after one another, an empty and a skippable one among them, read as one text")
    func severalFrames() throws {
        let skippable: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
        let bytes = try skippable + frame(minimal("a") + "\n") + frame("") + frame(minimal("b"))
        #expect(try decompressed(bytes) == entries(of: minimal("a") + "\n" + minimal("b")))
    }

    @Test("Compressed bytes in small pieces read the same")
    func smallPieces() throws {
        let pieces = PieceSource(try frame(Self.text), pieceBytesMax: 40, seed: 3)
        #expect(
            try entries(of: LZ4FrameSource(pieces, path: "memory")) == entries(of: Self.text))
    }

    @Test("A frame that is cut anywhere is refused with the offset")
    func truncation() throws {
        let whole = try frame((0..<40).map { minimal("p\($0)") }.joined(separator: "\n"))
        for count in 0..<whole.count {
            let expected = PackagesError.truncatedFrame(path: "memory", offset: Int64(count))
            #expect(throws: expected) { try decompressed(Array(whole[..<count])) }
        }
    }

    @Test("A frame with any byte changed is refused")
    func damage() throws {
        let whole = try frame((0..<40).map { minimal("p\($0)") }.joined(separator: "\n"))
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 0x10
            #expect(throws: PackagesError.self) { try decompressed(bytes) }
        }
    }

    @Test("Files are told apart by their first bytes, and progress ends at their size")
    func files() throws {
        try withTemporaryFolder { folder in
            let packed = try frame(Self.text)
            for (name, bytes) in [("plain", Array(Self.text.utf8)), ("packed", packed)] {
                let path = folder.appendingPathComponent(name).path
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                var found: [PackagesReader.Entry] = []
                var last = PackagesReader.Progress(bytesRead: 0, bytesTotal: 0)
                try PackagesReader.forEachStanza(in: path) { entry, progress in
                    found.append(entry)
                    #expect(progress.bytesRead >= last.bytesRead)
                    last = progress
                }
                #expect(try found == entries(of: Self.text))
                let total = Int64(bytes.count)
                #expect(last == PackagesReader.Progress(bytesRead: total, bytesTotal: total))
            }
        }
    }

    @Test("What cannot be read is a typed error")
    func refusals() throws {
        try withTemporaryFolder { folder in
            let missing = folder.appendingPathComponent("missing").path
            #expect(throws: PackagesError.missing(path: missing)) {
                try PackagesReader(path: missing)
            }
            #expect(throws: PackagesError.notAFile(path: folder.path)) {
                try PackagesReader(path: folder.path)
            }
            let packed = folder.appendingPathComponent("Packages.gz").path
            try Data([0x1F, 0x8B, 8, 0, 0]).write(to: URL(fileURLWithPath: packed))
            #expect(throws: PackagesError.unsupportedCompression(path: packed, format: "gzip")) {
                try PackagesReader(path: packed)
            }
        }
    }

    @Test("Lists of apt's come first, in order, each once; then dpkg's status file; then an error")
    func discovery() throws {
        try withTemporaryFolder { folder in
            let status = folder.appendingPathComponent("status").path
            let lists = folder.appendingPathComponent("lists")
            #expect(throws: PackagesError.noIndex(listsFolder: lists.path, statusFile: status)) {
                try PackagesDiscovery(listsFolder: lists.path, statusFile: status)
            }
            try Data(minimal("s").utf8).write(to: URL(fileURLWithPath: status))
            try FileManager.default.createDirectory(
                at: lists, withIntermediateDirectories: true)
            let fallback = try PackagesDiscovery(listsFolder: lists.path, statusFile: status)
            #expect(fallback.files.map(\.path) == [status])

            let packed = try Data(frame(minimal("a")))
            let names = [
                "b.org_debian_dists_x%5fy_main_binary-amd64_Packages.lz4", "a.org_dists_s_Packages",
                "a.org_dists_s_Packages.lz4", "a.org_dists_s_InRelease", "lock",
            ]
            for name in names { try packed.write(to: lists.appendingPathComponent(name)) }
            try Data([0x1F, 0x8B, 8]).write(to: lists.appendingPathComponent("c_Packages.gz"))
            let found = try PackagesDiscovery(listsFolder: lists.path, statusFile: status)
            #expect(
                found.files.map(\.archive)
                    == ["a.org/dists/s", "b.org/debian/dists/x_y/main/binary-amd64"])
            #expect(found.unsupportedPaths == [lists.path + "/c_Packages.gz"])
        }
    }
}
