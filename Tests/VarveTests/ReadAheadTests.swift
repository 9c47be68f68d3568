import Testing
import Varve
import VarveEvents
import VarveLog
import VarveTables
import VarveTestSupport

@testable import VarveReplay

@Suite("Reading a log ahead")
struct ReadAheadTests {
    /// A log of many small transactions, transactions that no batch has room for, and a type that comes late.
    private func log() throws -> SimulatedDisk {
        let disk = SimulatedDisk()
        let store = try CompactionTests.open(disk)
        try CompactionTests.fill(store, 0..<30)
        // More of them than batches, so that the reading waits for those that it has handed over.
        for number in 0..<6 {
            try store.write { context in
                let text = String(repeating: "a text that is long enough", count: 60_000)
                try Book(id: 9_990 + number, title: "long", text: text).save(to: &context)
            }
            try CompactionTests.fill(store, (30 + number * 5)..<(35 + number * 5))
        }
        try store.close()
        let later = try Store(
            in: disk, environment: SimulatedEnvironment(seed: 5),
            mode: .readWrite, durability: .commit, types: [Author.self, Shelf.self, Note.self])
        for number in 60..<90 {
            try CompactionTests.fill(later, number..<number + 1)
            try later.write { context in try Note(id: number).save(to: &context) }
        }
        try later.close()
        return disk
    }

    @EntityModel
    struct Note {
        let id: Int
    }

    private func replay(
        _ disk: SimulatedDisk, aheadFrom bytes: UInt64
    ) throws -> State {
        try LoggedState(
            try ScannedLog.scan(disk, mode: .readOnly), readingAheadFrom: bytes
        ).state
    }

    @Test("What is read ahead is what is read one by one")
    func same() throws {
        let disk = try log()
        let ahead = try replay(disk, aheadFrom: 0)
        let plain = try replay(disk, aheadFrom: .max)
        #expect(ahead.lastTransaction == plain.lastTransaction)
        #expect(try ahead.digest() == plain.digest())
    }

    @Test("Damage is told in the same words, wherever it is", arguments: [0.1, 0.3, 0.5, 0.7, 0.9])
    func damage(place: Double) throws {
        let disk = try log()
        let names = disk.image.files.keys.filter { $0.hasPrefix("segment") }.sorted()
        var image = disk.image
        let name = names[Int(place * Double(names.count))]
        let count = try #require(image.files[name]?.count)
        image.files[name]?[count / 2] ^= 0x10
        func failure(aheadFrom bytes: UInt64) -> String? {
            do {
                _ = try replay(SimulatedDisk(image), aheadFrom: bytes)
                return nil
            } catch {
                return "\(error)"
            }
        }
        let told = failure(aheadFrom: .max)
        #expect(failure(aheadFrom: 0) == told)
    }

    @Test("A log that could not be replayed can be tried again at once")
    func lock() throws {
        let disk = try log()
        var image = disk.image
        let name = try #require(image.files.keys.filter { $0.hasPrefix("segment") }.min())
        let count = try #require(image.files[name]?.count)
        image.files[name]?[count / 2] ^= 0x10
        let damaged = SimulatedDisk(image)
        for _ in 0..<50 {
            let scanned = try ScannedLog.scan(damaged, mode: .readWrite)
            #expect(throws: ReplayFailure<RecordError>.self) {
                _ = try LoggedState(scanned, readingAheadFrom: 0)
            }
        }
    }

    @Test(
        "Who takes the records may end it at any of them", arguments: [1, 2, 17, 31, 40, 60, 100])
    func abandoning(last: Int) throws {
        let scanned = try ScannedLog.scan(try log(), mode: .readOnly)
        let transaction = StateTransaction(State())
        var taken = 0
        #expect(throws: ReplayFailure<RecordError>.self) {
            try ReadAhead().forEach(of: scanned.snapshot, after: .none) {
                record throws(RecordError) in
                try transaction.take(record)
                taken += 1
                if taken == last {
                    throw .definitions(behind: TransactionID(1), reason: "enough")
                }
            }
        }
        #expect(taken == last)
    }
}
