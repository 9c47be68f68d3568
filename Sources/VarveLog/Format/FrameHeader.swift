/// The bytes in front of every frame: what it is, how long, which transaction, how much of the
/// file was known to be safe when it was written, and three checksums.
package struct FrameHeader: Hashable, Sendable {
    package var type: FrameType
    package var codec: FrameCodec
    package var flags: FrameFlags
    /// The payload's bytes in the file, without the padding to a multiple of eight.
    package var storedLength: UInt32
    /// The payload's bytes before compression.
    package var rawLength: UInt32
    /// Of a transaction its number, of every other frame the number of the last transaction before.
    package var sequence: LogSequence
    /// The promise: every byte of the segment below this offset was safe from a power cut when
    /// this frame was written.
    package var durableEnd: FrameOffset
    /// The transaction's time as its writer gave it; of other frames the wall clock.
    package var time: Int64
    package var storedChecksum: UInt32
    /// Of the raw bytes, taken before compression: finds what went wrong in between.
    package var rawChecksum: UInt32

    package static let byteCount = 56
    /// The most bytes in one frame, stored or raw.
    package static let rawBytesMax: UInt32 = 64 << 20
    static let alignment = 8
    static let magic: UInt32 = 0x3146_7256  // 'V' 'r' 'F' '1'

    package init(
        type: FrameType, codec: FrameCodec, flags: FrameFlags, storedLength: UInt32,
        rawLength: UInt32, sequence: LogSequence, durableEnd: FrameOffset, time: Int64,
        storedChecksum: UInt32, rawChecksum: UInt32
    ) {
        self.type = type
        self.codec = codec
        self.flags = flags
        self.storedLength = storedLength
        self.rawLength = rawLength
        self.sequence = sequence
        self.durableEnd = durableEnd
        self.time = time
        self.storedChecksum = storedChecksum
        self.rawChecksum = rawChecksum
    }

    /// Header, payload and padding.
    package var frameLength: UInt64 {
        let unpadded = UInt64(Self.byteCount) + UInt64(storedLength)
        return (unpadded + 7) & ~7
    }

    var paddingLength: Int {
        Int(frameLength) - Self.byteCount - Int(storedLength)
    }
}

/// What a frame is. Numbers with the high bit set may be skipped by who does not know them.
package struct FrameType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// One transaction, or a part of one.
    package static let transaction = FrameType(rawValue: 1)
    /// Definitions at the head of a segment.
    package static let catalog = FrameType(rawValue: 2)
    /// A promise without a payload.
    package static let seal = FrameType(rawValue: 3)
    /// The last frame of a sealed segment.
    package static let footer = FrameType(rawValue: 4)

    package var isKnown: Bool { (1...4).contains(rawValue) }
    package var isIgnorable: Bool { rawValue & 0x80 != 0 }
}

/// How the payload is stored. 0x10 (encrypted) and 0x11 (compressed, then encrypted) are reserved.
package struct FrameCodec: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let stored = FrameCodec(rawValue: 0)
    /// One raw LZ4 block.
    package static let lz4 = FrameCodec(rawValue: 1)

    package var isKnown: Bool { rawValue <= 1 }
}

package struct FrameFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// More frames of the same transaction follow.
    package static let continues = FrameFlags(rawValue: 1 << 0)
    /// Not the first frame of its transaction.
    package static let continuation = FrameFlags(rawValue: 1 << 1)
    /// Of a seal: the writer closed the log, and everything before was synced.
    package static let clean = FrameFlags(rawValue: 1 << 2)

    static let known: FrameFlags = [.continues, .continuation, .clean]
}
