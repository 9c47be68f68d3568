/// The cells of a terminal.
package struct ScreenSize: Hashable, Sendable {
    /// Below this, nothing can be laid out that is of use.
    package static let least = ScreenSize(columns: 40, rows: 8)

    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    package var isTooSmall: Bool { columns < Self.least.columns || rows < Self.least.rows }
}

extension ScreenSize: CustomStringConvertible {
    package var description: String { "\(columns) x \(rows)" }
}
