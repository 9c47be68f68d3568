/// A leaf of a ``PagedArray``; every element is initialised.
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

    /// The leaf that elements stand in, given the first of them.
    @inlinable @inline(__always)
    static func leaf(of elements: UnsafeMutablePointer<Element>) -> UnsafeRawPointer {
        UnsafeRawPointer(elements) - elementsOffset
    }

    /// The elements of the leaf at `reference`, after making that leaf exist and be unique.
    @inlinable
    static func uniqueElements(
        at reference: UnsafeMutablePointer<AnyObject?>, count: Int
    ) -> UnsafeMutablePointer<Element> {
        if reference.pointee == nil {
            let leaf = allocate(count)
            leaf.withUnsafeMutablePointerToElements {
                $0.initialize(repeating: Element.absent, count: count)
            }
            reference.pointee = leaf
        } else if Element.mayBePacked, isPacked(reference) {
            unpack(at: reference)
        } else if !isKnownUniquelyReferenced(&reference.pointee) {
            copy(at: reference, count: count)
        }
        // As a word from its place: a copy of the reference would be counted.
        guard let leaf = UnsafeRawPointer(reference).load(as: UnsafeRawPointer?.self) else {
            preconditionFailure("a leaf that was just made is missing")
        }
        return elements(of: leaf)
    }

    @inlinable @inline(__always)
    static func isPacked(_ reference: UnsafeMutablePointer<AnyObject?>) -> Bool {
        UnsafeRawPointer(reference).load(as: UnsafeRawPointer?.self).map(PackedLeaf.isPacked)
            ?? false
    }

    @inlinable @inline(never)
    static func copy(at reference: UnsafeMutablePointer<AnyObject?>, count: Int) {
        guard let old = reference.pointee else { preconditionFailure("no leaf to be copied") }
        // By its address: where its elements are tombstones, it is no leaf of this type, but laid out as one.
        let source = elements(of: UnsafeRawPointer(Unmanaged.passUnretained(old).toOpaque()))
        let leaf = allocate(count)
        if !_isPOD(Element.self) {
            Prefetch.references(in: source, byteCount: count * MemoryLayout<Element>.stride)
        }
        leaf.withUnsafeMutablePointerToElements { target in
            for position in 0..<count {
                (target + position).initialize(to: source[position])
            }
        }
        reference.pointee = leaf
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
