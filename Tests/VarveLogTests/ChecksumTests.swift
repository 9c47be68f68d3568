import Testing
import VarveLog
import VarveTestSupport

@Suite("Checksums")
struct ChecksumTests {
    @Test("CRC32C has the published values")
    func publishedCRC() {
        func crc(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { Checksum.crc32c($0) } }
        #expect(crc(Array("123456789".utf8)) == 0xE306_9283)
        #expect(crc([]) == 0)
        // RFC 3720, B.4
        #expect(crc(Array(repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(crc(Array(repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(crc(Array(0..<32)) == 0x46DD_794E)
    }

    @Test("With and without the processor's instructions, whole and in pieces, CRC32C is the same")
    func accelerationAgrees() {
        var generator = SeededGenerator(seed: 6)
        for count in 0..<300 {
            let bytes = generator.bytes(count)
            bytes.withUnsafeBytes { buffer in
                let whole = Checksum.crc32c(buffer)
                #expect(whole == Checksum.portableCRC32C(buffer))
                let middle = count / 3
                let first = Checksum.crc32c(UnsafeRawBufferPointer(rebasing: buffer[..<middle]))
                let rest = UnsafeRawBufferPointer(rebasing: buffer[middle...])
                #expect(Checksum.crc32c(rest, after: first) == whole)
            }
        }
    }

    @Test("XXH64 has the published values")
    func publishedXXH64() {
        func hash(_ text: String, seed: UInt64 = 0) -> UInt64 {
            Array(text.utf8).withUnsafeBytes { XXH64.hash($0, seed: seed) }
        }
        #expect(hash("") == 0xEF46_DB37_51D8_E999)
        #expect(hash("a") == 0xD24E_C4F1_A98C_6E5B)
        #expect(hash("abc") == 0x44BC_2CF5_AD77_0999)
        #expect(hash("Nobody inspects the spammish repetition") == 0xFBCE_A83C_8A37_8BF1)
    }

    @Test("A header's checksum holds at its place only")
    func placeBound() {
        let seed = PlaceSeed(salt: 1, segment: SegmentID(1))
        let frame = FrameHeader(
            type: .seal, codec: .stored, flags: [], storedLength: 0, rawLength: 0,
            sequence: .none, durableEnd: FrameOffset(128), time: 0, storedChecksum: 0,
            rawChecksum: 0)
        func checksum(_ offset: UInt64, _ seed: PlaceSeed) -> UInt32 {
            var bytes = [UInt8](repeating: 0, count: FrameHeader.byteCount)
            return bytes.withUnsafeMutableBytes {
                frame.encode(into: $0, at: FrameOffset(offset), seed: seed)
            }
        }
        let all = [
            checksum(128, seed), checksum(136, seed),
            checksum(128, PlaceSeed(salt: 2, segment: SegmentID(1))),
            checksum(128, PlaceSeed(salt: 1, segment: SegmentID(2))),
        ]
        #expect(Set(all).count == 4)
    }
}
