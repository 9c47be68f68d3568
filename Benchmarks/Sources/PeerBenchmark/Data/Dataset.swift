/// The data of the comparison tables, the same in every run and for every engine.
enum Dataset {
    static let cities = 200

    static func user(_ number: Int) -> UserRecord {
        UserRecord(
            id: id("u", number), name: "Name \(number) Somebody",
            email: "user\(number)@example.com", age: Int(mixed(number) % 100),
            city: city(Int(mixed(number &+ 1) % UInt64(cities))),
            score: Double(mixed(number &+ 2) % 1_000_000), createdAt: 1_700_000_000 + number)
    }

    static func post(_ number: Int, of users: Int) -> PostRecord {
        var random = SplitMix(state: UInt64(number) &* 7)
        var body = ""
        while body.utf8.count < 120 {
            body += words[Int(random.next() % UInt64(words.count))] + " "
        }
        return PostRecord(
            id: id("p", number), title: "Title of post \(number)", body: String(body.prefix(120)),
            likes: Int(random.next() % 1_000), author: id("u", Int(random.next() % UInt64(users))))
    }

    static func city(_ number: Int) -> String { "City number \(number % cities)" }

    /// Sixteen bytes, which Swift keeps on the heap.
    static func id(_ prefix: String, _ number: Int) -> String {
        let digits = String(number)
        return prefix + "-" + String(repeating: "0", count: 14 - digits.utf8.count) + digits
    }

    /// So many numbers below a limit, in an order without locality.
    static func randomNumbers(_ count: Int, below limit: Int, seed: UInt64) -> [Int] {
        var random = SplitMix(state: seed)
        return (0..<count).map { _ in Int(random.next() % UInt64(limit)) }
    }

    private static func mixed(_ number: Int) -> UInt64 {
        var random = SplitMix(state: UInt64(truncatingIfNeeded: number))
        return random.next()
    }

    private static let words = [
        "sand", "silt", "clay", "varve", "lake", "ice", "spring", "melt", "summer", "winter",
        "layer", "core", "sample", "year", "count", "dark", "light", "coarse", "fine", "deposit",
        "glacier", "stream", "valley", "shore", "delta", "pollen", "ash", "drift", "moraine",
        "stone", "water", "flow", "season", "record", "archive", "depth", "mud", "gravel",
    ]
}

/// A seeded generator (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
