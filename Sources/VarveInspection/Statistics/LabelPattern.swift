/// What labels have in common that differ in quoted parts and numbers alone: `Add “tea”` and `Add “milk”` are
/// `Add “…”`, and `Import 1-1000` is `Import …`.
enum LabelPattern {
    private static let closing: [Character: Character] = [
        "“": "”", "\"": "\"", "‘": "’", "'": "'", "«": "»", "„": "“", "`": "`",
    ]

    static func of(_ label: String) -> String {
        var pattern = ""
        var rest = label[...]
        while let character = rest.popFirst() {
            // An apostrophe inside a word quotes nothing.
            let opens = pattern.last.map { !$0.isLetter && !$0.isNumber } ?? true
            if opens, let end = closing[character], let close = rest.firstIndex(of: end) {
                pattern += "\(character)…\(end)"
                rest = rest[rest.index(after: close)...]
            } else if character.isASCII, character.isNumber {
                rest = rest.drop { $0.isASCII && ($0.isNumber || ".,:-/".contains($0)) }
                pattern += "…"
            } else {
                pattern.append(character)
            }
        }
        return pattern
    }
}
