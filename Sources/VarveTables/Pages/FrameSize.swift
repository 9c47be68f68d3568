/// The sizes of frames: multiples of 64 bytes, and from 8 KiB on eight sizes for each power of two.
enum FrameSize {
    static let unitBytes = 1 << PageNumber.byteBits
    private static let fineBits = 13
    private static let coarseBits = 20
    /// Above this a frame has a chunk of its own, and the size that was asked for.
    static let classBytesMax = 1 << coarseBits
    static let classCount = index(of: classBytesMax) + 1

    /// The size of a frame that holds this much.
    @inline(__always)
    static func rounded(_ byteCount: Int) -> Int {
        let step =
            byteCount <= 1 << fineBits || byteCount > classBytesMax
            ? unitBytes : 1 << (power(below: byteCount) - 3)
        return (byteCount + step - 1) & ~(step - 1)
    }

    /// The class of a size: from 1 on.
    @inline(__always)
    static func index(of size: Int) -> Int {
        guard size > 1 << fineBits else { return size >> PageNumber.byteBits }
        let power = power(below: size)
        let coarse = (power - fineBits) * 8 + (size - 1 << power) >> (power - 3)
        return 1 << (fineBits - PageNumber.byteBits) + coarse
    }

    /// The exponent of the largest power of two below a size.
    private static func power(below size: Int) -> Int {
        Int.bitWidth - 1 - (size - 1).leadingZeroBitCount
    }
}
