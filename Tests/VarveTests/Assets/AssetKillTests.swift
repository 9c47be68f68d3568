import Foundation
import Testing
import Varve
import VarveTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Assets of killed processes", .serialized)
struct AssetKillTests {
    @Test(
        "After kill -9 at any moment the assets of all acknowledged transactions are there, and nothing is left over",
        arguments: 1...8 as ClosedRange<Int>)
    func killed(round: Int) async throws {
        let place = StoreTests.Place()
        try Store(at: place.url, Photo.self).close()
        let acknowledged = place.url.appendingPathExtension("acknowledged")
        defer { try? FileManager.default.removeItem(at: acknowledged) }
        let path = place.url.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, round = round as Int] in
            var random = SeededGenerator(seed: UInt64(round))
            let delay = UInt32.random(in: 5_000..<150_000, using: &random)
            Thread.detachNewThread {
                usleep(delay)
                kill(getpid(), SIGKILL)
            }
            let store = try Store(
                at: URL(fileURLWithPath: path), retention: .transactions(4), Photo.self)
            let log = open(path + ".acknowledged", O_CREAT | O_WRONLY | O_APPEND, 0o600)
            for number in 1..<100_000 {
                try store.write { context in
                    let image = try Asset(bytes(number, count: 20_000), in: store)
                    try Photo(id: "\(number % 3)", image: image).save(to: &context)
                }
                if number.isMultiple(of: 7) { try store.compact() }
                _ = write(log, "x", 1)
            }
        }
        let acknowledgedCount = (try? Data(contentsOf: acknowledged).count) ?? 0
        let store = try Store(at: place.url, retention: .newestState, Photo.self)
        let last = Int(store.lastTransaction.rawValue)
        #expect(last >= acknowledgedCount && last <= acknowledgedCount + 1, "round \(round)")
        for number in max(1, last - 2)..<max(1, last + 1) {
            let photo = try Photo.require("\(number % 3)", in: store.context)
            #expect(
                try await photo.image?.data(in: store) == bytes(number, count: 20_000),
                "round \(round)")
        }
        try await store.compact()
        let files = FileManager.default.enumerator(
            at: place.url.appendingPathComponent("assets"), includingPropertiesForKeys: nil)
        let names = (files?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
        #expect(names.count == min(last, 3), "round \(round)")
    }
}
