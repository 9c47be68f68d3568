/// What is measured: users in one kind of store.
///
/// What is read becomes a sum, which must be equal for all kinds. A nil says that a kind has no such
/// operation.
protocol UserStore {
    /// Saves users, `batch` in a transaction. A snapshot is held across each transaction.
    mutating func save(_ users: ArraySlice<BenchmarkUser>, batch: Int)

    /// The bytes of rows, not decoded.
    func findRows(_ ids: [String]) -> Int?
    func find(_ ids: [String]) -> Int

    /// How many have a score from this on, which no index knows.
    func count(scoreFrom score: Double) -> Int
    func scan() -> Int
    func range(ages: Range<Int>) -> Int

    /// What its pages take.
    var megabytes: Double? { get }

    func close()
}

extension UserStore {
    var megabytes: Double? { nil }
    func close() {}
}
