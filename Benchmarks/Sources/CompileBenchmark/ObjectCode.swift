import Foundation

/// The machine code in an object file in the ELF format.
enum ObjectCode {
    /// The bytes of all executable sections.
    static func byteCount(of file: URL) throws -> Int {
        let bytes = try Data(contentsOf: file)
        guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else {
            throw Failure(description: "\(file.path) is no 64-bit little-endian ELF file")
        }
        return bytes.withUnsafeBytes { bytes in
            func read<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Int {
                Int(truncatingIfNeeded: bytes.loadUnaligned(fromByteOffset: offset, as: type))
            }
            // The header names where section headers begin, their size and their number. More than fit 16 bits, as a
            // file with a section for each function has, stand in the first of them.
            let start = read(UInt64.self, at: 0x28)
            let size = read(UInt16.self, at: 0x3A)
            let count = read(UInt16.self, at: 0x3C)
            let isExecutable = 4
            return (0..<(count > 0 ? count : read(UInt64.self, at: start + 0x20)))
                .map { start + $0 * size }
                .filter { read(UInt64.self, at: $0 + 0x08) & isExecutable != 0 }
                .reduce(0) { $0 + read(UInt64.self, at: $1 + 0x20) }
        }
    }
}
