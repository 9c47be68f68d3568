import CVarve

/// A file without a name that holds chunks of pages. It is mapped, so a page is used in its place, and the system writes it
/// to the file when it needs the memory.
///
/// It is memory, not storage: nothing reads it behind the process, so it has no checksums. The space for each chunk is taken
/// before the first page is in it, so a full disk is noticed then, unless its file system copies on write.
struct SpillFile: ~Copyable {
    private struct Mapping {
        let offset: Int64
        let byteCount: Int
    }

    private let descriptor: Int32
    private var end: Int64 = 0
    private var mappings: [UnsafeMutableRawPointer: Mapping] = [:]

    /// Takes over an open file, which is empty.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        for (memory, mapping) in mappings { varve_unmap_memory(memory, mapping.byteCount) }
        varve_close(descriptor)
    }

    /// Memory of zeros in the file; nil where there is no space for it.
    ///
    /// - Parameter byteCount: rounded up to whole pages of the system.
    mutating func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let size = (byteCount + Self.pageBytes - 1) / Self.pageBytes * Self.pageBytes
        guard let memory = varve_map_file(descriptor, end, size) else { return nil }
        mappings[memory] = Mapping(offset: end, byteCount: size)
        end += Int64(size)
        return memory
    }

    /// Of every system that Varve runs on, a multiple of its pages.
    private static let pageBytes = 64 << 10

    /// Releases memory of ``map(_:)``. False where the memory is none of it.
    mutating func unmap(_ memory: UnsafeMutableRawPointer) -> Bool {
        guard let mapping = mappings.removeValue(forKey: memory) else { return false }
        varve_unmap_memory(memory, mapping.byteCount)
        varve_discard(descriptor, mapping.offset, mapping.byteCount)
        return true
    }

    func holds(_ memory: UnsafeMutableRawPointer) -> Bool { mappings[memory] != nil }

    /// Takes all pages from the process's memory until they are touched again. Any thread may use them meanwhile.
    func pageOut() {
        for (memory, mapping) in mappings { varve_page_out(memory, mapping.byteCount) }
    }
}
