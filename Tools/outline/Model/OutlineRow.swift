/// An item as it is shown: how deep it stands, and what it stands below.
package struct OutlineRow: Equatable, Sendable {
    package let id: String
    package let text: String
    package let depth: Int
    let parentID: String
    /// Its place among the items below its parent.
    let index: Int
}
