/// The order in which a person looks for labels: numbers in them count by their value.
enum LabelOrder {
    static func isBefore(_ first: String, _ second: String) -> Bool {
        var (rest, other) = (first.unicodeScalars[...], second.unicodeScalars[...])
        while let one = rest.first, let two = other.first {
            if let number = digits(&rest), let otherNumber = digits(&other) {
                if number == otherNumber { continue }
                return number.count == otherNumber.count
                    ? number < otherNumber : number.count < otherNumber.count
            }
            // Digits of one alone are still in front.
            if one != two { return one < two }
            rest = rest.dropFirst()
            other = other.dropFirst()
        }
        if rest.isEmpty != other.isEmpty { return rest.isEmpty }
        // Only zeros before numbers differ.
        return first < second
    }

    /// Takes digits off the front, and returns those behind zeros; nil, and takes nothing, where there are none.
    private static func digits(_ text: inout Substring.UnicodeScalarView) -> String? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard !digits.isEmpty else { return nil }
        text = text.dropFirst(digits.count)
        return String(digits.drop { $0 == "0" })
    }
}
