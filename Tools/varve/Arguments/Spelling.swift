import VarveInspection

/// Finds the word that an unknown one is probably a misspelling of.
enum Spelling {
    /// The word that differs least, if that is by one slip, or by two in more than five letters. Case does not count.
    static func nearest(to word: String, among words: [String]) -> String? {
        words.map { (word: $0, distance: distance(word, $0)) }
            .filter { $0.distance <= (min(word.count, $0.word.count) > 5 ? 2 : 1) }
            .filter { $0.distance < min(word.count, $0.word.count) }
            .min { $0.distance < $1.distance }?.word
    }

    /// What is asked behind an error: `; did you mean 'log'?`, or nothing.
    static func question(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean '\($0)'?" } ?? ""
    }

    static func question(_ error: ExchangeError) -> String {
        if case .inspection(let error) = error { question(error) } else { "" }
    }

    static func question(_ error: InspectionError) -> String {
        switch error {
        case .noSuchType(let name, let known), .noSuchField(let name, _, let known):
            question(nearest(to: name, among: known))
        default: ""
        }
    }

    /// How many letters must be inserted, removed, replaced, or exchanged with the next one.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.lowercased()), Array(second.lowercased()))
        var before: [Int] = []
        var row = Array(0...second.count)
        for line in first.indices {
            var next = [line + 1]
            for column in second.indices {
                let replaced = row[column] + (first[line] == second[column] ? 0 : 1)
                var least = min(replaced, next[column] + 1, row[column + 1] + 1)
                if line > 0, column > 0, first[line] == second[column - 1],
                    first[line - 1] == second[column]
                {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[second.count]
    }
}
