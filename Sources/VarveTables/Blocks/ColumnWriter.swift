/// Writes columns one behind the other into memory that has room for them.
struct ColumnWriter {
    private let content: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ content: UnsafeMutableRawBufferPointer) { self.content = content }

    mutating func add(_ values: UnsafeBufferPointer<UInt64>) {
        let bits = 64 - values.reduce(0, |).leadingZeroBitCount
        let byteCount = (bits + 7) / 8
        content[count] = UInt8(byteCount)
        count += 1
        for byte in 0..<byteCount {
            for (index, value) in values.enumerated() {
                content[count &+ index] = UInt8(truncatingIfNeeded: value &>> UInt64(8 &* byte))
            }
            count += values.count
        }
    }

    /// Begins a column of single bytes, which follow.
    mutating func beginBytes(_ byteCount: Int) {
        content[count] = byteCount == 0 ? 0 : 1
        count += 1
    }

    /// Adds a column of single bytes.
    mutating func addBytes(_ bytes: UnsafeRawBufferPointer) {
        let isZero = bytes.allSatisfy { $0 == 0 }
        beginBytes(isZero ? 0 : bytes.count)
        if !isZero { append(bytes) }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: content[count..<count + bytes.count])
            .copyMemory(from: bytes)
        count += bytes.count
    }
}
