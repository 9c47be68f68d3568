import BenchmarkSupport
import CHeap
import Varve

/// What a row takes on the heap beside the struct itself; the strings belong to the input.
func measureMemory(_ suite: Suite) {
    suite.begin("memory")
    measureMemory(
        suite, "a user beside its \(MemoryLayout<User>.stride) bytes", target: "<= 40",
        struct: MemoryLayout<User>.stride, of: { suite.users })
    measureMemory(
        suite, "a post without its author beside its \(MemoryLayout<Post>.stride) bytes",
        struct: MemoryLayout<Post>.stride,
        of: { allPosts(suite).map { $0.normalized() } })
    let plain = Lazy { perRow(suite.users) - Double(MemoryLayout<User>.stride) }
    measureIndex(suite, AgeIndexedUser.self, "ordered index", plain)
    measureIndex(suite, CityIndexedUser.self, "hash index", plain)
    measureIndex(suite, EmailIndexedUser.self, "unique index", plain)
    suite.count("added by the full-text index, per body of 120 characters", unit: "bytes") {
        let bodies = SampleData.articles(min(suite.options.rows, 100_000))
        let plain = perRow(bodies.map { PlainText(id: $0.offset, body: $0.element) })
        return perRow(bodies.map { Article(id: $0.offset, body: $0.element) }) - plain
    }
    suite.count("links of posts to authors and back, per post", unit: "bytes") {
        let posts = allPosts(suite)
        let plain = heapGrowth { Dataset.context(posts.map { $0.normalized() }) }
        return (heapGrowth { Dataset.context(posts) } - plain) / Double(posts.count)
    }
}

private func measureMemory<Entity: EntityModelProtocol>(
    _ suite: Suite, _ name: String, target: String? = nil, struct size: Int,
    of entities: () -> [Entity]
) {
    suite.count(name, unit: "bytes", target: target) {
        perRow(entities()) - Double(size)
    }
}

/// What one index adds to each user; the plain user has a relation instead, which costs no more
/// than its word in the struct.
private func measureIndex<Entity: SampleUser & EntityModelProtocol>(
    _ suite: Suite, _ type: Entity.Type, _ name: String, _ plain: Lazy<Double>
) {
    suite.count("added by the \(name), per user", unit: "bytes") {
        perRow(suite.users.map { Entity($0) }) - Double(MemoryLayout<Entity>.stride) - plain.value
    }
}

private func perRow<Entity: EntityModelProtocol>(_ entities: [Entity]) -> Double {
    heapGrowth { Dataset.context(entities) } / Double(entities.count)
}

/// The bytes of the heap that a context takes.
private func heapGrowth(_ make: () -> Context) -> Double {
    let before = heap_bytes_in_use()
    precondition(before > 0, "the allocator of this platform does not say what is in use")
    let context = make()
    let after = heap_bytes_in_use()
    return withExtendedLifetime(context) { Double(after) - Double(before) }
}
