/// The meaning of the colours of a chart.
enum Legend {
    static func entry(_ color: Int, _ text: Markup) -> Markup {
        "<li><span class=\"key c\(color)\"></span>\(text)</li>"
    }

    static func list(_ entries: [Markup]) -> Markup {
        "<ul class=\"legend\">\(entries.joined())</ul>"
    }
}
