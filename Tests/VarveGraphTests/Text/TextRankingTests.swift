import Testing

@testable import VarveGraph

/// Three documents; tokens in brackets:
///
///     0  "fox hunt"     [fox hun unt]              length 3
///     1  "Fox, fox!"    [fox fox]                  length 2
///     2  "hunting dogs" [hun unt nti tin ing dog ogs]  length 7
///
/// N = 3, average length = 12 / 3 = 4, k1 = 1.2, b = 0.75.
///
/// norm(length) = 1.2 · (0.25 + 0.75 · length / 4):
/// norm(3) = 1.2 · 0.8125 = 0.975; norm(2) = 1.2 · 0.625 = 0.75; norm(7) = 1.2 · 1.5625 = 1.875.
///
/// idf(n) = ln((3 − n + 0.5) / (n + 0.5) + 1): idf(2) = ln(1.5 / 2.5 + 1) = ln 1.6 = 0.470003629;
/// idf(1) = ln(2.5 / 1.5 + 1) = ln 2.6667 = 0.980829253.
private let texts = ["fox hunt", "Fox, fox!", "hunting dogs"]

@Suite("Text ranking")
struct TextRankingTests {
    private func postings(_ texts: [String] = texts) -> TextPostings {
        var postings = TextPostings()
        for (slot, text) in texts.enumerated() { postings.insert([text], slot: UInt32(slot)) }
        return postings
    }

    private func scores(_ postings: TextPostings, _ query: String) -> [UInt32: Double] {
        var scores: [UInt32: Double] = [:]
        postings.forEachScore(of: TextWords(query)) { scores[$0] = $1 }
        return scores
    }

    private func scannedScores(_ texts: [String], _ query: String) -> [UInt32: Double] {
        var scan = TextScan(TextWords(query))
        for (slot, text) in texts.enumerated() { scan.add([text], slot: UInt32(slot)) }
        var scores: [UInt32: Double] = [:]
        scan.forEachScore { scores[$0] = $1 }
        return scores
    }

    private func isClose(_ first: Double?, _ second: Double) -> Bool {
        first.map { abs($0 - second) < 1e-8 } ?? false
    }

    /// 0: 0.470003629 · 1 · 2.2 / (1 + 0.975) = 0.523548346
    /// 1: 0.470003629 · 2 · 2.2 / (2 + 0.75) = 0.752005807
    @Test("One token: more appearances and shorter documents score higher")
    func oneToken() {
        let scores = scores(postings(), "FOX")
        #expect(scores.count == 2)
        #expect(isClose(scores[0], 0.523548346))
        #expect(isClose(scores[1], 0.752005807))
        #expect(scannedScores(texts, "FOX") == scores)
    }

    /// fox is in two documents; hun, unt in two:
    /// 0: 3 · 0.470003629 · 2.2 / 1.975 = 1.570645038
    /// 1: 0.752005807
    /// 2: 2 · 0.470003629 · 2.2 / (1 + 1.875) = 0.719309902
    @Test("Several tokens add up, and one is enough")
    func severalTokens() {
        let scores = scores(postings(), "fox hunt")
        #expect(isClose(scores[0], 1.570645038))
        #expect(isClose(scores[1], 0.752005807))
        #expect(isClose(scores[2], 0.719309902))
        #expect(scannedScores(texts, "fox hunt") == scores)
        let order = postings().ranking(of: TextWords("fox hunt"), limit: .max, isWanted: nil) {
            UInt64($0)
        }
        #expect(order == [0, 1, 2])
    }

    /// dog in one document: 0.980829253 · 2.2 / 2.875 = 0.750547603; twice: 1.501095205.
    @Test("A token counts as often as the query repeats it")
    func repeats() {
        #expect(isClose(scores(postings(), "dog")[2], 0.750547603))
        #expect(isClose(scores(postings(), "dog Dog")[2], 1.501095205))
        #expect(scannedScores(texts, "dog Dog") == scores(postings(), "dog Dog"))
    }

    /// Without document 1: N = 2, average 10 / 2 = 5, norm(3) = 1.2 · (0.25 + 0.45) = 0.84,
    /// idf(1) of 2 = ln(1.5 / 1.5 + 1) = ln 2 = 0.693147181; 0.693147181 · 2.2 / 1.84 = 0.828762933.
    @Test("Removed documents do not count, in any figure")
    func removal() {
        var postings = postings()
        postings.remove(["Fox, fox!"], slot: 1)
        let scores = scores(postings, "fox")
        #expect(scores.count == 1)
        #expect(isClose(scores[0], 0.828762933))
        postings.checkInvariants()
    }

    @Test("Equal scores stand in insertion order, and a limit takes the first of them")
    func ties() {
        let postings = postings(Array(repeating: "same words", count: 50))
        let words = TextWords("word")
        // Ordinals against the order of slots.
        func ranking(_ limit: Int) -> ContiguousArray<UInt32> {
            postings.ranking(of: words, limit: limit, isWanted: nil) { 100 - UInt64($0) }
        }
        #expect(Array(ranking(3)) == [49, 48, 47])
        #expect(Array(ranking(.max)) == Array((0..<50).reversed()))
        #expect(ranking(0).isEmpty)
        #expect(
            postings.ranking(of: words, limit: 2, isWanted: { $0 < 10 }) { UInt64($0) } == [0, 1])
        #expect(postings.ranking(of: TextWords("+"), limit: 2, isWanted: nil) { _ in 0 }.isEmpty)
    }
}
