/// The frames of one kind and size that are free, and what was not cut yet of the newest run of such.
struct Slab: BitwiseCopyable {
    /// The first free frame, which names the next one.
    var free = PageNumber.none
    /// Of the run.
    private var next = PageNumber.none
    private var left: UInt32 = 0
    private var spanCount: UInt32 = 0

    /// The next frame of the run.
    @inline(__always)
    mutating func cut(_ size: Int) -> PageNumber? {
        guard left > 0 else { return nil }
        let number = next
        left &-= 1
        next = PageNumber(
            number.rawValue &+ UInt32(truncatingIfNeeded: size &>> PageNumber.byteBits))
        return number
    }

    mutating func begin(_ run: PageRun) {
        next = run.first
        left = UInt32(run.frameCount)
        spanCount = UInt32(run.spanCount)
    }

    /// The spans of the next run: twice those of the last, and so many that an eighth is left over at most.
    /// - Parameter most: unless a frame needs more.
    func nextSpanCount(_ size: Int, most: Int) -> Int {
        let least = (size + PageSpan.bytes - 1) / PageSpan.bytes
        var count = max(least, min(Int(spanCount) * 2, most), 1)
        while count * PageSpan.bytes % size > count * PageSpan.bytes / 8 { count += 1 }
        return count
    }
}

/// All slabs, by kind and size. Those of a kind take no memory before it has a page.
struct SlabTable: ~Copyable {
    private let kinds: UnsafeMutablePointer<UnsafeMutablePointer<Slab>?>

    init() {
        kinds = .allocate(capacity: PageKind.limit)
        kinds.initialize(repeating: nil, count: PageKind.limit)
    }

    deinit {
        for kind in 0..<PageKind.limit { kinds[kind]?.deallocate() }
        kinds.deallocate()
    }

    /// Valid as long as the table.
    @inline(__always)
    func slab(_ kind: PageKind, _ sizeClass: Int) -> UnsafeMutablePointer<Slab> {
        if let slabs = kinds[Int(kind.rawValue)] { return slabs + sizeClass }
        return begin(kind) + sizeClass
    }

    @inline(never)
    private func begin(_ kind: PageKind) -> UnsafeMutablePointer<Slab> {
        let slabs = UnsafeMutablePointer<Slab>.allocate(capacity: FrameSize.classCount)
        slabs.initialize(repeating: Slab(), count: FrameSize.classCount)
        kinds[Int(kind.rawValue)] = slabs
        return slabs
    }
}

/// Spans of chunks that belong to no run yet.
struct RunSpace {
    private var ranges: [(chunk: Int, spans: Range<Int>)] = []

    mutating func give(_ chunk: Int, _ spans: Range<Int>) { ranges.append((chunk, spans)) }

    func has(_ count: Int) -> Bool { position(of: count) != nil }

    /// The newest that is large enough.
    private func position(of count: Int) -> Int? {
        ranges.lastIndex { $0.spans.count >= count }
    }

    /// Takes neighbouring spans. There are as many.
    mutating func take(_ count: Int) -> (chunk: Int, span: Int) {
        guard let position = position(of: count) else {
            preconditionFailure("a run fits its space")
        }
        let (chunk, spans) = ranges[position]
        if spans.count == count {
            ranges.remove(at: position)
        } else {
            ranges[position].spans = spans.lowerBound + count..<spans.upperBound
        }
        return (chunk, spans.lowerBound)
    }
}
