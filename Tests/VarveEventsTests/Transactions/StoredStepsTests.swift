import Testing
import VarveTestSupport

@testable import VarveEvents

@Suite("Stacks of steps in a checkpoint")
struct StoredStepsTests {
    private static func encode(_ timeline: Timeline) -> [UInt8] {
        var writer = ByteWriter()
        timeline.encode(into: &writer)
        return writer.copyBytes()
    }

    private static func decode(
        _ bytes: [UInt8], through last: TransactionID
    ) throws(CodecError) -> Timeline {
        try bytes.withReader { reader throws(CodecError) in
            try Timeline(reader.rest, through: last)
        }
    }

    /// Steps of one transaction and of groups, with labels and without, and some undos at the end.
    private static func timeline(
        _ count: Int, seed: UInt64, undoCount: Int = 3
    ) -> Timeline {
        var random = SeededGenerator(seed: seed)
        var timeline = Timeline()
        var group = 0
        for number in 1...count {
            if random.chance(3) { group += 1 }
            timeline.note(
                TransactionHeader(
                    id: TransactionID(UInt64(number)),
                    time: Timestamp(microseconds: Int64(random.below(1_000_000))), kind: .write,
                    label: random.chance(4) ? nil : "Step \(number)\(number % 7 == 0 ? " ü" : "")",
                    group: random.chance(2) ? "group \(group)" : nil))
        }
        for number in 0..<undoCount {
            guard let top = timeline.undoStep(in: nil) else { break }
            timeline.note(
                TransactionHeader(
                    id: TransactionID(UInt64(count + 1 + number)),
                    time: Timestamp(microseconds: 7), kind: .undo(of: top.newest), isUndoable: false
                ))
        }
        return timeline
    }

    @Test(
        "Stacks of any length are read as they were written, whatever is asked for first",
        arguments: [1, 63, 64, 127, 128, 129, 130, 200, 1_000])
    func roundTrip(count: Int) throws {
        for seed: UInt64 in 0..<8 {
            let written = Self.timeline(count, seed: seed)
            let last = TransactionID(UInt64(count + 3))
            let bytes = Self.encode(written)
            var read = try Self.decode(bytes, through: last)
            #expect(read.undoStep(in: nil) == written.undoStep(in: nil))
            #expect(read.undoSteps(in: nil, limit: 5) == written.undoSteps(in: nil, limit: 5))
            let floor = TransactionID(UInt64(count / 2 + 1))
            #expect(
                read.undoSteps(in: nil, from: floor) == written.undoSteps(in: nil, from: floor))
            #expect(
                Self.encode(read.trimmed(below: floor))
                    == Self.encode(written.trimmed(below: floor)))
            // What is written behind the opening lies on what was read.
            let next = TransactionHeader(
                id: TransactionID(last.rawValue + 1), time: Timestamp(microseconds: 9),
                kind: .write, label: "next")
            read.note(next)
            #expect(read.undoSteps(in: nil).dropFirst() == written.undoSteps(in: nil)[...])
            #expect(Self.encode(try Self.decode(bytes, through: last)) == bytes)
        }
    }

    @Test("Many threads that reach for what was not read yet see one stack")
    func threads() async throws {
        let written = Self.timeline(2_000, seed: 1)
        let read = try Self.decode(Self.encode(written), through: 2_003)
        let expected = written.undoSteps(in: nil)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { read.undoSteps(in: nil) == expected } }
            for await isSame in group { #expect(isSame) }
        }
    }

    @Test("Bytes that are not what was written are refused at once, or read to the end")
    func damage() throws {
        let bytes = Self.encode(Self.timeline(220, seed: 3))
        var refusedCount = 0
        for position in bytes.indices {
            for bit: UInt8 in [0x01, 0x40, 0x80] {
                var damaged = bytes
                damaged[position] ^= bit
                do throws(CodecError) {
                    let timeline = try Self.decode(damaged, through: 223)
                    // Reaches for all of it.
                    #expect(Self.encode(timeline).count > 100)
                } catch {
                    refusedCount += 1
                }
            }
        }
        #expect(refusedCount > bytes.count / 4)
        for count in 0..<bytes.count {
            #expect(throws: CodecError.self) {
                try Self.decode(Array(bytes.prefix(count)), through: 223)
            }
        }
    }
}
