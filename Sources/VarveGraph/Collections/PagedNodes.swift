/// An inner node of a ``PagedArray``: 16 references to nodes one level below, each optional.
@usableFromInline
final class PagedInner: ManagedBuffer<Int, AnyObject?> {
    @usableFromInline static var shift: Int { 4 }
    @usableFromInline static var width: Int { 16 }
    @usableFromInline static var mask: Int { 15 }

    @inlinable
    deinit {
        withUnsafeMutablePointerToElements { children in
            // One by one: the runtime's array routines go through value witnesses, which cost
            // more than the releases.
            for position in 0..<PagedInner.width {
                (children + position).deinitialize(count: 1)
            }
        }
    }

    @inlinable
    static func make() -> PagedInner {
        let node = unsafeDowncast(
            PagedInner.create(minimumCapacity: width) { _ in width }, to: PagedInner.self)
        node.withUnsafeMutablePointerToElements {
            $0.initialize(repeating: nil, count: width)
        }
        return node
    }

    @inlinable
    static func children(of node: PagedInner) -> UnsafeMutablePointer<AnyObject?> {
        node.withUnsafeMutablePointerToElements { $0 }
    }

    /// A child as a plain word: neither retained nor released.
    ///
    /// An `AnyObject?` is one pointer-sized word, null for nil, where there is no Objective-C
    /// tagging to strip; a strong reference in the node keeps the object alive.
    @inlinable
    static func child(of node: UnsafeRawPointer, at position: Int) -> UnsafeRawPointer? {
        Unmanaged<PagedInner>.fromOpaque(node)._withUnsafeGuaranteedRef { inner in
            inner.withUnsafeMutablePointerToElements {
                UnsafeRawPointer($0 + position).load(as: UnsafeRawPointer?.self)
            }
        }
    }

    /// The children of the node at `reference`, after making that node exist and be unique.
    @inlinable
    static func uniqueChildren(
        at reference: UnsafeMutablePointer<AnyObject?>
    ) -> UnsafeMutablePointer<AnyObject?> {
        if reference.pointee == nil {
            reference.pointee = make()
        } else if !isKnownUniquelyReferenced(&reference.pointee) {
            copy(at: reference)
        }
        return children(of: unsafeDowncast(reference.pointee!, to: PagedInner.self))
    }

    @inlinable @inline(never)
    static func copy(at reference: UnsafeMutablePointer<AnyObject?>) {
        let old = unsafeDowncast(reference.pointee!, to: PagedInner.self)
        let node = unsafeDowncast(
            PagedInner.create(minimumCapacity: width) { _ in width }, to: PagedInner.self)
        node.withUnsafeMutablePointerToElements { target in
            old.withUnsafeMutablePointerToElements { source in
                for position in 0..<width {
                    (target + position).initialize(to: source[position])
                }
            }
        }
        reference.pointee = node
    }
}

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
