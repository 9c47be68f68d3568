import Testing
import VarveTestSupport

@testable import VarveLog

@Suite("Taking a checksum back")
struct ChecksumInversionTests {
    @Test("What a checksum was continued from follows from what it became")
    func inverted() {
        var generator = SeededGenerator(seed: 5)
        let inversion = ChecksumInversion()
        for count in 0..<80 {
            let before = UInt32.random(in: 0...UInt32.max, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            bytes.withUnsafeBytes { bytes in
                let after = Checksum.crc32c(bytes, after: before)
                #expect(inversion.checksum(before: bytes, of: after) == before)
            }
        }
    }

    @Test("For every checksum there is a salt that has it")
    func salts() {
        var generator = SeededGenerator(seed: 6)
        let inversion = ChecksumInversion()
        for _ in 0..<100 {
            let checksum = UInt32.random(in: 0...UInt32.max, using: &generator)
            #expect(Checksum.crc32c(inversion.salt(withChecksum: checksum)) == checksum)
        }
    }
}
