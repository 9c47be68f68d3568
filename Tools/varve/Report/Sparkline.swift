/// A small line without axes: how a number came to be what it is.
enum Sparkline {
    private static let (width, height) = (96.0, 22.0)

    static func markup(_ values: [Int64], label: String) -> Markup {
        guard values.count > 1, let most = values.max(), most > 0 else { return Markup() }
        let step = width / Double(values.count - 1)
        let points = values.enumerated().map { position, value -> String in
            let y = height - 1.5 - Double(max(value, 0)) / Double(most) * (height - 3)
            let point: Markup = "\(Double(position) * step),\(y)"
            return point.source
        }.joined(separator: " ")
        return """
            <svg class="spark" role="img" aria-label="\(label)" viewBox="0 0 \(width) \(height)" \
            preserveAspectRatio="none"><polygon points="0,\(height) \(points) \(width),\(height)"/>\
            <polyline points="\(points)"/></svg>
            """
    }
}
