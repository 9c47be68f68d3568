import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

/// Images that were compressed quickly and thoroughly, and of form 2, one upon the other.
@Suite("Compression of images")
struct ImageCompressionTests {
    private static func leaves(of image: StoredImage) throws -> [BlockEntry] {
        try image.root.directory.allBlocks().filter { $0.run.kind == PageKind(.rowLeaf) }
    }

    @Test("A thorough image is smaller, and its blocks are copied by the next one")
    func thorough() throws {
        let state = try UserLog.state(count: 20_000)
        let expected = try state.digest()
        let (bytes, quick, _) = try state.image()
        let (small, image, figures) = try state.image(on: quick, .thorough)
        #expect(small.count < bytes.count - bytes.count / 100)
        #expect(figures.copiedBlocks == 0)
        #expect(image.isThorough && image.thoroughBlockCount > 10)
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
        let blocks = try image.root.directory.allBlocks()
        #expect(blocks.filter { !$0.coding.isThorough }.count == figures.writtenBlocks)
        #expect(figures.writtenBlocks > 0 && figures.copiedBlocks > figures.writtenBlocks)
        let opened = try State.open(MemorySource(bytes)).state
        #expect(try opened.reading { try opened.digest() } == state.digest())
    }

    /// The root of these is of today's form. The golden stores have whole ones of former forms.
    @Test("Blocks of form 2 are read, copied, and made anew by a thorough image")
    func formerBlocks() throws {
        var state = try UserLog.state(count: 3_000)
        var forged = try ForgedImage(state.image())
        forged.putIDsBetweenRows()
        let former = try forged.bytes()
        var base: StoredImage
        (state, base) = try State.open(MemorySource(former))
        #expect(try Self.leaves(of: base).filter(\.coding.hasIDsApart).isEmpty)
        state = try UserLog.update(7..<8, of: state)
        let digest = try state.reading { try state.digest() }
        for compression in [ImageCompression.quick, .thorough] {
            let bytes: [UInt8]
            (bytes, base, _) = try state.image(on: base, compression)
            let leaves = try Self.leaves(of: base)
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
        let entry = try base.root.directory.allBlocks()[block]
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
        let written = try image.root.directory.allBlocks()
        for index in written.indices {
            var blocks = written
            blocks[index].coding.hasIDsApart = true
            let content = [UInt8](repeating: 0, count: Int(image.root.directory.totals.storedBytes))
            let forged = try ForgedImage.bytes(image.root, blocks, behind: content)
            let root = try ImageRoot.read(from: MemorySource(forged))
            if blocks[index].run.kind == PageKind(.rowLeaf) {
                #expect(try root.directory.allBlocks() == blocks)
            } else {
                #expect(throws: PageDamage.self) { try root.directory.allBlocks() }
            }
        }
    }
}
