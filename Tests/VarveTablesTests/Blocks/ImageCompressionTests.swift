import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Images that were compressed quickly and thoroughly, and of the previous form, one upon the other.
@Suite("Compression of images")
struct ImageCompressionTests {
    private static func leaves(of image: StoredImage) -> [BlockEntry] {
        image.root.directory.blocks.filter { $0.run.kind == PageKind(.rowLeaf) }
    }

    @Test("A thorough image is smaller, and its blocks are copied by the next one")
    func thorough() throws {
        let state = try UserLog.state(count: 20_000)
        let expected = try state.digest()
        let (bytes, quick, _) = try state.image()
        let (small, image, figures) = try state.image(on: quick, .thorough)
        #expect(small.count < bytes.count - bytes.count / 100)
        #expect(figures.copiedBlocks == 0)
        #expect(image.root.directory.blocks.allSatisfy { $0.coding.isThorough })
        let opened = try State.open(MemorySource(small)).state
        #expect(try opened.reading { try opened.digest() } == expected)
        for compression in [ImageCompression.quick, .thorough] {
            let (again, _, figures) = try state.image(on: image, compression)
            #expect(again == small && figures.writtenBlocks == 0)
        }
    }

    @Test("What changed behind a thorough image is compressed quickly where that is asked for")
    func changes() throws {
        var state = try UserLog.state(count: 5_000)
        let (_, base, _) = try state.image(on: nil, .thorough)
        state = try UserLog.update(0..<1, of: state)
        let (bytes, image, figures) = try state.image(on: base)
        let blocks = image.root.directory.blocks
        #expect(blocks.filter { !$0.coding.isThorough }.count == figures.writtenBlocks)
        #expect(figures.writtenBlocks > 0 && figures.copiedBlocks > figures.writtenBlocks)
        let opened = try State.open(MemorySource(bytes)).state
        #expect(try opened.reading { try opened.digest() } == state.digest())
    }

    /// The root of these is of today's form. The golden stores have one of the previous form.
    @Test("Blocks of the previous form are read, copied, and made anew by a thorough image")
    func previousForm() throws {
        var state = try UserLog.state(count: 3_000)
        var forged = try ForgedImage(state.image())
        forged.putIDsBetweenRows()
        let former = try forged.bytes()
        var base: StoredImage
        (state, base) = try State.open(MemorySource(former))
        #expect(Self.leaves(of: base).allSatisfy { !$0.coding.hasIDsApart })
        state = try UserLog.update(7..<8, of: state)
        let digest = try state.reading { try state.digest() }
        for compression in [ImageCompression.quick, .thorough] {
            let bytes: [UInt8]
            (bytes, base, _) = try state.image(on: base, compression)
            let leaves = Self.leaves(of: base)
            let apart = leaves.filter(\.coding.hasIDsApart).count
            #expect(apart > 0 && (compression == .quick) == (apart < leaves.count))
            let opened = try State.open(MemorySource(bytes)).state
            #expect(try opened.reading { try opened.digest() } == digest)
        }
    }

    @Test("A block that is made anew and contradicts itself is named, and nothing is made of it")
    func contradiction() throws {
        var forged = try ForgedImage(UserLog.state(count: 300).image())
        forged.putIDsBetweenRows()
        let (block, frame) = try #require(forged.firstFrame(of: PageKind(.rowLeaf)))
        // The ends of the first two slots, the second of which lies before the first.
        forged.store(0x0001_0040, block, frame, at: RowLeaf.Geometry.standard.ends)
        let (state, base) = try State.open(MemorySource(try forged.bytes()))
        let entry = base.root.directory.blocks[block]
        do throws(ImageError) {
            var sink = MemoryBlocks()
            _ = try ImagePlan(state, base: base, compression: .thorough).write(to: &sink)
            Issue.record("it was written")
        } catch {
            guard case .damaged(.content(let place, _)) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(place == entry.place)
        }
    }

    @Test("Ids apart in a block of no rows are refused")
    func codings() throws {
        let image = try UserLog.state(count: 100).image().image
        for index in image.root.directory.blocks.indices {
            var root = image.root
            var blocks = root.directory.blocks
            blocks[index].coding.hasIDsApart = true
            root.directory = BlockDirectory(chunks: root.directory.chunks, blocks: blocks)
            let offset = root.directory.storedBytes
            let bytes = try root.encode(at: offset).copyBytes()
            let image = [UInt8](repeating: 0, count: Int(offset)) + bytes
            if blocks[index].run.kind == PageKind(.rowLeaf) {
                #expect(throws: Never.self) { try State.open(MemorySource(image)) }
            } else {
                #expect(throws: ImageError.self) { try State.open(MemorySource(image)) }
            }
        }
    }
}
