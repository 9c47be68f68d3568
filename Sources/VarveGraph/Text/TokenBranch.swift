/// An inner node of a ``TokenMap``: eight children, by three bits of the hash; each is absent, a
/// bucket, or a branch.
final class TokenBranch: ManagedBuffer<TokenBranch.Header, AnyObject?> {
    struct Header {
        /// A bit for each child that is a branch.
        var branches: UInt8
    }

    static let width = 8

    deinit {
        _ = withUnsafeMutablePointerToElements { $0.deinitialize(count: TokenBranch.width) }
    }

    static func make() -> TokenBranch {
        let branch = TokenBranch.create(minimumCapacity: width) { _ in Header(branches: 0) }
        branch.withUnsafeMutablePointerToElements { $0.initialize(repeating: nil, count: width) }
        return unsafeDowncast(branch, to: TokenBranch.self)
    }

    /// The branch at `reference`, after making it exist and be unique.
    static func unique(at reference: UnsafeMutablePointer<AnyObject?>) -> TokenBranch {
        if reference.pointee == nil {
            reference.pointee = make()
        } else if !isKnownUniquelyReferenced(&reference.pointee) {
            let old = unsafeDowncast(reference.pointee!, to: TokenBranch.self)
            let copy = make()
            copy.header = old.header
            copy.withUnsafeMutablePointerToElements { target in
                old.withUnsafeMutablePointerToElements { source in
                    for position in 0..<width { target[position] = source[position] }
                }
            }
            reference.pointee = copy
        }
        return unsafeDowncast(reference.pointee!, to: TokenBranch.self)
    }

    /// The address of a child's reference, valid while the branch lives.
    func child(_ position: Int) -> UnsafeMutablePointer<AnyObject?> {
        withUnsafeMutablePointerToElements { $0 + position }
    }

    func isBranch(_ position: Int) -> Bool { header.branches & 1 << UInt8(position) != 0 }

    func setBranch(_ position: Int, _ isBranch: Bool) {
        let bit: UInt8 = 1 << UInt8(position)
        header.branches = isBranch ? header.branches | bit : header.branches & ~bit
    }
}
