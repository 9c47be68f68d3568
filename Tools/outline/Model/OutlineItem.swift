package import Varve

/// One line of an outline, with those that are indented below it, in order.
@EntityModel
package struct OutlineItem {
    package let id: String
    package var text: String

    @Relationship(deleteRule: .cascade, inverse: \.parent) package var children: [OutlineItem]?
    @Relationship(inverse: \.children) package var parent: OutlineItem?
}

extension OutlineItem {
    /// The item that all others stand below, and that nobody sees.
    static let rootID = "root"
}
