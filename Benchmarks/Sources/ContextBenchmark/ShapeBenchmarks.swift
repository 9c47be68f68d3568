import BenchmarkSupport
import Foundation
import Varve

/// What queries load along, add up, page through and change.
func measureShapes(_ suite: Suite) {
    suite.begin("shapes")
    measureNested(suite)
    measureAggregates(suite)
    measurePages(suite)
}

private func measureNested(_ suite: Suite) {
    let ids = (0..<min(100, suite.options.rows)).map { SampleData.id("user", $0) }
    // Kept: after a release of so many strings the allocator tidies up for milliseconds.
    let posts = Lazy { Array(allPosts(suite).prefix(100_000)) }
    let prepare = {
        var context = suite.loaded
        for post in posts.value { save(post, to: &context) }
        return context
    }
    suite.measure(
        "100 users with the ids of their posts", operations: 1, unit: .microseconds,
        prepare: prepare,
        { context in
            precondition(User.query(ids).id(\.$posts).resolve(in: context).count == ids.count)
        })
    suite.measure(
        "100 users with their posts", operations: 1, unit: .microseconds, prepare: prepare,
        { context in
            precondition(User.query(ids).with(\.$posts).resolve(in: context).count == ids.count)
        })
    suite.measure(
        "100 users with 3 posts each, sorted and limited", operations: 1, unit: .microseconds,
        prepare: prepare,
        { context in
            let query = User.query(ids).with(\.$posts) { $0.sorted(by: \.title.desc).limit(3) }
            precondition(query.resolve(in: context).count == ids.count)
        })
    suite.measure(
        "100 users by a depth list: entities, then ids", operations: 1, unit: .microseconds,
        prepare: prepare,
        { context in
            let query = User.query(ids).with(.entities, .ids)
            precondition(query.resolve(in: context).count == ids.count)
        })
}

private func measureAggregates(_ suite: Suite) {
    let rows = suite.options.rows
    suite.measure(
        "filter by updatedAt, a row", operations: rows, target: "< 15",
        prepare: { suite.loaded },
        { context in
            let epoch = Date(timeIntervalSince1970: 0)
            let query = User.query().filter(.updated(within: .distantPast...epoch))
            precondition(query.isEmpty(in: context))
        })
    suite.measure(
        "sum of an integer property, a row", operations: rows, prepare: { suite.loaded },
        { context in
            precondition((try? User.query().sum(\.age, in: context)) != nil)
        })
    suite.measure(
        "greatest text of a property, a row", operations: rows, prepare: { suite.loaded },
        { context in precondition(User.query().max(\.name, in: context) != nil) })
    suite.measure(
        "counts in groups by city, a row", operations: rows, prepare: { suite.loaded },
        { context in
            precondition(!User.query().grouped(by: \.city).counts(in: context).isEmpty)
        })
    suite.measure(
        "projection of two properties, a row", operations: rows, prepare: { suite.loaded },
        { context in
            precondition(
                User.query().select(\.name, \.age).resolve(in: context).count == rows)
        })
}

private func measurePages(_ suite: Suite) {
    let rows = suite.options.rows
    guard rows >= 100 else { return }
    suite.measure(
        "page of 20 behind all but 50, insertion order", operations: 1, unit: .microseconds,
        prepare: { (suite.loaded, cursor(before: 50, of: User.query(), suite)) },
        { state in page(of: User.query(), behind: state.1, in: state.0) })
    let sorted = User.query().sorted(by: \.age)
    suite.measure(
        "page of 20 behind all but 50, sorted without index", operations: 1,
        unit: .microseconds,
        prepare: { (suite.loaded, cursor(before: 50, of: sorted, suite)) },
        { state in page(of: sorted, behind: state.1, in: state.0) })
    suite.measure(
        "bulk update of one in a hundred, an entity", operations: rows / 100,
        prepare: { suite.loaded },
        { context in
            let count = try? User.update(where: \.age == 7, in: &context) { $0.score += 1 }
            precondition(count == rows / 100)
        })
}

private func cursor(
    before rest: Int, of query: QueryList<User>, _ suite: Suite
) -> QueryCursor? {
    try? query.page(limit: suite.options.rows - rest, in: suite.loaded).end
}

private func page(of query: QueryList<User>, behind cursor: QueryCursor?, in context: Context) {
    precondition((try? query.page(after: cursor, limit: 20, in: context).entities.count) == 20)
}
