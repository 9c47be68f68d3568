import Foundation
import Testing
import VarveLog
import VarveTestSupport

@Suite("The fields of the format")
struct FormatFieldTests {
    /// Each structure and the heading in Docs/FORMAT.md above its first table.
    static let headings: [(FormatStructure, String)] = [
        (.manifest, "## Manifest"), (.segmentHeader, "### Segment header"),
        (.frameHeader, "### Frame"), (.segmentFooter, "### Footer"),
        (.checkpointHeader, "### Checkpoint header"), (.pageHeader, "### Page"),
        (.checkpointFooter, "### Checkpoint footer"),
    ]

    @Test("Fields lie where Docs/FORMAT.md says, and are as long", arguments: headings.indices)
    func documented(_ index: Int) throws {
        let (structure, heading) = Self.headings[index]
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appending(path: "Docs/FORMAT.md"), encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading })
        let rows = lines[start...].dropFirst().prefix { !$0.hasPrefix("#") }
            .compactMap { Self.row($0) }
        let fields = structure.fields.map { Row(offset: $0.offset, size: $0.size) }
        #expect(Array(rows.prefix(fields.count)) == fields)
        #expect(fields.last.map { $0.offset + $0.size } == structure.byteCount)
    }

    private struct Row: Equatable {
        let offset: Int
        let size: Int
    }

    /// The first two columns of a table's row, where they are plain numbers.
    private static func row(_ line: Substring) -> Row? {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count >= 3, let offset = Int(cells[0]), let size = Int(cells[1]) else {
            return nil
        }
        return Row(offset: offset, size: size)
    }

    @Test("A structure is read from a file in whatever state the rest is, with what is wrong")
    func records() throws {
        let disk = SimulatedDisk()
        let log = try TestLog(disk).open().log
        try log.append(text: "varve")
        try log.close()
        let reader = RawRecordReader(disk, payloadBytesMax: 3)
        let frame = try reader.frame(SegmentID(1), at: FrameOffset(128))
        #expect(frame.map(\.name) == ["frame header", "stored payload", "padding"])
        #expect(frame[0].bytes.count == 56 && frame[1].bytes.count == 3)
        #expect(frame[1].length > 3 && frame.reduce(0) { $0 + $1.length } % 8 == 0)
        #expect(frame.allSatisfy { $0.problem == nil })
        #expect(try reader.manifest().first?.problem == nil)
        let none = try reader.frame(SegmentID(1), at: FrameOffset(136))
        #expect(none.count == 1 && none[0].problem == "no frame starts here")
        #expect(try reader.frame(SegmentID(1), at: FrameOffset(1 << 60))[0].bytes.isEmpty)
    }
}
