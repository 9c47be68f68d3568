/// Finds what somebody may have meant.
enum Spelling {
    /// The word that differs least, if it differs by two letters at most.
    static func nearest(to word: String, among words: [String]) -> String? {
        words.map { (word: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= 2 && $0.distance < word.count }
            .min { $0.distance < $1.distance }?.word
    }

    /// How many letters must be inserted, removed or replaced.
    private static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second)
        var row = Array(0...second.count)
        for (line, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in second.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[second.count]
    }
}
