/// What a page may name.
extension BlockDirectory {
    /// Whether a number leads to a page of the image of the right kind. Where the blocks of its chunk were not read, it is compared when
    /// they are: no page of the chunk is read before.
    ///
    /// - Parameter isAgain: whether the same page has named it before.
    /// - Returns: the position of the chunk; nil where there is no such page.
    @inline(__always)
    func claim(
        _ number: PageNumber, _ expectation: PageAnatomy.Expectation, isAgain: Bool = false
    ) -> Int? {
        guard let chunk = chunkPosition(number.chunk) else { return nil }
        if let known = reference(chunk) {
            return known._withUnsafeGuaranteedRef { $0.has(number, expectation) } ? chunk : nil
        }
        guard number.unit >> PageSpan.unitBits < chunks[chunk].spanCount else { return nil }
        if isAgain { return chunk }
        let known = claims.add(number, expectation, ofChunk: chunk) {
            reference(chunk)?.takeUnretainedValue()
        }
        return known?.has(number, expectation) ?? true ? chunk : nil
    }

    /// Whether a number leads to a page of the image of the right kind. Reads the blocks of its chunk; false also where they cannot be read.
    func has(_ number: PageNumber, _ expectation: PageAnatomy.Expectation) -> Bool {
        guard let chunk = chunkPosition(number.chunk) else { return false }
        do throws(PageDamage) {
            return try blocks(ofChunk: chunk).has(number, expectation)
        } catch {
            return false
        }
    }
}
