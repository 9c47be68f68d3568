/// An inner node of a ``PageTree``: eight references to nodes one level below, each optional.
@usableFromInline
final class PagedInner: ManagedBuffer<Int, AnyObject?> {
    @usableFromInline static var shift: Int { 3 }
    @usableFromInline static var width: Int { 8 }
    @usableFromInline static var mask: Int { 7 }

    /// Where the children stand in the object, behind its two header words and the buffer's own.
    @usableFromInline static var childrenOffset: Int { 3 * MemoryLayout<Int>.stride }

    static var byteCount: Int { childrenOffset + width * MemoryLayout<AnyObject?>.stride }

    deinit {
        let object = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        for position in 0..<PagedInner.width {
            // As words: the value witness of an optional `AnyObject` costs twice the release.
            guard let child = PagedInner.child(of: object, at: position) else { continue }
            Unmanaged<AnyObject>.fromOpaque(child).release()
        }
    }

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

    /// The node at a reference as a plain word: a copy of the reference would be counted.
    @inline(__always)
    static func node(at reference: UnsafeMutablePointer<AnyObject?>) -> UnsafeRawPointer? {
        UnsafeRawPointer(reference).load(as: UnsafeRawPointer?.self)
    }

    /// The children of the node at `reference`, after making that node exist and be unique.
    @inline(__always)
    static func uniqueChildren(
        at reference: UnsafeMutablePointer<AnyObject?>
    ) -> UnsafeMutablePointer<AnyObject?> {
        if reference.pointee == nil {
            reference.pointee = make()
        } else if !isKnownUniquelyReferenced(&reference.pointee) {
            copy(at: reference)
        }
        // As a word from its place: a copy of the reference would be counted.
        guard let node = UnsafeRawPointer(reference).load(as: UnsafeMutableRawPointer?.self) else {
            preconditionFailure("a node that was just made is missing")
        }
        return (node + childrenOffset).assumingMemoryBound(to: AnyObject?.self)
    }

    @inline(never)
    static func copy(at reference: UnsafeMutablePointer<AnyObject?>) {
        let node = unsafeDowncast(
            PagedInner.create(minimumCapacity: width) { _ in width }, to: PagedInner.self)
        guard let old = UnsafeRawPointer(reference).load(as: UnsafeRawPointer?.self) else {
            preconditionFailure("a copy of no node")
        }
        Prefetch.references(
            in: old + childrenOffset, byteCount: width * MemoryLayout<AnyObject?>.stride)
        node.withUnsafeMutablePointerToElements { target in
            UnsafeMutableRawPointer(target).copyMemory(
                from: old + childrenOffset, byteCount: width * MemoryLayout<AnyObject?>.stride)
            for position in 0..<width {
                guard let child = child(of: old, at: position) else { continue }
                _ = Unmanaged<AnyObject>.fromOpaque(child).retain()
            }
        }
        reference.pointee = node
    }
}
