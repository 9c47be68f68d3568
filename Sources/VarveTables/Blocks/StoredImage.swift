package import VarveEvents

/// An image that is written: what the next one copies its unchanged blocks from.
package final class StoredImage: Sendable {
    let source: any BlockSource
    let root: ImageRoot
    /// Which of its pages are gone since.
    let departures: Departures

    init(_ source: any BlockSource, _ root: ImageRoot, _ departures: Departures) {
        self.source = source
        self.root = root
        self.departures = departures
    }

    /// The newest transaction of the state in it.
    package var lastTransaction: TransactionID { root.state.lastTransaction }

    /// The blocks of the image.
    package var blockCount: Int { root.directory.totals.blockCount }

    /// How many of the blocks were compressed thoroughly.
    package var thoroughBlockCount: Int { root.directory.totals.thoroughBlockCount }

    /// Whether all of them were.
    package var isThorough: Bool { thoroughBlockCount == blockCount }

    /// What the blocks take before compression.
    package var pageBytes: UInt64 { UInt64(root.directory.totals.rawBytes) }

    /// Where the blocks are in the image, by the places of their pages, and the parts of the directory. Reads the directory.
    package func ranges() throws(PageDamage) -> (blocks: [Range<UInt64>], parts: [Range<UInt64>]) {
        let directory = root.directory
        let blocks = try directory.allBlocks().map(\.place)
        let parts = directory.chunks.indices.map { directory.place(ofChunk: $0) }
        func range(_ place: PageDamage.Place) -> Range<UInt64> {
            place.offset..<place.offset + UInt64(place.byteCount)
        }
        return (blocks.map(range), parts.map(range))
    }

    /// Reads every block, and returns what is damaged: nil where all of them are what was written.
    package func damage() -> PageDamage? {
        do throws(PageDamage) {
            for block in try root.directory.allBlocks() {
                try block.read(from: source).deallocate()
            }
            return nil
        } catch {
            return error
        }
    }
}

/// What writing an image came to.
package struct ImageFigures: Hashable, Sendable {
    /// Blocks that were made of pages, and their bytes.
    package var writtenBlocks = 0
    package var writtenBytes: UInt64 = 0
    /// Blocks that were copied from the image before.
    package var copiedBlocks = 0
    package var rootBytes: UInt64 = 0
    /// The bytes of all pages.
    package var pageBytes: UInt64 = 0
}
