/// A leaf of a ``PageTree``; every element is initialised.
@usableFromInline
final class PagedLeaf<Element: PagedElement>: ManagedBuffer<Int, Element> {
    @inlinable
    deinit {
        withUnsafeMutablePointers { count, elements in
            _ = elements.deinitialize(count: count.pointee)
        }
    }

    /// Where the elements stand in the object, behind its two header words and the buffer's own.
    @inlinable static var elementsOffset: Int {
        let header = 3 * MemoryLayout<Int>.stride
        let alignment = MemoryLayout<Element>.alignment
        return (header + alignment - 1) & ~(alignment - 1)
    }

    @inlinable @inline(__always)
    static func elements(of node: UnsafeRawPointer) -> UnsafeMutablePointer<Element> {
        UnsafeMutableRawPointer(mutating: node + elementsOffset)
            .assumingMemoryBound(to: Element.self)
    }

    /// A leaf of the elements of another one, packed or not, or of absent ones; see ``PageTree/LeafMaker``.
    ///
    /// The other is given by its address: where its elements are tombstones, it is no leaf of this type, but laid out
    /// as one.
    @inlinable
    static func make(of node: UnsafeRawPointer?, count: Int) -> PagedLeaf {
        let leaf = allocate(count)
        leaf.withUnsafeMutablePointerToElements { target in
            guard let node else {
                return target.initialize(repeating: Element.absent, count: count)
            }
            if Element.mayBePacked, PackedLeaf.isPacked(node) {
                return Element.unpack(node, into: target)
            }
            let source = elements(of: node)
            if !_isPOD(Element.self) {
                Prefetch.references(in: source, byteCount: count * MemoryLayout<Element>.stride)
            }
            for position in 0..<count {
                (target + position).initialize(to: source[position])
            }
        }
        return leaf
    }

    @inlinable
    static func allocate(_ count: Int) -> PagedLeaf<Element> {
        let leaf = unsafeDowncast(
            PagedLeaf<Element>.create(minimumCapacity: count) { _ in count },
            to: PagedLeaf<Element>.self)
        leaf.withUnsafeMutablePointerToElements {
            let object = UnsafeRawPointer(Unmanaged.passUnretained(leaf).toOpaque())
            precondition(UnsafeRawPointer($0) == object + elementsOffset, "the layout of a buffer")
        }
        return leaf
    }
}
