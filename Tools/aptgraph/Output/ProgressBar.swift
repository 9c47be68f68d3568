import Foundation

/// One line on the terminal that shows how far something is; nothing elsewhere.
struct ProgressBar {
    private static let barWidth = 40
    private static let interval = Duration.milliseconds(80)

    private let title: String
    private let isShown: Bool
    private let clock = ContinuousClock()
    private var shownAt: ContinuousClock.Instant?

    init(title: String, isShown: Bool) {
        self.title = title
        self.isShown = isShown
    }

    /// - Parameter part: 0 to 1.
    mutating func show(_ part: Double) {
        guard isShown else { return }
        let now = clock.now
        if let shownAt, now - shownAt < Self.interval { return }
        shownAt = now
        put("\r" + Self.line(title, part) + "\u{1B}[K")
    }

    func clear() {
        if shownAt != nil { put("\r\u{1B}[K") }
    }

    static func line(_ title: String, _ part: Double) -> String {
        let part = min(max(part, 0), 1)
        let filled = Int(part * Double(barWidth))
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "░", count: barWidth - filled)
        let name = title + String(repeating: " ", count: max(10 - title.count, 1))
        return "\(name)\(bar) \(Int(part * 100)) %"
    }

    private func put(_ text: String) {
        // A bar that cannot be drawn is no reason to end the work that it shows.
        try? Terminal.write(text, to: STDERR_FILENO)
    }
}
