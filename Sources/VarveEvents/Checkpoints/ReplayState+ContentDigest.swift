extension ReplayState {
    /// The digest that a checkpoint of this state would have, apart from ids that nothing needs and
    /// from ordinals that were given and not used: of two states that are the same it is the same.
    package func contentDigest() throws(CodecError) -> UInt64 {
        try digest(withNextOrdinals: false)
    }
}
