internal import Foundation

/// Okapi BM25: S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and
/// Beyond", Foundations and Trends in Information Retrieval 3(4), 2009, with the idf that Lucene
/// uses, which is never negative.
///
/// The index and the scan call the same functions with the same figures and add the terms in
/// the same order, so that both give the same scores to the last bit.
struct TextRanking: Sendable {
    /// How soon further appearances of a token stop to count.
    static let k1 = 1.2
    /// How much long documents are marked down.
    static let b = 0.75

    /// For each token of the query: what its appearances are worth.
    let weights: ContiguousArray<Double>
    private let averageLength: Double

    /// - Parameters:
    ///   - documents: how many documents there are.
    ///   - totalLength: how many tokens they have together.
    ///   - frequencies: for each token of the query, how many documents have it.
    init(_ words: TextWords, documents: Int, totalLength: Int, frequencies: [Int]) {
        averageLength = documents == 0 ? 0 : Double(totalLength) / Double(documents)
        weights = ContiguousArray(
            zip(words.tokens, frequencies).map { token, frequency in
                Double(token.count) * Self.idf(frequency, of: documents) * (Self.k1 + 1)
            })
    }

    static func idf(_ frequency: Int, of documents: Int) -> Double {
        let n = Double(frequency)
        return log((Double(documents) - n + 0.5) / (n + 0.5) + 1)
    }

    /// What a document's length adds below the fraction bar.
    @inline(__always)
    func norm(length: Int) -> Double {
        Self.k1 * (1 - Self.b + Self.b * Double(length) / averageLength)
    }

    /// What a token adds to the score of a document that has it `frequency` times.
    @inline(__always)
    static func term(weight: Double, frequency: UInt32, norm: Double) -> Double {
        weight * Double(frequency) / (Double(frequency) + norm)
    }
}

/// A document and its score; the smaller one comes first.
struct RankedSlot: Comparable {
    let score: Double
    let ordinal: UInt64
    let slot: UInt32

    @inline(__always)
    static func < (first: Self, second: Self) -> Bool {
        first.score == second.score
            ? first.ordinal < second.ordinal : first.score > second.score
    }
}

/// Keeps the first `limit` of the documents that it is given.
struct RankedSelection {
    private let limit: Int
    /// While there are more than `limit`, a heap with the last of those kept on top.
    private var kept: ContiguousArray<RankedSlot> = []

    init(limit: Int) { self.limit = limit }

    /// Whether a document with this score could be among the first.
    @inline(__always)
    func mayKeep(_ score: Double) -> Bool {
        kept.count < limit || score >= kept[0].score
    }

    mutating func add(_ document: RankedSlot) {
        if limit == .max {
            kept.append(document)
        } else if kept.count < limit {
            kept.append(document)
            rise(from: kept.count - 1)
        } else if limit > 0 && document < kept[0] {
            kept[0] = document
            sink()
        }
    }

    private mutating func rise(from position: Int) {
        var child = position
        while child > 0 {
            let parent = (child - 1) / 2
            guard kept[parent] < kept[child] else { return }
            kept.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            if child >= kept.count { return }
            if child + 1 < kept.count && kept[child] < kept[child + 1] { child += 1 }
            guard kept[parent] < kept[child] else { return }
            kept.swapAt(parent, child)
            parent = child
        }
    }

    /// The slots of the documents kept, best first. O(k log k).
    func slots() -> ContiguousArray<UInt32> {
        ContiguousArray(kept.sorted().map(\.slot))
    }
}
