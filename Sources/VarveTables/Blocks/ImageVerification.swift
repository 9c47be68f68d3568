/// Compares all of an image with what was written, a block at a time, in memory for one block.
///
/// It reads each block, compares its checksum, decompresses it, and checks what each page says of itself. Whether the
/// pages of several blocks fit each other is found where they are used.
package struct ImageVerification {
    private let source: any BlockSource
    private let root: ImageRoot
    private let blocks: [BlockEntry]
    /// How many blocks were verified.
    package private(set) var position = 0

    /// Reads the root and the directory.
    package init(_ source: any BlockSource) throws(ImageError) {
        self.source = source
        let root = try ImageRoot.read(from: source)
        blocks = try ImageError.reading { () throws(PageDamage) in
            try root.directory.allBlocks()
        }
        self.root = root
    }

    package var blockCount: Int { blocks.count }

    /// Verifies the next block; false where there is none.
    package mutating func advance() throws(ImageError) -> Bool {
        guard position < blockCount else { return false }
        let (block, version) = (blocks[position], root.version)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: block.run.byteCount, alignment: 64)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: block.run.byteCount)
        try ImageError.reading { () throws(PageDamage) in
            try block.readFrames(from: source, into: memory)
            try block.checkPages(memory, through: version) { _ in }
        }
        position += 1
        return true
    }
}
