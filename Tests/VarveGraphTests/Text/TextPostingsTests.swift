import Testing
import VarveTestSupport

@testable import VarveGraph

@Suite("Text postings")
struct TextPostingsTests {
    private static let sensitivities = [
        (false, true), (true, true), (false, false), (true, false),
    ].map { TextFolding(caseSensitive: $0, diacriticSensitive: $1) }

    @Test("Candidates for a pattern never miss what a scan finds", arguments: 1...8 as ClosedRange)
    func candidates(seed: UInt64) {
        var random = RandomTexts(seed: seed)
        let documents = (0..<80).map { _ in [random.text(parts: 12), random.text(parts: 3)] }
        var postings = TextPostings()
        for (slot, texts) in documents.enumerated() { postings.insert(texts, slot: UInt32(slot)) }
        var served = 0
        var found = 0
        for _ in 0..<60 {
            let needle = random.needle(
                from: documents.randomElement(using: &random.generator)!.joined())
            for folding in Self.sensitivities {
                for place in [TextPattern.Place.anywhere, .atStart, .atEnd] {
                    let pattern = TextPattern(needle, place: place, folding: folding)
                    guard let candidates = postings.candidates(for: pattern) else { continue }
                    #expect(postings.candidateCount(for: pattern)! >= candidates.count)
                    let hits = documents.indices.filter {
                        documents[$0].contains { pattern.isFound(in: $0) }
                    }
                    let missed = Set(hits.map(UInt32.init)).subtracting(candidates)
                    let note = "seed \(seed), \(needle.debugDescription), \(folding), \(place)"
                    #expect(missed.isEmpty, "\(note)")
                    served += 1
                    found += hits.count
                }
            }
        }
        // The test would be empty if the index served little or nothing were found.
        #expect(served > 200 && found > 20, "seed \(seed)")
    }

    @Test(
        "Scores with and without the index are equal to the last bit",
        arguments: 1...10 as ClosedRange)
    func scores(seed: UInt64) {
        var random = RandomTexts(seed: seed)
        // From few documents to more than a dictionary of scores is meant for.
        let count = seed.isMultiple(of: 2) ? 50 : 600
        let documents = (0..<count).map { _ in [random.text(parts: 9)] }
        var postings = TextPostings()
        for (slot, texts) in documents.enumerated() { postings.insert(texts, slot: UInt32(slot)) }
        for _ in 0..<60 {
            let words = TextWords(random.text(parts: 5))
            var scan = TextScan(words)
            for (slot, texts) in documents.enumerated() { scan.add(texts, slot: UInt32(slot)) }
            var indexed: [UInt32: Double] = [:]
            var scanned: [UInt32: Double] = [:]
            postings.forEachScore(of: words) { indexed[$0] = $1 }
            scan.forEachScore { scanned[$0] = $1 }
            #expect(indexed == scanned, "seed \(seed), \(words.text.debugDescription)")
            #expect(Set(postings.candidates(for: words)) == Set(scanned.keys))
            #expect(
                Set(scanned.keys)
                    == Set(
                        documents.indices.filter { words.haveTokens(in: documents[$0][0]) }
                            .map(UInt32.init)))
            let limit = Int.random(in: 1...30, using: &random.generator)
            #expect(
                postings.ranking(of: words, limit: limit, isWanted: nil) { UInt64($0) }
                    == scan.ranking(limit: limit, isWanted: nil) { UInt64($0) })
        }
    }

    @Test(
        "Inserting, replacing and removing keep every list right, and copies as they were",
        arguments: 1...10 as ClosedRange)
    func changes(seed: UInt64) {
        var random = RandomTexts(seed: seed)
        var postings = TextPostings()
        var model: [UInt32: [String]] = [:]
        var copies: [(TextPostings, [UInt32: [String]])] = []
        for step in 0..<600 {
            let slot = UInt32.random(in: 0..<150, using: &random.generator)
            let texts = [random.text(parts: 8), random.text(parts: 2)]
            if let old = model[slot] {
                if Bool.random(using: &random.generator) {
                    postings.replace(old, with: texts, slot: slot)
                    model[slot] = texts
                } else {
                    postings.remove(old, slot: slot)
                    model[slot] = nil
                }
            } else {
                postings.insert(texts, slot: slot)
                model[slot] = texts
            }
            if step % 100 == 50 { copies.append((postings, model)) }
        }
        for (copy, model) in copies + [(postings, model)] {
            copy.checkInvariants()
            #expect(content(copy) == content(model), "seed \(seed)")
        }
        for (slot, texts) in model { postings.remove(texts, slot: slot) }
        postings.checkInvariants()
        #expect(postings.statistics.tokens == 0 && postings.statistics.postings == 0)
        #expect(postings.documentCount == 0 && postings.totalLength == 0)
    }

    /// How often each token stands in each slot, by token and slot.
    private func content(_ postings: TextPostings) -> [UInt64: [UInt32: UInt32]] {
        var content: [UInt64: [UInt32: UInt32]] = [:]
        postings.tokens.forEach { token, list in
            list.forEach { content[token, default: [:]][$0] = $1 }
        }
        return content
    }

    private func content(_ model: [UInt32: [String]]) -> [UInt64: [UInt32: UInt32]] {
        var content: [UInt64: [UInt32: UInt32]] = [:]
        for (slot, texts) in model {
            for token in TextTokenizer(texts).tokens {
                content[token, default: [:]][slot, default: 0] += 1
            }
        }
        return content
    }

    @Test("Long lists grow at their end, shrink anywhere, and take back what was taken")
    func longLists() {
        var generator = SeededGenerator(seed: 7)
        var list = PostingList()
        var model: [UInt32: UInt32] = [:]
        func check() {
            list.checkInvariants()
            var content: [UInt32: UInt32] = [:]
            list.forEach { content[$0] = $1 }
            #expect(content == model && list.count == model.count)
        }
        for slot in 0..<UInt32(20_000) {
            let frequency = UInt32.random(in: 1...300, using: &generator) / 200 + 1
            list.insert(Posting(slot: slot * 3, frequency: frequency))
            model[slot * 3] = frequency
        }
        check()
        let copy = list
        let full = model
        for slot in model.keys.shuffled(using: &generator).prefix(18_000) {
            list.remove(slot)
            model[slot] = nil
        }
        check()
        for _ in 0..<20_000 {
            let slot = UInt32.random(in: 0..<400_000_000, using: &generator)
            if model[slot] != nil { continue }
            let frequency = UInt32.random(in: 1...100_000, using: &generator)
            list.insert(Posting(slot: slot, frequency: frequency))
            model[slot] = frequency
        }
        check()
        for slot in model.keys.sorted(by: >) { list.remove(slot) }
        #expect(list.isEmpty && list.allocatedBytes == 0)
        list = copy
        model = full
        check()
    }

    @Test(
        "A long document is counted as it comes: as many tokens are kept as before, and all are counted"
    )
    func longDocuments() {
        var random = RandomTexts(seed: 21)
        let parts = (0..<400).map { _ in random.text(parts: 40) }
        var texts: [String] = []
        var expected: [UInt64: UInt32] = [:]
        var length = 0
        while length < 3 * TextTokenizer.keptMax {
            let text = parts.randomElement(using: &random.generator)!
            texts.append(text)
            for token in TextTokenizer([text]).tokens {
                expected[token, default: 0] += 1
                length += 1
            }
        }
        var document = TextTokenizer(texts)
        #expect(document.count == length && document.tokens.count <= TextTokenizer.keptMax)
        let runs = document.sortedRuns()
        #expect(runs.map(\.token) == expected.keys.sorted())
        #expect(runs.allSatisfy { expected[$0.token] == $0.frequency })

        var postings = TextPostings()
        postings.insert(texts, slot: 0)
        postings.insert(["fox"], slot: 1)
        postings.checkInvariants()
        let both: [(slot: UInt32, texts: [String])] = [(0, texts), (1, ["fox"])]
        let built = TextPostings(both)
        #expect(content(built) == content(postings))
        var scan = TextScan(TextWords("fox 日"))
        scan.add(texts, slot: 0)
        scan.add(["fox"], slot: 1)
        var scanned: [UInt32: Double] = [:]
        var indexed: [UInt32: Double] = [:]
        scan.forEachScore { scanned[$0] = $1 }
        postings.forEachScore(of: TextWords("fox 日")) { indexed[$0] = $1 }
        #expect(scanned == indexed && scanned.count == 2)
        postings.replace(texts, with: texts + ["owl"], slot: 0)
        postings.checkInvariants()
        postings.remove(texts + ["owl"], slot: 0)
        postings.checkInvariants()
        #expect(postings.documentCount == 1 && postings.totalLength == 1)
    }

    @Test("A chunk for each 150 postings at the end of a dense list, and one byte each")
    func compactness() {
        var list = PostingList()
        for slot in 0..<UInt32(10_000) { list.insert(Posting(slot: slot * 2, frequency: 1)) }
        #expect(list.allocatedBytes < 14_000)
    }

    @Test("Intersections find what is in both")
    func intersections() {
        var list = PostingList()
        for slot in stride(from: UInt32(0), to: 3000, by: 3) {
            list.insert(Posting(slot: slot, frequency: 1))
        }
        let fives = ContiguousArray(stride(from: UInt32(0), to: 4000, by: 5))
        #expect(
            Array(list.intersection(with: fives))
                == Array(stride(from: UInt32(0), to: 3000, by: 15)))
        #expect(PostingList().intersection(with: fives).isEmpty)
    }

    @Test("Texts other than those that were inserted are refused")
    func otherTexts() async {
        await #expect(processExitsWith: .failure) {
            var postings = TextPostings()
            postings.insert(["some words"], slot: 0)
            postings.remove(["other words here"], slot: 0)
        }
    }
}
