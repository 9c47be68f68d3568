/// An inner node of a ``TokenMap``: eight children, by three bits of the hash; each is absent, a
/// bucket, or a branch.
final class TokenBranch: ManagedBuffer<TokenBranch.Header, AnyObject?> {
    struct Header {
        /// A bit for each child that is a branch.
        private var branches: UInt8 = 0

        @inline(__always)
        func isBranch(_ position: Int) -> Bool { branches & 1 << UInt8(position) != 0 }

        mutating func setBranch(_ position: Int, _ isBranch: Bool) {
            let bit: UInt8 = 1 << UInt8(position)
            branches = isBranch ? branches | bit : branches & ~bit
        }
    }

    static let width = 8

    deinit {
        _ = withUnsafeMutablePointerToElements { $0.deinitialize(count: TokenBranch.width) }
    }

    static func make() -> TokenBranch {
        let branch = TokenBranch.create(minimumCapacity: width) { _ in Header() }
        branch.withUnsafeMutablePointerToElements { $0.initialize(repeating: nil, count: width) }
        return unsafeDowncast(branch, to: TokenBranch.self)
    }

    /// The parts of the branch at `reference`, after making it exist and be unique.
    @inline(__always)
    static func unique(
        at reference: NodeReference
    ) -> (header: UnsafeMutablePointer<Header>, elements: NodeReference) {
        if reference.pointee == nil {
            reference.pointee = make()
        } else if !isKnownUniquelyReferenced(&reference.pointee) {
            copy(at: reference)
        }
        return reference.parts(of: TokenBranch.self)
    }

    @inline(never)
    private static func copy(at reference: NodeReference) {
        let copy = make()
        let source = reference.parts(of: TokenBranch.self)
        let target = parts(of: copy)
        target.header.pointee = source.header.pointee
        Prefetch.references(
            in: source.elements, byteCount: width * MemoryLayout<AnyObject?>.stride)
        for position in 0..<width { target.elements[position] = source.elements[position] }
        reference.pointee = copy
    }
}
