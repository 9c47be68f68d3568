/// An inner node of a ``PagedArray``: eight references to nodes one level below, each optional.
@usableFromInline
final class PagedInner: ManagedBuffer<Int, AnyObject?> {
    @usableFromInline static var shift: Int { 3 }
    @usableFromInline static var width: Int { 8 }
    @usableFromInline static var mask: Int { 7 }

    /// Where the children stand in the object, behind its two header words and the buffer's own.
    @usableFromInline static var childrenOffset: Int { 3 * MemoryLayout<Int>.stride }

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
            let object = UnsafeRawPointer(Unmanaged.passUnretained(node).toOpaque())
            precondition(UnsafeRawPointer($0) == object + childrenOffset, "the layout of a buffer")
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
    @inlinable @inline(__always)
    static func child(of node: UnsafeRawPointer, at position: Int) -> UnsafeRawPointer? {
        (node + (childrenOffset &+ position &* MemoryLayout<AnyObject?>.stride))
            .load(as: UnsafeRawPointer?.self)
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
