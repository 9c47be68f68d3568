import Foundation
import Testing
import VarveTestSupport

@testable import VarveEvents

@Suite("Common bytes")
struct CommonBytesTests {
    private static func common(_ first: [UInt8], _ second: [UInt8], limit: Int = .max) -> [Int] {
        first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                let common = CommonBytes(first, second, limit: limit)
                return [common.prefix, common.suffix]
            }
        }
    }

    @Test("Word by word finds what byte by byte finds", arguments: [41, 42] as [UInt64])
    func agreesWithBytes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5_000 {
            let shared = random.bytes(Int.random(in: 0..<40, using: &random), alphabet: 1)
            let end = random.bytes(Int.random(in: 0..<40, using: &random), alphabet: 1)
            let first =
                shared + random.bytes(Int.random(in: 0..<20, using: &random), alphabet: 1) + end
            let second =
                shared + random.bytes(Int.random(in: 0..<20, using: &random), alphabet: 1) + end
            let prefix = zip(first, second).prefix { $0 == $1 }.count
            let left = min(first.count, second.count) - prefix
            let suffix = zip(first.reversed(), second.reversed()).prefix(left)
                .prefix { $0 == $1 }.count
            #expect(Self.common(first, second) == [prefix, suffix], "seed \(seed)")
            #expect(
                Self.common(first, second, limit: 5)[0] == min(prefix, 5), "seed \(seed)")
        }
    }

    @Test("Empty and equal stretches")
    func edges() {
        #expect(Self.common([], []) == [0, 0])
        #expect(Self.common([], [1]) == [0, 0])
        #expect(Self.common([1, 2, 3], [1, 2, 3]) == [3, 0])
        #expect(Self.common([1, 1, 1, 1], [1, 1]) == [2, 0])
        #expect(Self.common([2, 1, 1], [1, 1]) == [0, 2])
    }

    @Test("A value of 512 MiB that changes a little gives a splice that can be read")
    func largeValue() throws {
        // Memory that nobody writes to takes no room: all of it is the same page of zeros.
        let count = (1 << 29) + 4_096
        let old = try #require(calloc(1, count))
        let new = try #require(calloc(1, count))
        defer {
            free(old)
            free(new)
        }
        var head = ByteWriter()
        head.writeCount(count - 5)
        #expect(head.count == 5)
        head.withBytes {
            old.copyMemory(from: $0.baseAddress!, byteCount: 5)
            new.copyMemory(from: $0.baseAddress!, byteCount: 5)
        }
        new.storeBytes(of: 1, toByteOffset: count - 1, as: UInt8.self)
        let splice = try #require(
            Splice(
                type: .data, old: UnsafeRawBufferPointer(start: old, count: count),
                new: UnsafeRawBufferPointer(start: new, count: count)))
        let bytes = splice.encodedBytes
        try bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            let again = try Splice(from: &reader)
            #expect(again.prefixLength == splice.prefixLength)
            #expect(again.prefixLength < Splice.sharedLengthLimit)
            #expect(
                again.prefixLength + again.oldMiddle.count + again.suffixLength == count - 5)
        }
    }
}
