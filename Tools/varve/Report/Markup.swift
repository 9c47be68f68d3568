import VarveText

/// HTML, SVG, or the text inside it: the one place that escapes what a store, a path or an argument holds.
///
/// In a literal the written part is markup and every interpolated text is text: `"<td>\(label)</td>"`. Only markup that
/// was made in this way is taken as it is.
struct Markup: ExpressibleByStringInterpolation {
    private(set) var source: String

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            source.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        mutating func appendLiteral(_ literal: String) { source += literal }

        mutating func appendInterpolation(_ text: String) { source += Markup.escaped(text) }

        mutating func appendInterpolation(_ markup: Markup) { source += markup.source }

        mutating func appendInterpolation(_ number: some BinaryInteger) { source += String(number) }

        /// A coordinate, with two digits behind the point.
        mutating func appendInterpolation(_ number: Double) { source += Markup.coordinate(number) }
    }

    init() { source = "" }

    init(stringLiteral: String) { source = stringLiteral }

    init(stringInterpolation: StringInterpolation) { source = stringInterpolation.source }

    /// JSON as the content of a script element that holds data: nothing in it ends the element, and XML reads it, too.
    init(data json: JSON) {
        source = ""
        for scalar in json.line.unicodeScalars {
            switch scalar {
            case "<": source += "\\u003c"
            case ">": source += "\\u003e"
            case "&": source += "\\u0026"
            default: source.unicodeScalars.append(scalar)
            }
        }
    }

    static func + (first: Markup, second: Markup) -> Markup {
        var sum = first
        sum.source += second.source
        return sum
    }

    static func += (first: inout Markup, second: Markup) { first.source += second.source }

    var isEmpty: Bool { source.isEmpty }

    /// A text that is nothing but text, between tags and in attributes in double quotation marks. What shows nothing
    /// or turns the direction of writing is written as on a terminal.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.escapedForDisplay.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func coordinate(_ number: Double) -> String {
        guard number.isFinite else { return "0" }
        let hundredths = Int64((number.magnitude * 100).rounded())
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        var text = (number < 0 && hundredths > 0 ? "-" : "") + String(whole)
        if rest > 0 { text += "." + (rest < 10 ? "0" : "") + String(rest) }
        return text.hasSuffix("0") && text.contains(".") ? String(text.dropLast()) : text
    }
}

extension Sequence where Element == Markup {
    func joined() -> Markup { reduce(into: Markup()) { $0 += $1 } }
}
