import BenchmarkSupport

/// The data of the comparison tables, the same in every run and for every engine.
enum Dataset {
    static func user(_ number: Int) -> UserRecord {
        UserRecord(
            id: userID(number), name: SampleData.name(number), email: SampleData.email(number),
            age: Int(SampleData.mixed(number) % 100),
            city: SampleData.city(Int(SampleData.mixed(number &+ 1) % 200)),
            score: Double(SampleData.mixed(number &+ 2) % 1_000_000),
            createdAt: 1_700_000_000 + number)
    }

    static func post(_ number: Int, of users: Int) -> PostRecord {
        var random = SplitMix(state: UInt64(number) &* 7)
        return PostRecord(
            id: SampleData.id("p", number), title: "Title of post \(number)",
            body: SampleData.body(using: &random), likes: Int(random.next() % 1_000),
            author: userID(Int(random.next() % UInt64(users))))
    }

    static func userID(_ number: Int) -> String { SampleData.id("u", number) }

    typealias Batch = (users: [UserRecord], posts: [PostRecord])

    /// All users and posts, in batches of so many of each, as they are loaded.
    static func batches(
        _ size: Int, of count: Int = 500, posts: Bool = true,
        _ body: (_ users: [UserRecord], _ posts: [PostRecord]) throws -> Void
    ) rethrows {
        for start in stride(from: 0, to: size, by: count) {
            let numbers = start..<min(size, start + count)
            try body(
                numbers.map { user($0) },
                posts ? numbers.map { post($0, of: numbers.upperBound) } : [])
        }
    }
}
