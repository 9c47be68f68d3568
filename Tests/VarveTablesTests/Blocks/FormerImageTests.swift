import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// The golden stores have whole images of former forms.
@Suite("Images of former forms")
struct FormerImageTests {
    /// What the writers of form 3 made of the state of ``ImageExampleTests``.
    private static let bytes: [UInt8] = """
        01 03 01 02 00 00 8f 01 03 00 01 00 00 01 00 04 00 e4 50 00 00 00 01 00
        7f 01 03 00 03 80 7f 00 01 00 2a 2f 01 01 3f 00 2a 3f 00 02 02 40 00 26
        50 00 00 00 00 00 01 03 01 02 01 08 07 00 00 00 00 00 00 01 01 00 00 00
        00 00 00 00 01 01 00 00 00 00 00 00 00 01 02 01 00 00 00 00 00 00 01 04
        03 00 00 00 00 00 00 02 a0 9f 00 00 00 00 00 00 0f 0f 00 00 00 00 00 00
        00 00 00 01 0e 01 02 48 69 03 00 00 00 01 04 01 04 01 04 00 00 01 80 01
        01 01 00 30 a9 14 42 43 00 01 01 30 05 01 01 02 91 01 1f 77 06 9c 00 02
        01 11 05 01 01 02 f1 01 09 4d a6 fe 00 03 01 60 06 01 01 02 dc 04 aa 6d
        17 c4 02 a0 1f 00 01 01 12 01 04 4e 6f 74 65 05 00 01 01 04 74 65 78 74
        0c 00 00 01 01 01 80 00 01 00 01 00 00 00 00 00 00 00 03 00 00 00 00 00
        00 00 05 00 00 00 00 00 00 00 40 00 01 00 00 00 01 00 02 00 00 00 0e 01
        02 02 01 d0 0f 00 01 d0 0f 00 00 00 00 81 00 00 00 00 00 00 00 94 00 00
        00 ef 0a 3e 59 56 72 76 49 6d 61 67 65
        """.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
    /// Where the root begins.
    private static let root = 129

    @Test("One of form 3 is read, and its blocks are copied into an image of today")
    func form3() throws {
        #expect(Self.bytes.count == 301)
        let source = MemorySource(Self.bytes)
        let (opened, base) = try State.open(source)
        #expect(base.blockCount == 4 && base.thoroughBlockCount == 0)
        #expect(!opened.isInSlotOrder(TypeNumber(1)))
        let expected = StateContent(opened)
        var id = ByteWriter()
        id.writeSigned(7)
        let row = try opened.reading {
            id.withBytes { id in
                opened.entry(of: TypeNumber(1), id: id).map { [UInt8]($0.row) }
            }
        }
        #expect(row == [2, 0x48, 0x69])
        let (next, image, figures) = try opened.image(on: base)
        #expect(figures.copiedBlocks == 4 && figures.writtenBlocks == 0)
        #expect(next.starts(with: Self.bytes[..<Self.root]))
        #expect(next[Int(image.root.directory.endOffset)] == 4)
        let again = try State.open(MemorySource(next)).state
        #expect(try again.reading { StateContent(again) } == expected)
    }

    @Test("Any byte of its root may be another one, under a right checksum: it is refused, or read")
    func forgedRoots() throws {
        var openedCount = 0
        for position in Self.root..<Self.bytes.count - ImageRoot.locatorBytes {
            for value in [0, 1, 2, 0x7F, 0x80, 0xFF] as [UInt8] {
                var forged = Self.bytes
                forged[position] = value
                ForgedImage.mendRoot(&forged, at: Self.root)
                guard let opened = try? State.open(MemorySource(forged)) else { continue }
                openedCount += 1
                _ = try? opened.state.reading { StateContent(opened.state) }
                _ = try? opened.state.image(on: opened.image)
            }
        }
        #expect(openedCount > 100)
    }
}
