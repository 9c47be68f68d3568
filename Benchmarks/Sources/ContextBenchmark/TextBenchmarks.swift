import BenchmarkSupport
import Varve

/// Full text over bodies of 120 characters.
func measureText(_ suite: Suite) {
    suite.begin("text")
    let count = min(suite.options.rows, 100_000)
    let articles = Lazy {
        SampleData.articles(count).map { Article(id: $0.offset, body: $0.element) }
    }
    let plain = Lazy {
        SampleData.articles(count).map { PlainText(id: $0.offset, body: $0.element) }
    }
    suite.measure(
        "save new bodies with full-text index", operations: count, unit: .microseconds,
        target: "<= 33", prepare: { (Context(), articles.value) },
        { state in for article in state.1 { save(article, to: &state.0) } })
    suite.measure(
        "save new bodies without index", operations: count, unit: .microseconds,
        prepare: { (Context(), plain.value) },
        { state in for text in state.1 { save(text, to: &state.0) } })
    let loaded = Lazy { Dataset.context(articles.value) }
    let hits = count * 4 / 10
    suite.measure(
        "two words, \(hits) hits, first 20", operations: 1, unit: .milliseconds,
        target: "< 10", prepare: { loaded.value },
        { context in
            let found = Article.filter(.string(\.body, matches: "orchard lantern")).limit(20)
                .resolve(in: context)
            precondition(found.count == min(20, hits))
        })
    suite.measure(
        "count of two words, \(hits) hits", operations: 1, unit: .milliseconds,
        prepare: { loaded.value },
        { context in
            let query = Article.filter(.string(\.body, matches: "orchard lantern"))
            precondition(query.count(in: context) >= hits)
        })
    suite.measure(
        "bodies that contain a part of a rare word", operations: 1, unit: .milliseconds,
        prepare: { loaded.value },
        { context in
            let query = Article.filter(.string(\.body, contains: "ord4999"))
            precondition(query.count(in: context) > 0)
        })
}
