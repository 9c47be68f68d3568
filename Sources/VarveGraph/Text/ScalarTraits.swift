internal import Foundation
internal import Synchronization

/// What folding and tokenising ask about one Unicode scalar.
struct ScalarTraits {
    /// The canonical decomposition where there is one, else the case folding; zeros behind.
    /// Neither is ever longer than four scalars.
    var expansion: SIMD4<UInt32>
    var decomposes: Bool
    /// The canonical combining class: not 0 for marks whose order among themselves may vary.
    var combiningClass: UInt8
    /// Whether a comparison without diacritics passes over the scalar.
    var isDiacritic: Bool
    /// Whether tokens leave the scalar out without ending a word: a diacritic, an enclosing mark,
    /// or one that shows nothing (joiners, variation selectors, soft hyphens).
    var isPassedOver: Bool
    /// Whether the scalar is part of a word (a letter, a digit or number, or a mark), and of which kind.
    var wordKind: WordKind
    /// The ASCII letter that a comparison without diacritics takes the scalar for: of a letter that
    /// has a stroke, or lacks its dot, and does not decompose. 0 for every other scalar.
    var plainLetter: UInt8 = 0

    /// The traits of a scalar above ASCII. O(1), apart from the first look at a page.
    static func of(_ scalar: UInt32) -> ScalarTraits {
        if isIdeograph(scalar) { return ScalarTraits(letter: scalar, .ideographic) }
        if isHangulSyllable(scalar) { return ScalarTraits(decomposing: hangul(scalar)) }
        guard scalar < ScalarPages.limit else { return ScalarTraits(computing: scalar) }
        return ScalarPages.page(of: scalar)[Int(scalar & 0xFF)]
    }
}

extension ScalarTraits {
    private init(letter scalar: UInt32, _ wordKind: WordKind) {
        self.init(
            expansion: [scalar, 0, 0, 0], decomposes: false, combiningClass: 0,
            isDiacritic: false, isPassedOver: false, wordKind: wordKind)
    }

    private init(decomposing expansion: SIMD4<UInt32>) {
        self.init(
            expansion: expansion, decomposes: true, combiningClass: 0, isDiacritic: false,
            isPassedOver: false, wordKind: .spaced)
    }

    /// Asks the standard library and Foundation, at about two microseconds a scalar.
    init(computing value: UInt32) {
        guard let scalar = Unicode.Scalar(value) else {
            // A surrogate, which no string holds; pages cover their range all the same.
            self.init(letter: value, .none)
            return
        }
        let properties = scalar.properties
        let category = properties.generalCategory
        let combiningClass = properties.canonicalCombiningClass.rawValue
        let isDiacritic = Self.isDiacritic(combiningClass)
        let decomposed = String(Character(scalar)).decomposedStringWithCanonicalMapping
            .unicodeScalars
        let decomposes = decomposed.first != scalar || decomposed.count > 1
        let expansion = decomposes ? Array(decomposed) : Self.caseFolded(scalar)
        self.init(
            expansion: Self.packed(expansion), decomposes: decomposes,
            combiningClass: combiningClass, isDiacritic: isDiacritic,
            isPassedOver: isDiacritic || category == .enclosingMark
                || properties.isDefaultIgnorableCodePoint,
            wordKind: Self.isWord(category) ? WordKind(ofWordScalar: value) : .none,
            plainLetter: decomposes ? 0 : Self.plainLetter(of: properties))
    }

    private static func packed(_ scalars: [Unicode.Scalar]) -> SIMD4<UInt32> {
        precondition(scalars.count <= 4, "an expansion of more than four scalars")
        var result = SIMD4<UInt32>()
        for (position, scalar) in scalars.enumerated() { result[position] = scalar.value }
        return result
    }

    /// Full case folding (Unicode, section 3.13, toCasefold), from the mappings that the standard
    /// library has: down, up, and down again, so that `ẞ`, `ß` and `SS` meet in `ss`, and the three
    /// sigmas in `σ`.
    ///
    /// Two exceptions. The dotless `ı` stays itself, as in CaseFolding.txt: its capital is the `I`
    /// of another letter. Marks stay themselves, so that folding keeps the canonical order; the one
    /// with a case is the iota below Greek vowels, which folds with its vowel.
    static func caseFolded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        guard scalar != "\u{131}", scalar.properties.canonicalCombiningClass == .notReordered
        else { return [scalar] }
        var result = [scalar]
        result = result.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
        result = result.flatMap { Array($0.properties.uppercaseMapping.unicodeScalars) }
        return result.flatMap { Array($0.properties.lowercaseMapping.unicodeScalars) }
    }

    /// Marks that people leave out when they type: accents, points and strokes over, under and
    /// through letters, and the vowel points of Hebrew and Arabic.
    ///
    /// Not among them are marks that make another letter or are one: nukta (7), the voicing of kana
    /// (8), virama (9), the vowels and tones of Telugu, Thai, Lao and Tibetan (84 to 132).
    private static func isDiacritic(_ combiningClass: UInt8) -> Bool {
        switch combiningClass {
        case 1, 10...36, 200...240: true
        default: false
        }
    }

    /// What people type for `ø`, `ł`, `đ` and `ı`, which Unicode does not take apart. By name, as its
    /// tables have no property for it: `LATIN SMALL LETTER O WITH STROKE`, `… DOTLESS I`.
    private static func plainLetter(of properties: Unicode.Scalar.Properties) -> UInt8 {
        guard let name = properties.name, name.hasPrefix("LATIN ") else { return 0 }
        let words = name.split(separator: " ")
        let letter: Substring
        switch words.dropFirst(3) {
        case let rest where rest.dropFirst() == ["WITH", "STROKE"]: letter = words[3]
        case let rest where rest.dropFirst() == ["WITH", "BAR"]: letter = words[3]
        case let rest where rest.first == "DOTLESS" && rest.count == 2: letter = words[4]
        default: return 0
        }
        guard words[2] == "LETTER", letter.utf8.count == 1, let capital = letter.utf8.first else {
            return 0
        }
        switch words[1] {
        case "CAPITAL": return capital
        case "SMALL": return ASCII.lowercased(capital)
        default: return 0
        }
    }

    private static func isWord(_ category: Unicode.GeneralCategory) -> Bool {
        switch category {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber,
            .nonspacingMark, .spacingMark, .enclosingMark:
            true
        default: false
        }
    }

    /// The blocks of unified ideographs: letters without case or decomposition. Answered by
    /// range, because texts in them would read in 82 pages.
    private static func isIdeograph(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0x20000...0x2A6DF: true
        default: false
        }
    }

    private static func isHangulSyllable(_ scalar: UInt32) -> Bool {
        (0xAC00...0xD7A3).contains(scalar)
    }

    /// The jamo of a syllable (Unicode, section 3.12, "Hangul Syllable Decomposition").
    private static func hangul(_ scalar: UInt32) -> SIMD4<UInt32> {
        let index = scalar - 0xAC00
        let trailing = index % 28
        return [
            0x1100 + index / 588, 0x1161 + index % 588 / 28,
            trailing == 0 ? 0 : 0x11A7 + trailing, 0,
        ]
    }
}

/// Traits by pages of 256 scalars, each computed when first asked for.
private enum ScalarPages {
    /// The basic and the supplementary multilingual plane: 512 pages. What lies above is rare.
    static let limit: UInt32 = 0x20000

    private typealias Slot = Atomic<UnsafePointer<ScalarTraits>?>

    // The addresses of the pages. Allocated once and never freed, like the pages: they are
    // constants that take half a millisecond each to compute. A page is complete before its
    // address is published, and never changes, so any thread may read it.
    nonisolated(unsafe) private static let slots: UnsafeMutablePointer<Slot> = {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: Int(limit >> 8))
        for index in 0..<Int(limit >> 8) { (slots + index).initialize(to: Slot(nil)) }
        return slots
    }()

    static func page(of scalar: UInt32) -> UnsafePointer<ScalarTraits> {
        let slot = slots + Int(scalar >> 8)
        return slot.pointee.load(ordering: .acquiring) ?? make(scalar >> 8, in: slot)
    }

    private static func make(
        _ number: UInt32, in slot: UnsafeMutablePointer<Slot>
    ) -> UnsafePointer<ScalarTraits> {
        let page = UnsafeMutablePointer<ScalarTraits>.allocate(capacity: 256)
        for offset in 0..<256 {
            (page + offset).initialize(
                to: ScalarTraits(computing: number << 8 | UInt32(offset)))
        }
        let (isFirst, present) = slot.pointee.compareExchange(
            expected: nil, desired: UnsafePointer(page), ordering: .acquiringAndReleasing)
        guard !isFirst, let present else { return UnsafePointer(page) }
        // Another thread was quicker.
        page.deallocate()
        return present
    }
}
