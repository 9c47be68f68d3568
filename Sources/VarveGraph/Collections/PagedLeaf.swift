/// A leaf of a ``PagedArray``; every element is initialised.
@usableFromInline
final class PagedLeaf<Element: PagedElement>: ManagedBuffer<Int, Element> {
    @inlinable
    deinit {
        withUnsafeMutablePointers { count, elements in
            for position in 0..<count.pointee { (elements + position).deinitialize(count: 1) }
        }
    }

    @inlinable
    static func elements(of node: UnsafeRawPointer) -> UnsafeMutablePointer<Element> {
        Unmanaged<PagedLeaf<Element>>.fromOpaque(node)._withUnsafeGuaranteedRef {
            $0.withUnsafeMutablePointerToElements { $0 }
        }
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
        } else if !isKnownUniquelyReferenced(&reference.pointee) {
            copy(at: reference, count: count)
        }
        return unsafeDowncast(reference.pointee!, to: PagedLeaf<Element>.self)
            .withUnsafeMutablePointerToElements { $0 }
    }

    @inlinable @inline(never)
    static func copy(at reference: UnsafeMutablePointer<AnyObject?>, count: Int) {
        let old = unsafeDowncast(reference.pointee!, to: PagedLeaf<Element>.self)
        let leaf = allocate(count)
        leaf.withUnsafeMutablePointerToElements { target in
            old.withUnsafeMutablePointerToElements { source in
                for position in 0..<count {
                    (target + position).initialize(to: source[position])
                }
            }
        }
        reference.pointee = leaf
    }

    @inlinable
    static func allocate(_ count: Int) -> PagedLeaf<Element> {
        unsafeDowncast(
            PagedLeaf<Element>.create(minimumCapacity: count) { _ in count },
            to: PagedLeaf<Element>.self)
    }
}
