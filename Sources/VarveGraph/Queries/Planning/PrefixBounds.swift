/// Where in the order of strings the texts stand that may have a prefix: some more than do, and all that do.
///
/// An index has its strings as they are, in the order of their NFC forms, and a prefix is compared in a folded form.
/// Folding leaves ASCII as it is but for case. So where a text's folded form begins in ASCII, the text begins in
/// the same ASCII, in either case, up to its first scalar beyond ASCII. That scalar may be any, as many fold to
/// ASCII or are composed of it.
struct PrefixBounds {
    /// Each holds its lower end and not its upper one. They have nothing in common.
    let ranges: [(lower: String, upper: String?)]

    /// More letters, each in two cases, are not worth looking up.
    private static var letterLimit: Int { 3 }

    /// Nil where the prefix is empty or begins beyond ASCII: no range would be much less than everything.
    init?(_ pattern: TextPattern) {
        guard pattern.place == .atStart else { return nil }
        let folded = pattern.folding.bytes(of: pattern.text)
        var start = Array(folded.prefix { $0 < 0x80 })
        if !pattern.folding.foldsCase && pattern.folding.passesOver == .nothing {
            // What comes behind may be composed with the last one.
            if start.count < folded.count { start = start.dropLast() }
            guard !start.isEmpty else { return nil }
            ranges = [Self.range(startingWith: start)]
        } else {
            guard !start.isEmpty else { return nil }
            ranges = Self.ranges(
                startingWith: start.prefix(Self.letterLimit), foldsCase: pattern.folding.foldsCase)
        }
    }

    private static func ranges(
        startingWith start: ArraySlice<UInt8>, foldsCase: Bool
    ) -> [(lower: String, upper: String?)] {
        var ranges: [(lower: String, upper: String?)] = []
        var stems: [[UInt8]] = [[]]
        for byte in start {
            ranges += stems.map { goingOnBeyondASCII(behind: $0) }
            stems = stems.flatMap { stem in
                cases(of: byte, foldsCase: foldsCase).map { stem + [$0] }
            }
        }
        return ranges + stems.map { range(startingWith: $0) }
    }

    private static func cases(of byte: UInt8, foldsCase: Bool) -> [UInt8] {
        let isLetter = byte &- 0x61 < 26
        return foldsCase && isLetter ? [byte & ~0x20, byte] : [byte]
    }

    private static func range(startingWith stem: [UInt8]) -> (lower: String, upper: String?) {
        (String(decoding: stem, as: UTF8.self), end(of: stem))
    }

    private static func goingOnBeyondASCII(
        behind stem: [UInt8]
    ) -> (lower: String, upper: String?) {
        (String(decoding: stem, as: UTF8.self) + "\u{80}", end(of: stem))
    }

    /// The least string behind all that start with the stem; nil behind an empty one.
    private static func end(of stem: [UInt8]) -> String? {
        guard let last = stem.last else { return nil }
        return String(decoding: stem.dropLast(), as: UTF8.self) + String(Unicode.Scalar(last + 1))
    }
}

extension TextCondition {
    /// The bounds of an index's component within which all rows lie that meet the condition, if it asks for a prefix of
    /// the property that the component is about.
    func prefixBounds(
        at path: AnyKeyPath
    ) -> [(lower: IndexBounds.Bound, upper: IndexBounds.Bound?)]? {
        guard fields.count == 1, case .pattern(let pattern) = test.kind, pattern.place == .atStart
        else { return nil }
        let property = fields[0].path
        let isNilFirst = path != property
        // Spelled out only where the types say that it may be: appending paths takes microseconds.
        if isNilFirst {
            guard type(of: path).valueType == NilFirst<String>.self,
                property.appending(path: \String?.nilFirst) == path
            else { return nil }
        }
        func bound(_ text: String, isInclusive: Bool) -> IndexBounds.Bound {
            let operand = isNilFirst ? QueryOperand(NilFirst(text)) : QueryOperand(text)
            return IndexBounds.Bound(operand: operand, isInclusive: isInclusive)
        }
        return PrefixBounds(pattern)?.ranges.map { range in
            (
                bound(range.lower, isInclusive: true),
                range.upper.map { bound($0, isInclusive: false) }
            )
        }
    }
}
