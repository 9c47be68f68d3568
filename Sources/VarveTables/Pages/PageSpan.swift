/// What a span of 4 KiB of a chunk belongs to: a run of spans that holds frames of one kind and size.
///
///     chunk   | run of row leaves of 1,088 bytes | run of id nodes | run of ...
///     spans   | 0   1   2   3   4   5   6   7    | 8               | 9
///
/// A run is also a block of an image: neighbours of one kind are read together, and a number can be
/// checked against the kind of its place without reading the place.
package struct PageSpan: Hashable, BitwiseCopyable, Sendable {
    static let unitBits = 6
    static let bytes = 1 << (unitBits + PageNumber.byteBits)

    /// kind 8 bits | units of a frame, 24 bits | spans of the run before this one, 10 | spans of the run, 11
    let rawValue: UInt64

    /// Of no run.
    static let none = PageSpan(rawValue: 0)

    init(rawValue: UInt64) { self.rawValue = rawValue }

    init(_ kind: PageKind, frameBytes: Int, position: Int, of count: Int) {
        rawValue =
            UInt64(kind.rawValue) | UInt64(frameBytes >> PageNumber.byteBits) << 8
            | UInt64(position) << 32 | UInt64(count) << 42
    }

    var kind: PageKind { PageKind(rawValue: UInt8(truncatingIfNeeded: rawValue)) }
    var frameUnits: Int { Int(rawValue >> 8 & 0xFF_FFFF) }
    var frameBytes: Int { frameUnits << PageNumber.byteBits }
    /// In its run.
    var position: Int { Int(rawValue >> 32 & 0x3FF) }
    /// Of its run.
    var count: Int { Int(rawValue >> 42 & 0x7FF) }

    /// The span of the run at another position, of the first.
    func moved(to position: Int) -> PageSpan {
        PageSpan(rawValue: rawValue | UInt64(position) << 32)
    }

    /// The frames of the run. One that is longer than the spans has a chunk of its own, of whatever size.
    var frameCount: Int { max(1, count * Self.bytes / max(frameBytes, 1)) }

    /// The position of a number's frame in its run, of which this is the number's span; nil where no frame
    /// begins there.
    func frameIndex(of number: PageNumber) -> Int? {
        guard frameUnits > 0 else { return nil }
        let unit = position << Self.unitBits + number.unit & (1 << Self.unitBits - 1)
        let (index, rest) = unit.quotientAndRemainder(dividingBy: frameUnits)
        return rest == 0 && index < frameCount ? index : nil
    }
}

/// A run of spans: where it begins, and what it holds.
package struct PageRun: Hashable, Sendable {
    /// Of its first frame.
    let first: PageNumber
    let kind: PageKind
    let frameBytes: Int
    let spanCount: Int

    init(first: PageNumber, kind: PageKind, frameBytes: Int, spanCount: Int) {
        self.first = first
        self.kind = kind
        self.frameBytes = frameBytes
        self.spanCount = spanCount
    }

    /// The run of a number that was given out, or is to be checked, and the position of its frame.
    init?(of number: PageNumber, _ span: PageSpan) {
        guard span.frameUnits > 0 else { return nil }
        first = PageNumber(
            chunk: number.chunk,
            offset: (number.offset / PageSpan.bytes - span.position) * PageSpan.bytes)
        kind = span.kind
        frameBytes = span.frameBytes
        spanCount = span.count
    }

    var frameCount: Int { span(0).frameCount }

    /// The bytes of all frames.
    var byteCount: Int { frameCount * frameBytes }

    func span(_ position: Int) -> PageSpan {
        PageSpan(kind, frameBytes: frameBytes, position: position, of: spanCount)
    }

    func number(_ index: Int) -> PageNumber {
        PageNumber(chunk: first.chunk, offset: first.offset + index * frameBytes)
    }

    var firstSpan: Int { first.offset / PageSpan.bytes }
}
