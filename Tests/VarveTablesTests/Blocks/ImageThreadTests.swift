import Testing
import VarveEvents
import VarveTestSupport

@testable import VarveTables

@Suite("Threads and images")
struct ImageThreadTests {
    @Test(
        "Threads that read the same cold blocks read each block once, and the same content",
        arguments: [nil, 0])
    func coldReads(bytesMax: Int?) async throws {
        let state = try UserLog.state(count: 4_000)
        let (bytes, image, _) = try state.image()
        let expected = StateContent(state)
        for _ in 0..<4 {
            let source = MemorySource(bytes)
            let memory = bytesMax.map { PageGenerationTests.memory($0) }
            let opened = try State.open(source, memory: memory).state
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 {
                    group.addTask { try opened.reading { StateContent(opened) } == expected }
                }
                for try await isEqual in group { #expect(isEqual) }
            }
            let end = image.root.directory.totals.storedBytes
            let ranges = source.ranges
            #expect(ranges.filter { $0.lowerBound < end }.count == image.blockCount)
            // Two threads may read a part of the directory at once.
            let partCount = image.root.directory.chunks.count
            #expect(Set(ranges).count == image.blockCount + partCount + 2)
        }
    }

    @Test("Readers, a writer and images at once: each reads its own version")
    func writersAndImages() async throws {
        let (bytes, _, _) = try UserLog.state(count: 3_000).image()
        var (state, base) = try State.open(MemorySource(bytes))
        for round in 0..<6 {
            let (before, start) = (state, round * 400)
            state = try UserLog.update(start..<start + 60, of: state)
            let (changed, plan) = (state, ImagePlan(state, base: base))
            // The writer goes on while others read and write the image.
            async let ages = Self.age(of: start + 5, before, changed)
            async let written = Self.write(plan)
            state = try UserLog.update(start + 100..<start + 160, of: state)
            let expected = try await ages
            #expect(expected == [(start + 5) % 90, 101])
            base = try await written
            let opened = try State.open(base.source).state
            #expect(try Self.age(of: start + 5, opened, opened) == [101, 101])
            #expect(try Self.age(of: start + 105, opened, opened)[0] == (start + 105) % 90)
        }
    }

    private static func write(_ plan: ImagePlan) throws -> StoredImage {
        var sink = MemoryBlocks()
        return try plan.write(to: &sink).stored(in: MemorySource(sink.bytes))
    }

    private static func age(of number: Int, _ states: State...) throws -> [Int] {
        try states.map { state in
            try state.reading {
                UserLog.id(number).withUnsafeBytes { id in
                    state.entry(of: UserLog.type, id: id).map { UserLog.age(in: $0.row) } ?? -1
                }
            }
        }
    }
}
