/// Finds keys in the bytes that a terminal sends, however they are cut into pieces.
package struct KeyDecoder {
    /// No terminal sends a longer sequence: a longer one is dropped, so memory stays bounded.
    private static let sequenceBytesMax = 32

    /// The sequences behind `ESC [` and `ESC O`.
    private static let sequences: [String: Key] = [
        "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "Z": .backTab,
        "M": .enter, "1~": .home, "4~": .end, "7~": .home, "8~": .end, "3~": .delete,
        "5~": .pageUp, "6~": .pageDown, "1;2A": .shiftUp, "1;3A": .shiftUp, "1;2B": .shiftDown,
        "1;3B": .shiftDown,
    ]

    private var bytes: [UInt8] = []

    package init() {}

    package mutating func add(_ new: some Sequence<UInt8>) { bytes += new }

    /// Whether bytes are left that are no key yet: a lone escape, the start of a sequence or of a character.
    /// If nothing follows soon, ``next(isFinal:)`` decides.
    package var isUndecided: Bool { !bytes.isEmpty }

    /// The next key; nil where there is none, or not all of it.
    ///
    /// - Parameter isFinal: nothing follows for now, so an escape is a key, and the rest of a sequence that
    ///   was cut is dropped.
    package mutating func next(isFinal: Bool = false) -> Key? {
        while let first = bytes.first {
            switch first {
            case 0x1B:
                switch takeEscape(isFinal: isFinal) {
                case .key(let key): return key
                case .incomplete: return nil
                case .dropped: continue
                }
            case 0x0D, 0x0A: return take(.enter)
            case 0x09: return take(.tab)
            case 0x7F, 0x08: return take(.backspace)
            case 0x00: return take(.control(" "))
            case 0x01...0x1A: return take(.control(Character(UnicodeScalar(first + 0x60))))
            case 0x1C...0x1F: return take(.control(Character(UnicodeScalar(first + 0x40))))
            default:
                guard let end = characterEnd(isFinal: isFinal) else { return nil }
                let text = String(decoding: bytes[..<end], as: UTF8.self)
                bytes.removeFirst(end)
                // One scalar: a mark that follows joins the text that it is appended to.
                if let character = text.first { return .character(character) }
            }
        }
        return nil
    }

    private mutating func take(_ key: Key) -> Key {
        bytes.removeFirst()
        return key
    }

    private enum Escape {
        case key(Key)
        case incomplete
        /// A sequence that means nothing here.
        case dropped
    }

    private mutating func takeEscape(isFinal: Bool) -> Escape {
        guard bytes.count > 1 else { return isFinal ? .key(take(.escape)) : .incomplete }
        guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else {
            return .key(take(.escape))
        }
        guard let end = bytes.dropFirst(2).firstIndex(where: { !(0x20..<0x40).contains($0) }) else {
            guard isFinal || bytes.count > Self.sequenceBytesMax else { return .incomplete }
            // An escape, and a bracket that was typed behind it.
            if bytes.count == 2 { return .key(take(.escape)) }
            bytes.removeAll()
            return .dropped
        }
        guard (0x40..<0x7F).contains(bytes[end]) else {
            // What is no sequence ends where it stops being one.
            bytes.removeFirst(end)
            return .dropped
        }
        let text = String(decoding: bytes[2...end], as: UTF8.self)
        bytes.removeFirst(end + 1)
        return Self.key(of: text).map { .key($0) } ?? .dropped
    }

    /// Modifiers, as in `1;5A`, make no other key of it, unless the table says so.
    private static func key(of sequence: String) -> Key? {
        if let key = sequences[sequence] { return key }
        guard let separator = sequence.firstIndex(of: ";"), let letter = sequence.last else {
            return nil
        }
        let number = sequence[..<separator]
        return letter == "~"
            ? sequences[number + "~"] : number == "1" ? sequences[String(letter)] : nil
    }

    private func characterEnd(isFinal: Bool) -> Int? {
        let first = bytes[0]
        let length = first < 0xC0 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        // What is no continuation belongs to the next key.
        let end = 1 + bytes[1...].prefix(length - 1).prefix { $0 & 0xC0 == 0x80 }.count
        let isCut = end == bytes.count && end < length
        return isCut && !isFinal ? nil : end
    }
}
