import Foundation

/// Cuts a stream of bytes into stanzas, which blank lines separate.
///
/// Memory is bounded: the buffer holds one piece of the stream, and grows only while a single
/// stanza does not fit, up to ``stanzaBytesMax``; a longer one is passed over.
struct StanzaBuffer {
    enum Piece {
        /// A stanza at these bytes; its first line's number.
        case stanza(Range<Int>, firstLine: Int)
        case tooLarge(firstLine: Int)
    }

    /// The longest stanza in Debian's archive has some 60 KiB.
    static let stanzaBytesMax = 1024 * 1024

    private static let initialBytes = 256 * 1024

    private(set) var bytes = [UInt8](repeating: 0, count: initialBytes)
    private let source: any ByteSource
    /// `bytes[start..<end]` was read and not yet handed out.
    private var start = 0
    private var end = 0
    private var isAtEnd = false
    /// Number of the line at `start`.
    private var line = 1
    /// First line of a stanza that is being passed over.
    private var oversizedLine: Int?

    init(_ source: any ByteSource) {
        self.source = source
    }

    /// The next stanza; its range is valid in ``bytes`` until the next call.
    mutating func next() throws(PackagesError) -> Piece? {
        while true {
            skipBlankLines()
            if let piece = takeStanza() { return piece }
            if isAtEnd {
                if let oversizedLine {
                    self.oversizedLine = nil
                    return .tooLarge(firstLine: oversizedLine)
                }
                return nil
            }
            try fill()
        }
    }

    private mutating func skipBlankLines() {
        // Inside a stanza that is passed over, a blank line is its end.
        guard oversizedLine == nil else { return }
        while start < end, let next = endOfBlankLine(at: start) {
            start = next
            line += 1
        }
    }

    /// The index after a blank line that starts here; `nil` where something is on the line or its
    /// end is not known yet.
    private func endOfBlankLine(at index: Int) -> Int? {
        guard index < end else { return nil }
        if bytes[index] == UInt8(ascii: "\n") { return index + 1 }
        guard bytes[index] == UInt8(ascii: "\r"), index + 1 < end,
            bytes[index + 1] == UInt8(ascii: "\n")
        else { return nil }
        return index + 2
    }

    private mutating func takeStanza() -> Piece? {
        var lineStart = start
        var lineCount = 0
        while let newline = bytes.span.firstIndex(of: UInt8(ascii: "\n"), in: lineStart..<end) {
            if endOfBlankLine(at: lineStart) == newline + 1 {
                return hand(out: start..<lineStart, lines: lineCount)
            }
            lineCount += 1
            lineStart = newline + 1
        }
        if isAtEnd, start < end {
            return hand(out: start..<end, lines: lineStart < end ? lineCount + 1 : lineCount)
        }
        if end - start >= Self.stanzaBytesMax || oversizedLine != nil {
            discard(upTo: lineStart, lines: lineCount)
        }
        return nil
    }

    private mutating func hand(out range: Range<Int>, lines: Int) -> Piece {
        let firstLine = line
        start = range.upperBound
        line += lines
        if let oversized = oversizedLine {
            oversizedLine = nil
            return .tooLarge(firstLine: oversized)
        }
        return .stanza(range, firstLine: firstLine)
    }

    /// Forgets the whole lines of a stanza that is too long, and of a last, unfinished line all
    /// but one byte, which keeps it from being taken for a blank one.
    private mutating func discard(upTo lineStart: Int, lines: Int) {
        if oversizedLine == nil { oversizedLine = line }
        line += lines
        if lineStart < end, end - lineStart > 2 {
            bytes[lineStart] = UInt8(ascii: "-")
            end = lineStart + 1
        }
        start = lineStart
    }

    private mutating func fill() throws(PackagesError) {
        if start > 0 {
            bytes.withUnsafeMutableBytes { buffer in
                let unread = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
                UnsafeMutableRawBufferPointer(rebasing: buffer[0..<end - start])
                    .copyMemory(from: unread)
            }
            end -= start
            start = 0
        }
        if end == bytes.count {
            bytes.append(contentsOf: repeatElement(0, count: bytes.count))
        }
        let count = try read()
        end += count
        isAtEnd = count == 0
    }

    private mutating func read() throws(PackagesError) -> Int {
        let source = source
        let end = end
        var failure: PackagesError?
        let count = bytes.withUnsafeMutableBytes { buffer in
            do throws(PackagesError) {
                return try source.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return count
    }
}
