/// The limits of a log. None of them is part of the format: a store may be opened with others.
package struct LogConfiguration: Sendable {
    /// A segment at least this long is sealed before the next transaction.
    package var segmentBytesMax: ByteCount = .mebibytes(64)
    /// The most raw bytes in one frame; larger payloads span frames. At most
    /// `FrameHeader.rawBytesMax`.
    package var frameBytesMax: ByteCount = .mebibytes(64)
    /// The most bytes of one entity's row, for the layer that writes rows: a row fits into one page of a
    /// checkpoint. A transaction has no limit of its own, because the undo of one may be larger than it is.
    package var rowBytesMax: ByteCount = .mebibytes(1024)
    /// The most bytes of a cut tail that are kept in `lost/`.
    package var lostBytesMax: ByteCount = .mebibytes(64)
    /// A log that grew by less since its newest checkpoint is not compacted by itself.
    package var automaticCompactionBytesMin: ByteCount = .mebibytes(4)

    package init() {}
}

/// How a store is opened.
package enum LogMode: Sendable {
    case readWrite
    /// Takes no lock and changes nothing.
    case readOnly
}

extension LogConfiguration {
    /// A segment's footer is one frame, so its index and with it the segment are bounded too.
    func check() {
        precondition(
            segmentBytesMax.rawValue <= 4 << 30, "a segment has at most 4 GiB")
        precondition(
            (1...UInt64(FrameHeader.rawBytesMax)).contains(frameBytesMax.rawValue),
            "a frame holds between 1 byte and 64 MiB")
        precondition(
            rowBytesMax <= .mebibytes(1024), "a row fits into a page of a checkpoint, with its id")
    }
}
