/// CRC32C run backwards: what came before some bytes, given what came out behind them. A checksum
/// that was continued over known bytes can be rolled back, because each step of it is reversible.
struct ChecksumInversion {
    private let table: [UInt32]
    /// For each top byte of a table entry the entry's index: no two entries have the same.
    private let indexByTop: [UInt8]

    init() {
        let polynomial: UInt32 = 0x82F6_3B78
        var table = [UInt32](repeating: 0, count: 256)
        var indexByTop = [UInt8](repeating: 0, count: 256)
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
            table[index] = value
            indexByTop[Int(value >> 24)] = UInt8(index)
        }
        self.table = table
        self.indexByTop = indexByTop
    }

    /// The checksum that was continued over `bytes` and became `checksum`.
    func checksum(before bytes: UnsafeRawBufferPointer, of checksum: UInt32) -> UInt32 {
        var register = ~checksum
        for byte in bytes.reversed() { register = takeBack(register, byte) }
        return ~register
    }

    /// Eight bytes, as an integer, whose checksum is `checksum`.
    func salt(withChecksum checksum: UInt32) -> UInt64 {
        // Four bytes decide nothing, the other four bring any register to any other.
        var forwards = ~UInt32(0)
        for _ in 0..<4 { forwards = table[Int(forwards & 0xFF)] ^ forwards >> 8 }
        var backwards = ~checksum
        for _ in 0..<4 { backwards = takeBack(backwards, 0) }
        return UInt64(forwards ^ backwards) << 32
    }

    private func takeBack(_ register: UInt32, _ byte: UInt8) -> UInt32 {
        let index = indexByTop[Int(register >> 24)]
        return (register ^ table[Int(index)]) << 8 | UInt32(index ^ byte)
    }
}
