/// What was typed.
enum Key: Equatable {
    case character(Character)
    case enter
    case escape
    case backspace
    case delete
    case tab
    case backTab
    case up
    case down
    case left
    case right
    case home
    case end
    case pageUp
    case pageDown
    case shiftUp
    case shiftDown
    case control(Character)
}

/// Finds keys in the bytes that a terminal sends.
struct KeyDecoder {
    private var bytes: [UInt8] = []

    /// What the sequences behind `ESC [` and `ESC O` stand for.
    private static let sequences: [String: Key] = [
        "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "Z": .backTab,
        "1~": .home, "4~": .end, "7~": .home, "8~": .end, "3~": .delete, "5~": .pageUp,
        "6~": .pageDown, "1;2A": .shiftUp, "1;2B": .shiftDown, "1;3A": .shiftUp,
        "1;3B": .shiftDown,
    ]

    mutating func add(_ new: some Sequence<UInt8>) { bytes += new }

    /// Whether an escape stands alone so far: a key, or the start of a sequence.
    var isUndecided: Bool { bytes == [0x1B] }

    /// The next key, or nil where there is none or not all of it.
    ///
    /// - Parameter isFinal: whether nothing follows for now, so that an escape is a key.
    mutating func next(isFinal: Bool) -> Key? {
        while let first = bytes.first {
            switch first {
            case 0x1B:
                guard bytes.count > 1 else {
                    guard isFinal else { return nil }
                    bytes.removeFirst()
                    return .escape
                }
                guard bytes[1] == 0x5B || bytes[1] == 0x4F else {
                    bytes.removeFirst()
                    return .escape
                }
                guard let key = takeSequence(isFinal: isFinal) else { return nil }
                if let known = key { return known }
            case 0x0D, 0x0A: return take(.enter)
            case 0x09: return take(.tab)
            case 0x7F, 0x08: return take(.backspace)
            case 0..<0x20:
                return take(.control(Character(UnicodeScalar(first + 0x60))))
            default:
                guard let character = takeCharacter(isFinal: isFinal) else { return nil }
                return .character(character)
            }
        }
        return nil
    }

    private mutating func take(_ key: Key) -> Key {
        bytes.removeFirst()
        return key
    }

    /// Nil where the sequence is not whole; nothing where nobody knows it.
    private mutating func takeSequence(isFinal: Bool) -> Key?? {
        guard let end = bytes.dropFirst(2).firstIndex(where: { $0 >= 0x40 && $0 <= 0x7E }) else {
            if isFinal { bytes.removeAll() }
            return nil
        }
        let text = String(decoding: bytes[2...end], as: UTF8.self)
        bytes.removeFirst(end + 1)
        return .some(Self.sequences[text])
    }

    /// One scalar: those that belong together are joined in the text.
    private mutating func takeCharacter(isFinal: Bool) -> Character? {
        let first = bytes[0]
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard bytes.count >= length || isFinal else { return nil }
        let text = String(decoding: bytes.prefix(length), as: UTF8.self)
        bytes.removeFirst(min(length, bytes.count))
        return text.first
    }
}
