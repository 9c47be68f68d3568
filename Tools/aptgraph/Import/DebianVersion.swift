/// A version as Debian orders them: `[epoch:]upstream[-revision]`.
///
/// Two versions are equal when Debian's rules say so, however they are written: `1.0` and
/// `0:1.0-0` are.
struct DebianVersion: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

extension DebianVersion: Comparable {
    static func == (first: DebianVersion, second: DebianVersion) -> Bool {
        order(first, second) == 0
    }

    static func < (first: DebianVersion, second: DebianVersion) -> Bool {
        order(first, second) < 0
    }

    /// Less than, equal to or greater than zero.
    private static func order(_ first: DebianVersion, _ second: DebianVersion) -> Int {
        if first.text == second.text { return 0 }
        let first = VersionParts(first.text)
        let second = VersionParts(second.text)
        let epoch = VersionParts.order(first.epoch, second.epoch)
        if epoch != 0 { return epoch }
        let upstream = VersionParts.order(first.upstream, second.upstream)
        return upstream != 0 ? upstream : VersionParts.order(first.revision, second.revision)
    }
}

/// The three parts of a version; one that is absent is empty, which compares like `0`.
private struct VersionParts {
    var epoch: Substring.UTF8View
    var upstream: Substring.UTF8View
    var revision: Substring.UTF8View

    init(_ text: String) {
        var rest = text[...].utf8
        epoch = rest.prefix(0)
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")),
            rest[..<colon].allSatisfy(Self.isDigit)
        {
            epoch = rest[..<colon]
            rest = rest[rest.index(after: colon)...]
        }
        upstream = rest
        revision = rest.suffix(0)
        if let dash = rest.lastIndex(of: UInt8(ascii: "-")) {
            upstream = rest[..<dash]
            revision = rest[rest.index(after: dash)...]
        }
    }

    /// Compares by turns a run without digits, by ``weight(_:)``, and a number of any length.
    static func order(_ first: Substring.UTF8View, _ second: Substring.UTF8View) -> Int {
        var first = first
        var second = second
        while !first.isEmpty || !second.isEmpty {
            while startsWithText(first) || startsWithText(second) {
                let difference = weight(first.first) - weight(second.first)
                if difference != 0 { return difference }
                // No byte but a digit weighs what the end does: here stand two equal ones.
                first = first.dropFirst()
                second = second.dropFirst()
            }
            let difference = takeNumbers(&first, &second)
            if difference != 0 { return difference }
        }
        return 0
    }

    private static func takeNumbers(
        _ first: inout Substring.UTF8View, _ second: inout Substring.UTF8View
    ) -> Int {
        let one = takeNumber(&first)
        let other = takeNumber(&second)
        if one.count != other.count { return one.count - other.count }
        for (one, other) in zip(one, other) where one != other { return Int(one) - Int(other) }
        return 0
    }

    /// The digits at the start, without leading zeros.
    private static func takeNumber(_ text: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return digits.drop { $0 == UInt8(ascii: "0") }
    }

    /// `~` comes before the end, the end and digits before letters, letters before the rest.
    private static func weight(_ byte: UInt8?) -> Int {
        switch byte {
        case nil: 0
        case UInt8(ascii: "~")?: -1
        case let byte? where isDigit(byte): 0
        case let byte? where isLetter(byte): Int(byte)
        case let byte?: Int(byte) + 256
        }
    }

    private static func startsWithText(_ text: Substring.UTF8View) -> Bool {
        text.first.map { !isDigit($0) } ?? false
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
