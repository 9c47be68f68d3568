import BenchmarkSupport
import Varve

/// Whole queries, with what they load.
func measureQueries(_ suite: Suite) {
    suite.begin("queries")
    let name = "100 users with posts with authors"
    guard suite.wants(name) else { return }
    let ids = (0..<min(100, suite.options.rows)).map { SampleData.id("user", $0) }
    // Kept: after a release of so many strings the allocator tidies up for milliseconds.
    let posts = Lazy { Array(allPosts(suite).prefix(2_000)) }
    suite.measure(
        name, operations: 20, unit: .milliseconds, target: "< 0.3",
        prepare: {
            var context = suite.loaded
            for post in posts.value { save(post, to: &context) }
            return context
        },
        { context in
            for _ in 0..<20 {
                let query = User.query(ids).with(\.$posts) { $0.with(\.$author) }
                precondition(query.resolve(in: context).count == ids.count)
            }
        })
}
