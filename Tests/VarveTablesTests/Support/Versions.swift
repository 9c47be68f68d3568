import Testing

@testable import VarveTables

/// A structure in pages, changed by one transaction after the other, whose versions can be held.
struct Versions<Structure> {
    private(set) var store = PageStore(.separate)
    private(set) var newest: PageSnapshot?
    private(set) var structure: Structure

    init(_ structure: Structure) { self.structure = structure }

    var pages: PageTable { store.pages }

    /// Changes the structure in a transaction of its own.
    mutating func change<Result>(
        _ body: (inout Structure, PageTransaction) throws -> Result
    ) rethrows -> Result {
        let transaction = PageTransaction(store, base: newest)
        let result = try body(&structure, transaction)
        newest = nil
        newest = transaction.publish()
        return result
    }

    /// Changes the structure in a transaction that is rolled back.
    func changeInVain(_ body: (inout Structure, PageTransaction) throws -> Void) rethrows {
        let transaction = PageTransaction(store, base: newest)
        var copy = structure
        try body(&copy, transaction)
        transaction.rollBack()
    }

    /// The pages of the newest version, when nothing else holds one.
    func livePageCount() -> Int {
        store.reclaim()
        return store.pageCount
    }
}

/// Calls `body` with every sequence of `length` numbers below `limit`.
func forEachSequence(length: Int, below limit: Int, _ body: ([Int]) throws -> Void) rethrows {
    var sequence = [Int](repeating: 0, count: length)
    while true {
        try body(sequence)
        guard let position = sequence.lastIndex(where: { $0 < limit - 1 }) else { return }
        sequence[position] += 1
        for later in position + 1..<length { sequence[later] = 0 }
    }
}
