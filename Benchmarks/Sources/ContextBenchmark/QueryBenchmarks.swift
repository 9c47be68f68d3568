import Varve

/// Whole queries, with what they load.
func measureQueries(_ suite: Suite) {
    suite.begin("queries")
    let name = "100 users with posts with authors"
    guard suite.wants(name) else { return }
    let ids = (0..<min(100, suite.options.rows)).map { Dataset.id("user", $0) }
    suite.measure(
        name, operations: 1, unit: .milliseconds, target: "< 0.3",
        prepare: {
            var context = suite.loaded
            for post in allPosts(suite).prefix(2_000) { save(post, to: &context) }
            return context
        },
        { context in
            let found = User.query(ids).with(\.$posts) { $0.with(\.$author) }.resolve(in: context)
            precondition(found.count == ids.count)
        })
}
