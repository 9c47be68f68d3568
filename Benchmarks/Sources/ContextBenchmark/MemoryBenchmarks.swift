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
        let entities = entities()
        return heapGrowth { Dataset.context(entities) } / Double(entities.count) - Double(size)
    }
}

/// The bytes of the heap that a context takes.
private func heapGrowth(_ make: () -> Context) -> Double {
    let before = heap_bytes_in_use()
    precondition(before > 0, "the allocator of this platform does not say what is in use")
    let context = make()
    let after = heap_bytes_in_use()
    return withExtendedLifetime(context) { Double(after) - Double(before) }
}
