/// The address of a reference to a node of a text index: in the node above, or in a value.
///
/// Functions that may replace a node take the place of its reference, and look at the node through
/// it without retaining: a second reference would make it look shared, and a retain and
/// release at every level cost more than the descent.
typealias NodeReference = UnsafeMutablePointer<AnyObject?>

extension NodeReference {
    /// The header and the elements of the node, of which the caller knows that it is there and of
    /// this kind. Valid until the reference is replaced or the node released.
    @inline(__always)
    func parts<Header, Element>(
        of kind: ManagedBuffer<Header, Element>.Type
    ) -> (header: UnsafeMutablePointer<Header>, elements: UnsafeMutablePointer<Element>) {
        // An `AnyObject?` is one word, the object's address, or null for nil.
        let address = UnsafeRawPointer(self).load(as: UnsafeRawPointer.self)
        return Unmanaged<ManagedBuffer<Header, Element>>.fromOpaque(address)
            ._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointers { ($0, $1) } }
    }
}

/// The parts of a node that the caller keeps alive.
@inline(__always)
func parts<Header, Element>(
    of node: ManagedBuffer<Header, Element>
) -> (header: UnsafeMutablePointer<Header>, elements: UnsafeMutablePointer<Element>) {
    node.withUnsafeMutablePointers { ($0, $1) }
}
