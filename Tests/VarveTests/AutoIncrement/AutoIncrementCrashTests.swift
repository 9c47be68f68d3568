import Foundation
import Testing
import Varve
import VarveLog
import VarveTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An id that a write has returned is never given again, however the process or the machine ended.
@Suite("Ids behind a crash", .serialized)
struct AutoIncrementCrashTests {
    /// What round `number` does: creations, in each third one a deletion and in each fifth an undo, so that the newest id
    /// is often one that no entity has. Returns the ids that were given.
    private static func work(_ number: Int, in store: Store) throws -> [Int] {
        var ids = [try store.write { try $0.create(NumberedNote(text: "a \(number)")).id }]
        if number % 3 == 0 {
            try store.write { try NumberedNote.delete(id: ids[0], from: &$0) }
        }
        if number % 4 == 0 {
            // Given and taken away again in one write: the number alone is logged.
            ids.append(
                try store.write { context in
                    let note = try context.create(NumberedNote(text: "passing"))
                    try note.delete(from: &context)
                    return note.id
                })
        }
        if number % 5 == 0 { try store.undo() }
        return ids
    }

    private static func kill(in microseconds: UInt32) {
        Thread.detachNewThread {
            usleep(microseconds)
            raise(SIGKILL)
        }
    }

    @Test(
        "After kill -9 at any moment no id that was given before is given again",
        arguments: 1...6 as ClosedRange<Int>)
    func killed(round: Int) async throws {
        let place = StoreTests.Place()
        let list = place.url.appendingPathExtension("given")
        defer { try? FileManager.default.removeItem(at: list) }
        let path = place.url.path
        let isRelaxed = round.isMultiple(of: 3)
        for start in 0..<4 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, seed = (round * 10 + start) as Int,
                    isRelaxed = isRelaxed as Bool
                ] in
                var random = SeededGenerator(seed: UInt64(seed))
                let delay = UInt32.random(in: 0..<40_000, using: &random)
                // However slow the disk is, some ids were given by then.
                let givenMin = Int.random(in: 1...20, using: &random)
                // One of the four is killed while it opens or soon after, the others once they gave ids.
                if seed % 10 == 2 { AutoIncrementCrashTests.kill(in: delay / 2) }
                let store = try Store(
                    at: URL(fileURLWithPath: path), durability: isRelaxed ? .none : .commit,
                    NumberedNote.self)
                let given = open(path + ".given", O_CREAT | O_WRONLY | O_APPEND, 0o600)
                for number in 0..<1_000_000 {
                    let ids = try AutoIncrementCrashTests.work(number, in: store)
                    let text = ids.map { "\($0)\n" }.joined()
                    _ = text.withCString { write(given, $0, strlen($0)) }
                    if number == givenMin { AutoIncrementCrashTests.kill(in: delay) }
                }
            }
        }
        let text = (try? String(contentsOf: list, encoding: .utf8)) ?? ""
        let given = text.split(separator: "\n").compactMap { Int($0) }
        #expect(!given.isEmpty && Set(given).count == given.count, "round \(round)")
        let store = try Store(at: place.url, NumberedNote.self)
        let next = try await store.write { try $0.create(NumberedNote(text: "next")).id }
        #expect(next > given.max() ?? 0, "round \(round)")
    }

    @Test(
        "After a power cut at any operation, with any of what was not synced lost, no id that was given before is given again",
        arguments: 1...4 as ClosedRange<UInt64>)
    func powerCut(seed: UInt64) throws {
        let disk = SimulatedDisk()
        func open(_ disk: SimulatedDisk) throws -> Store {
            try Store(
                in: disk, environment: SimulatedEnvironment(seed: seed), mode: .readWrite,
                durability: .commit, retention: .newestState, compactsAutomatically: false,
                types: [NumberedNote.self])
        }
        let store = try open(disk)
        var given: [(id: Int, operations: Int)] = []
        for number in 0..<24 {
            for id in try Self.work(number, in: store) {
                given.append((id, disk.operations.count))
            }
            // The newest id is one that was undone: from here on the checkpoint alone knows it.
            if number == 10 { try store.compact() }
        }
        var random = SeededGenerator(seed: seed)
        let first = given[0].operations
        for position in first...disk.operations.count where position % 3 == Int(seed % 3) {
            let point = disk.crashPoint(at: position)
            let choices = disk.survivals(at: point, using: &random)
            for survivals in [choices.first, choices.last, choices.randomElement(using: &random)] {
                guard let survivals else { continue }
                let recovered = try open(SimulatedDisk(disk.image(at: point, survivals)))
                let next = try recovered.write { try $0.create(NumberedNote(text: "next")).id }
                let newest = given.last { $0.operations <= position }?.id ?? 0
                #expect(next > newest, "seed \(seed), operation \(position)")
            }
        }
    }
}
