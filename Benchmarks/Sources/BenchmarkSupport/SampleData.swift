/// The texts of the comparison tables, the same in every run and every program.
public enum SampleData {
    public static let cities = 200

    /// Sixteen bytes, which Swift keeps on the heap.
    public static func id(_ prefix: String, _ number: Int) -> String {
        let digits = String(number)
        let zeros = max(0, 15 - prefix.utf8.count - digits.utf8.count)
        return prefix + "-" + String(repeating: "0", count: zeros) + digits
    }

    public static func name(_ number: Int) -> String { "Name \(number) Somebody" }

    public static func email(_ number: Int) -> String { "user\(number)@example.com" }

    public static func city(_ number: Int) -> String { "City number \(number % cities)" }

    /// A number that follows from another one and looks random.
    public static func mixed(_ number: Int) -> UInt64 {
        var random = SplitMix(state: UInt64(truncatingIfNeeded: number))
        return random.next()
    }

    /// So many numbers below a limit, in an order without locality.
    public static func randomNumbers(_ count: Int, below limit: Int, seed: UInt64) -> [Int] {
        var random = SplitMix(state: seed)
        return (0..<count).map { _ in Int(random.next() % UInt64(limit)) }
    }

    /// 120 characters of common words.
    public static func body(using random: inout SplitMix) -> String {
        // Bytes, because texts are made by the million.
        var body: [UInt8] = []
        body.reserveCapacity(136)
        while body.count < 120 {
            body += words[Int(random.next() % UInt64(words.count))]
            body.append(UInt8(ascii: " "))
        }
        return String(decoding: body.prefix(120), as: UTF8.self)
    }

    /// Texts of about 120 characters: of each ten, four have the words “orchard” and “lantern”,
    /// and the rest of the words are the rarer the greater their number.
    public static func articles(_ count: Int) -> [(offset: Int, element: String)] {
        var random = SplitMix(state: 99)
        return (0..<count).map { number in
            var body = number % 10 < 4 ? "orchard by lantern" : "nothing of note"
            if number % 1_000 == 0 { body += " word4999" }
            while body.utf8.count < 112 {
                let first = Int.random(in: 0..<5_000, using: &random)
                let second = Int.random(in: 0..<5_000, using: &random)
                body += " word\(first * second / 5_000)"
            }
            return (number, body)
        }
    }

    private static let words: [[UInt8]] = [
        "sand", "silt", "clay", "varve", "lake", "ice", "spring", "melt", "summer", "winter",
        "layer", "core", "sample", "year", "count", "dark", "light", "coarse", "fine", "deposit",
        "glacier", "stream", "valley", "shore", "delta", "pollen", "ash", "drift", "moraine",
        "stone", "water", "flow", "season", "record", "archive", "depth", "mud", "gravel",
    ].map { Array($0.utf8) }
}
