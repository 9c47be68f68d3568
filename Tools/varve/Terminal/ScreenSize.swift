/// The cells of a terminal.
struct ScreenSize: Hashable, Sendable {
    /// Below this, nothing can be laid out that is of use.
    static let least = ScreenSize(columns: 40, rows: 8)

    var columns: Int
    var rows: Int

    var isTooSmall: Bool { columns < Self.least.columns || rows < Self.least.rows }
}

extension ScreenSize: CustomStringConvertible {
    var description: String { "\(columns) x \(rows)" }
}
