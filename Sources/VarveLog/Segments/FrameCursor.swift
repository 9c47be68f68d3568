/// One frame that was read: its header's meaning is known, its stored bytes are intact when they
/// were asked for. Pointers are valid until the cursor moves.
struct Frame {
    let header: FrameHeader
    let offset: FrameOffset
    let headerBytes: UnsafeRawBufferPointer
    /// Stored bytes; empty when only headers are read.
    let payload: UnsafeRawBufferPointer

    var end: FrameOffset { FrameOffset(offset.rawValue + header.frameLength) }

    /// As it stands at the end of the header.
    var headerChecksum: UInt32 { headerBytes.integer(at: 52, as: UInt32.self) }
}

/// Why a cursor found no frame where one should start.
struct FrameStop {
    let ending: TailEnding
    /// What to report should this be refused.
    let error: LogError
}

enum FrameStep {
    case frame(Frame)
    /// The end of what may be read, at a frame's border.
    case end
    case stopped(FrameStop)
}

/// Walks the frames of one segment. It reports the first thing that is no frame and never decides
/// what that means.
struct FrameCursor {
    let segment: SegmentID
    let seed: PlaceSeed
    let window: SegmentWindow
    /// Where the next frame starts.
    private(set) var offset: FrameOffset

    init(_ header: SegmentHeader, window: SegmentWindow, at offset: FrameOffset? = nil) {
        segment = header.segment
        seed = header.placeSeed
        self.window = window
        self.offset = offset ?? header.frameStart
    }

    /// Reads the next frame and moves behind it.
    mutating func next() throws(LogError) -> FrameStep {
        switch try readHeader() {
        case .frame(let frame):
            // The window may move: the header's bytes are taken again together with the payload.
            let bytes = try window.bytes(at: offset, count: Int(frame.header.frameLength))
            if let stop = payloadProblem(frame.header, bytes) { return .stopped(stop) }
            let payloadEnd = FrameHeader.byteCount + Int(frame.header.storedLength)
            let whole = Frame(
                header: frame.header, offset: offset,
                headerBytes: UnsafeRawBufferPointer(rebasing: bytes[..<FrameHeader.byteCount]),
                payload: UnsafeRawBufferPointer(
                    rebasing: bytes[FrameHeader.byteCount..<payloadEnd]))
            offset = whole.end
            return .frame(whole)
        case let other:
            return other
        }
    }

    /// Reads the next frame's header alone and moves behind the frame.
    mutating func nextHeader() throws(LogError) -> FrameStep {
        let step = try readHeader()
        if case .frame(let frame) = step { offset = frame.end }
        return step
    }

    /// Moves to the next offset that carries a header written for it, at or behind `from`; false
    /// when there is none before the end. Where reading fails the cursor is at what could not be read:
    /// before it there is none. Frames start at multiples of eight. Holes are passed over unread: zeros are no header.
    mutating func moveToNextHeader(from: FrameOffset) throws(LogError) -> Bool {
        var position = (from.rawValue + 7) & ~7
        let headerBytes = UInt64(FrameHeader.byteCount)
        while window.remaining(from: FrameOffset(position)) >= headerBytes {
            offset = FrameOffset(position)
            position =
                try window.contentStart(from: offset, count: FrameHeader.byteCount).rawValue & ~7
            offset = FrameOffset(position)
            guard window.remaining(from: offset) >= headerBytes else { return false }
            let bytes = try window.bytes(at: offset, count: FrameHeader.byteCount)
            if FrameHeader.decode(bytes, at: offset, seed: seed) != nil { return true }
            position += 8
        }
        return false
    }

    private func readHeader() throws(LogError) -> FrameStep {
        let remaining = window.remaining(from: offset)
        if remaining == 0 { return .end }
        let headerCount = FrameHeader.byteCount
        guard remaining >= UInt64(headerCount) else {
            return .stopped(
                stop(.incompleteHeader, .frameTruncated, UInt64(headerCount), remaining))
        }
        let bytes = try window.bytes(at: offset, count: headerCount)
        guard let header = FrameHeader.decode(bytes, at: offset, seed: seed) else {
            return .stopped(
                stop(
                    .damagedHeader, .frameHeader,
                    UInt64(FrameHeader.checksum(of: bytes, at: offset, seed: seed)),
                    UInt64(bytes.integer(at: 52, as: UInt32.self))))
        }
        if let problem = header.problem(segment: segment, offset: offset) {
            return .stopped(problem)
        }
        guard header.frameLength <= remaining else {
            return .stopped(
                stop(.incompletePayload, .frameTruncated, header.frameLength, remaining))
        }
        return .frame(
            Frame(
                header: header, offset: offset, headerBytes: bytes,
                payload: UnsafeRawBufferPointer(rebasing: bytes[headerCount...])))
    }

    /// `bytes` are the whole frame.
    @inline(__always)
    private func payloadProblem(
        _ header: FrameHeader, _ bytes: UnsafeRawBufferPointer
    ) -> FrameStop? {
        let payloadEnd = FrameHeader.byteCount + Int(header.storedLength)
        let found = Checksum.crc32c(
            UnsafeRawBufferPointer(rebasing: bytes[FrameHeader.byteCount..<payloadEnd]))
        guard found == header.storedChecksum else {
            return stop(
                .damagedPayload, .payload, UInt64(header.storedChecksum), UInt64(found))
        }
        for position in payloadEnd..<bytes.count where bytes[position] != 0 {
            return stop(.damagedPayload, .padding, 0, UInt64(bytes[position]))
        }
        return nil
    }

    private func stop(
        _ ending: TailEnding, _ kind: LogDamage.Kind, _ expected: UInt64, _ found: UInt64
    ) -> FrameStop {
        FrameStop(
            ending: ending,
            error: .damaged(
                LogDamage(
                    segment: segment, offset: offset, kind: kind, expected: expected,
                    found: found)))
    }
}
