import Foundation

@testable import AptGraphInput

/// The three fields that every stanza needs; three lines.
func minimal(_ name: String) -> String {
    "Package: \(name)\nVersion: 1\nArchitecture: all\n"
}

func entries(of text: String) throws -> [PackagesReader.Entry] {
    try entries(of: Array(text.utf8))
}

func entries(of bytes: [UInt8]) throws -> [PackagesReader.Entry] {
    var entries: [PackagesReader.Entry] = []
    try PackagesReader.forEachStanza(in: bytes) { entry, _ in entries.append(entry) }
    return entries
}

func entries(of source: any ByteSource) throws -> [PackagesReader.Entry] {
    let reader = PackagesReader(source, bytesTotal: 0)
    var entries: [PackagesReader.Entry] = []
    while let entry = try reader.next() { entries.append(entry) }
    return entries
}

func stanzas(of text: String) throws -> [PackageStanza] {
    try entries(of: text).compactMap { entry in
        if case .stanza(let stanza) = entry { stanza } else { nil }
    }
}

func problems(of text: String) throws -> [StanzaProblem] {
    try entries(of: text).compactMap { entry in
        if case .problem(let problem) = entry { problem } else { nil }
    }
}

/// Hands bytes out in pieces of random length, so that every boundary falls everywhere.
final class PieceSource: ByteSource {
    private let bytes: [UInt8]
    private let pieceBytesMax: Int
    private var generator: StanzaGenerator
    private var offset = 0

    init(_ bytes: [UInt8], pieceBytesMax: Int, seed: UInt64) {
        self.bytes = bytes
        self.pieceBytesMax = pieceBytesMax
        generator = StanzaGenerator(seed: seed)
    }

    var position: Int64 { Int64(offset) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let piece = Int.random(in: 1...pieceBytesMax, using: &generator)
        let count = min(buffer.count, piece, bytes.count - offset)
        buffer.copyBytes(from: bytes[offset..<offset + count])
        offset += count
        return count
    }
}

/// Calls `body` with a new folder, which is gone afterwards.
func withTemporaryFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("aptgraph-tests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
}
