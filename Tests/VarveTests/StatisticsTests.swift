import Foundation
import Testing
import Varve
import VarveTestSupport

@Suite("Statistics of a store")
struct StatisticsTests {
    @Test("The newest checkpoint is told with its age, after opening again too")
    func checkpoint() throws {
        let disk = SimulatedDisk()
        func open(_ mode: Store.Mode = .readWrite) throws -> Store {
            try Store(
                in: disk, environment: SimulatedEnvironment(seed: 1), mode: mode,
                durability: .commit, compactsAutomatically: false,
                types: [Author.self, Shelf.self])
        }
        var store = try open()
        #expect(store.statistics.checkpoint == nil && !store.statistics.isPoisoned)
        for number in 0..<20 {
            try store.write { try Author(id: "\(number)", name: "name").save(to: &$0) }
        }
        let report = try store.compact()
        try store.write { try Author(id: "later", name: "name").save(to: &$0) }
        let checkpoint = try #require(store.statistics.checkpoint)
        #expect(checkpoint.transaction == report.checkpoint)
        #expect(checkpoint.storedBytes == report.checkpointBytes)
        #expect(checkpoint.rawBytes == report.checkpointRawBytes)
        let time = try store.transaction(report.checkpoint).time
        #expect(checkpoint.createdAt >= time)
        #expect(checkpoint.age(at: checkpoint.createdAt.addingTimeInterval(60)) == 60)
        try store.close()
        #expect(store.statistics.checkpoint == checkpoint && !store.statistics.isPoisoned)
        store = try open()
        #expect(store.statistics.checkpoint == checkpoint)
        try store.close()
        #expect(try open(.readOnly).statistics.checkpoint == checkpoint)
    }
}
